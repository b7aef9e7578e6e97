// SPDX-License-Identifier: GPL-2.0-only

#include "byte-stream.h"
#include "spin-limit.h"

#include "ns3/abort.h"
#include "ns3/test.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <ctime>
#include <optional>

using namespace ns3;

namespace
{

int g_watched = -1; //!< Descriptor whose readers are watched
int g_looks = 0;    //!< Number of reads there without waiting
int g_message = -1; //!< Descriptor to which a message is written at the first poll, or -1

} // namespace

/**
 * Replace libc's function in this whole program, to count polls.
 *
 * @param items As of libc's.
 * @param count As of libc's.
 * @param timeout As of libc's.
 * @return what libc's returns
 */
extern "C" int
poll(pollfd* items, nfds_t count, int timeout)
{
    if (count == 1 && items->fd == g_watched && timeout == 0 && ++g_looks == 1 && g_message >= 0)
    {
        NS_ABORT_UNLESS(write(g_message, "answer", 6) == 6);
    }
    const timespec limit{timeout / 1000, timeout % 1000 * 1'000'000L};
    return ppoll(items, count, timeout < 0 ? nullptr : &limit, nullptr);
}

/** Waits with artificial times. */
class SpinLimitTestCase : public TestCase
{
  public:
    using TestCase::TestCase;

  protected:
    /**
     * Compute, and wait.
     *
     * @param limit The polling limit.
     * @param computed Duration of the computation, in microseconds.
     * @param answered Whether the answer arrives during the poll.
     * @return the longest polling time, in microseconds
     */
    double Wait(SpinLimit& limit, int64_t computed, bool answered)
    {
        m_now += std::chrono::microseconds(computed);
        const auto looked = limit.Begin(m_now).count();
        limit.Note(answered);
        m_now += std::chrono::seconds(1);
        limit.End(m_now);
        return looked;
    }

  private:
    SpinLimit::Time m_now; //!< The last instant
};

/** The rule of an adaptive limit. */
class AdaptiveLimitTestCase : public SpinLimitTestCase
{
  public:
    AdaptiveLimitTestCase()
        : SpinLimitTestCase("A tenth of the computing time, if that is worth it, up to a maximum")
    {
    }

  private:
    void DoRun() override
    {
        SpinLimit limit;
        NS_TEST_EXPECT_MSG_EQ(Wait(limit, 10'000, true), 0, "Nothing is known at first");
        NS_TEST_EXPECT_MSG_EQ(Wait(limit, 1'500, true), 150, "A tenth of the time");
        NS_TEST_EXPECT_MSG_EQ(Wait(limit, 50, true), 5, "The minimum");
        NS_TEST_EXPECT_MSG_EQ(Wait(limit, 49, true), 0, "Not worth a poll");
        NS_TEST_EXPECT_MSG_EQ(Wait(limit, 60'000'000, true), 200, "The maximum");
    }
};

/** Limits if answers take longer. */
class VainLimitTestCase : public SpinLimitTestCase
{
  public:
    VainLimitTestCase()
        : SpinLimitTestCase(
              "After polling in vain, a simulation waits without polling, ever longer")
    {
    }

  private:
    /**
     * @param limit The polling limit.
     * @return the number of waits without polling until the next poll
     */
    int CountPassed(SpinLimit& limit)
    {
        int passed = 0;
        while (Wait(limit, 1000, false) == 0)
        {
            ++passed;
        }
        return passed;
    }

    void DoRun() override
    {
        SpinLimit limit;
        Wait(limit, 0, false);
        NS_TEST_EXPECT_MSG_EQ(CountPassed(limit), 0, "The first poll");
        for (const int expected : {1, 3, 7, 15, 15, 15})
        {
            NS_TEST_EXPECT_MSG_EQ(CountPassed(limit), expected, "Twice as many, up to a limit");
        }
        for (int i = 0; i < 15; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(Wait(limit, 1000, true), 0, "There is no poll");
        }
        for (int i = 0; i < 3; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(Wait(limit, 1000, true),
                                  100,
                                  "An answer in time resets the limit");
        }
        NS_TEST_EXPECT_MSG_EQ(Wait(limit, 1000, false), 100, "In vain again");
        NS_TEST_EXPECT_MSG_EQ(CountPassed(limit), 1, "like the first time");
    }
};

/** A fixed limit. */
class FixedLimitTestCase : public SpinLimitTestCase
{
  public:
    FixedLimitTestCase()
        : SpinLimitTestCase("A fixed limit never changes")
    {
    }

  private:
    void DoRun() override
    {
        for (const double microseconds : {0.0, 0.5, 700.0})
        {
            SpinLimit limit(microseconds);
            for (const int64_t computed : {0, 1, 1'000'000})
            {
                NS_TEST_EXPECT_MSG_EQ(Wait(limit, computed, false),
                                      microseconds,
                                      "The fixed value");
            }
        }
    }
};

/** A stream and its limit. */
class LookingTestCase : public TestCase
{
  public:
    LookingTestCase()
        : TestCase("A stream polls before it sleeps, as long as its limit")
    {
    }

  private:
    /**
     * Read a message, which arrives at the first poll if there is one, or else immediately.
     *
     * @param limit Polling time, in microseconds.
     */
    void Read(std::optional<double> limit)
    {
        std::array<int, 2> ends{};
        NS_TEST_ASSERT_MSG_EQ(pipe(ends.data()), 0, "A pipe");
        ByteStream stream(limit);
        stream.Open(ends[0], -1);
        const bool looks = limit && *limit > 0;
        if (!looks)
        {
            NS_TEST_ASSERT_MSG_EQ(write(ends[1], "answer", 6), 6, "The message");
        }
        g_watched = ends[0];
        g_message = looks ? ends[1] : -1;
        g_looks = 0;
        NS_TEST_EXPECT_MSG_EQ(stream.Read(6), "answer", "The message");
        NS_TEST_EXPECT_MSG_EQ(g_looks, (looks ? 1 : 0), "It polls until the message arrives");
        g_watched = -1;
        close(ends[1]);
    }

    void DoRun() override
    {
        Read(1000);
        Read(0);
        Read(std::nullopt);
    }
};

/** The polling time of a simulation. */
class SpinLimitTestSuite : public TestSuite
{
  public:
    SpinLimitTestSuite()
        : TestSuite("defiance-spin-limit")
    {
        AddTestCase(new AdaptiveLimitTestCase);
        AddTestCase(new VainLimitTestCase);
        AddTestCase(new FixedLimitTestCase);
        AddTestCase(new LookingTestCase);
    }
};

static SpinLimitTestSuite g_spinLimitTestSuite; //!< Registers the suite
