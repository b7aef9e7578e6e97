// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/latency-histogram.h"
#include "ns3/test.h"

#include <algorithm>
#include <cmath>
#include <vector>

using namespace ns3;

/**
 * @ingroup defiance-tests
 * @brief Quantiles are exact within the documented error.
 */
class QuantileTestCase : public TestCase
{
  public:
    QuantileTestCase()
        : TestCase("Quantiles are within 1 % of those of the times")
    {
    }

  private:
    void DoRun() override
    {
        LatencyHistogram histogram;
        NS_TEST_EXPECT_MSG_EQ(histogram.GetQuantile(0.5), Time(), "The histogram is empty");
        std::vector<int64_t> times;
        for (int64_t i = 0; i < 20000; ++i)
        {
            // From 0 ns to about 100 s, many of each order of magnitude.
            times.push_back(static_cast<int64_t>(std::pow(1.00128, i) + i % 7) - 1);
            histogram.Add(NanoSeconds(times.back()));
        }
        std::sort(times.begin(), times.end());
        for (const double share : {0.001, 0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.9999})
        {
            const auto rank = static_cast<std::size_t>(std::ceil(share * times.size())) - 1;
            const auto expected = static_cast<double>(times[rank]);
            NS_TEST_EXPECT_MSG_EQ_TOL(histogram.GetQuantile(share).GetNanoSeconds(),
                                      expected,
                                      0.01 * expected,
                                      "Share " << share);
        }
        NS_TEST_EXPECT_MSG_EQ(histogram.GetQuantile(0).GetNanoSeconds(), times.front(), "Least");
        NS_TEST_EXPECT_MSG_EQ(histogram.GetQuantile(1).GetNanoSeconds(), times.back(), "Largest");
    }
};

/**
 * @ingroup defiance-tests
 * @brief Equal times, times below 128 ns, and invalid times.
 */
class ExactTestCase : public TestCase
{
  public:
    ExactTestCase()
        : TestCase("Small or equal times are exact")
    {
    }

  private:
    void DoRun() override
    {
        LatencyHistogram same;
        for (int i = 0; i < 10; ++i)
        {
            same.Add(NanoSeconds(123456789));
        }
        NS_TEST_EXPECT_MSG_EQ(same.GetQuantile(0.95), NanoSeconds(123456789), "A single time");
        LatencyHistogram small;
        for (int i = 127; i >= 0; --i)
        {
            small.Add(NanoSeconds(i));
        }
        NS_TEST_EXPECT_MSG_EQ(small.GetQuantile(0.5), NanoSeconds(63), "A bin for each time");
        small.Add(NanoSeconds(-5));
        NS_TEST_EXPECT_MSG_EQ(small.GetQuantile(0), Time(), "Negative times count as 0");
        LatencyHistogram longest;
        longest.Add(Time::Max());
        NS_TEST_EXPECT_MSG_EQ(longest.GetQuantile(0.5), Time::Max(), "The longest time has a bin");
    }
};

/**
 * @ingroup defiance-tests
 * @brief Test suite of LatencyHistogram.
 */
class LatencyHistogramTestSuite : public TestSuite
{
  public:
    LatencyHistogramTestSuite()
        : TestSuite("defiance-latency-histogram", Type::UNIT)
    {
        AddTestCase(new QuantileTestCase);
        AddTestCase(new ExactTestCase);
    }
};

static LatencyHistogramTestSuite g_latencyHistogramTestSuite; //!< Registers the suite
