// SPDX-License-Identifier: GPL-2.0-only

#include "printing.h"

#include "ns3/integer.h"
#include "ns3/object-factory.h"
#include "ns3/opengym-builders.h"
#include "ns3/test.h"

#include <limits>
#include <set>
#include <sstream>

using namespace ns3;

namespace
{

/** @return a source of random numbers with a separate stream */
Ptr<UniformRandomVariable>
MakeRandom()
{
    return CreateObjectWithAttributes<UniformRandomVariable>("Stream", IntegerValue(1));
}

} // namespace

/** Samples belong to the space and reach all of its values. */
class SampleTestCase : public TestCase
{
  public:
    SampleTestCase()
        : TestCase("Samples and constants belong to their space")
    {
    }

  private:
    /**
     * @param space A space.
     */
    void Check(Ptr<OpenGymSpace> space)
    {
        const auto random = MakeRandom();
        for (int i = 0; i < 200; ++i)
        {
            const auto sample = space->Sample(random);
            NS_TEST_ASSERT_MSG_EQ(space->Contains(sample), true, sample << " in " << space);
        }
        for (const double value : {-1e30, -1.0, 0.0, 0.4, 3.0, 1e30})
        {
            const auto constant = space->Constant(value);
            NS_TEST_ASSERT_MSG_EQ(space->Contains(constant), true, constant << " in " << space);
        }
    }

    void DoRun() override
    {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        constexpr double largest = std::numeric_limits<double>::max();
        Check(MakeBoxSpace<float>(3, -1, 1));
        Check(MakeBoxSpace<double>({-infinity, -infinity, 5, -largest},
                                   {infinity, -5, infinity, largest}));
        Check(MakeBoxSpace<int8_t>(4, -128, 127));
        Check(MakeBoxSpace<uint64_t>(2, 1, std::numeric_limits<uint64_t>::max()));
        Check(MakeBoxSpace<int64_t>(2,
                                    std::numeric_limits<int64_t>::min(),
                                    std::numeric_limits<int64_t>::max()));
        Check(CreateObject<OpenGymBoxSpace>(0.0F, 1.0F, std::vector<uint32_t>{2, 0}, "float"));
        Check(MakeDiscreteSpace(3, -1));
        Check(MakeDiscreteSpace(std::numeric_limits<int64_t>::max()));
        Check(CreateObject<OpenGymMultiDiscreteSpace>(std::vector<int64_t>{1, 5},
                                                      std::vector<int64_t>{-3, 7}));
        Check(CreateObject<OpenGymMultiBinarySpace>(std::vector<uint32_t>{2, 3}));
        Check(CreateObject<OpenGymTextSpace>(5, 0, "a\xC3\xBC"));
        Check(CreateObject<OpenGymTextSpace>(0, 0, ""));
        Check(MakeTupleSpace(MakeDiscreteSpace(2), MakeBoxSpace<float>(1, 0, 1)));
        Check(MakeDictSpace("a", MakeDiscreteSpace(2), "b", MakeTupleSpace(MakeDiscreteSpace(9))));
    }
};

/** Draws are uniform and repeatable. */
class SampleSpreadTestCase : public TestCase
{
  public:
    SampleSpreadTestCase()
        : TestCase("Samples reach every value and repeat with their stream")
    {
    }

  private:
    void DoRun() override
    {
        const auto space = MakeDiscreteSpace(4, -1);
        const auto random = MakeRandom();
        const auto again = MakeRandom();
        std::set<int64_t> values;
        for (int i = 0; i < 100; ++i)
        {
            const auto draw = DynamicCast<OpenGymDiscreteContainer>(space->Sample(random));
            values.insert(draw->GetValue());
            NS_TEST_ASSERT_MSG_EQ(Print(space->Sample(again)), Print(draw), "The same stream");
        }
        NS_TEST_EXPECT_MSG_EQ(values.size(), 4, "Each of the four values is drawn");

        const auto wide = MakeBoxSpace<uint64_t>(1, 0, std::numeric_limits<uint64_t>::max());
        uint64_t bits = 0;
        for (int i = 0; i < 100; ++i)
        {
            bits |= DynamicCast<OpenGymBoxContainer<uint64_t>>(wide->Sample(random))->GetValue(0);
        }
        NS_TEST_EXPECT_MSG_EQ(bits, std::numeric_limits<uint64_t>::max(), "Each bit is drawn");
    }
};

/** Constants are the nearest value. */
class ConstantTestCase : public TestCase
{
  public:
    ConstantTestCase()
        : TestCase("A constant is the value of the space that is nearest to the number")
    {
    }

  private:
    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(Print(MakeDiscreteSpace(3, 5)->Constant(6)), "6", "Inside");
        NS_TEST_EXPECT_MSG_EQ(Print(MakeDiscreteSpace(3, 5)->Constant(0)), "5", "Below");
        NS_TEST_EXPECT_MSG_EQ(Print(MakeDiscreteSpace(3, 5)->Constant(99)), "7", "Above");
        NS_TEST_EXPECT_MSG_EQ(Print(MakeBoxSpace<float>({0, -1}, {1, 9})->Constant(2.5)),
                              "[1, 2.5]",
                              "Each element has its own bounds");
        NS_TEST_EXPECT_MSG_EQ(Print(MakeBoxSpace<int16_t>(1, -9, 9)->Constant(2.6)), "[3]", "Near");
        NS_TEST_EXPECT_MSG_EQ(Print(CreateObject<OpenGymTextSpace>(9, 2, "xy")->Constant(7)),
                              "\"xx\"",
                              "A text of the least length");
    }
};

/** Samples and constants of spaces. */
class SpaceSampleTestSuite : public TestSuite
{
  public:
    SpaceSampleTestSuite()
        : TestSuite("defiance-space-sample")
    {
        AddTestCase(new SampleTestCase);
        AddTestCase(new SampleSpreadTestCase);
        AddTestCase(new ConstantTestCase);
    }
};

static SpaceSampleTestSuite g_spaceSampleTestSuite; //!< Registers the suite
