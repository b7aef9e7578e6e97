// SPDX-License-Identifier: GPL-2.0-only

#include "flatten-values.h"

#include "ns3/opengym-builders.h"
#include "ns3/test.h"

#include <limits>

using namespace ns3;

namespace
{

/** @return a space of each kind that can be flattened, in a dict with unordered keys */
Ptr<OpenGymSpace>
MakeSpace()
{
    const auto binary = CreateObject<OpenGymMultiBinarySpace>(std::vector<uint32_t>{2, 2});
    const auto multi = CreateObject<OpenGymMultiDiscreteSpace>(std::vector<int64_t>{3, 2},
                                                               std::vector<int64_t>{0, -1});
    return MakeDictSpace("tuple",
                         MakeTupleSpace(multi, MakeBoxSpace<uint8_t>(1, 0, 255)),
                         "discrete",
                         MakeDiscreteSpace(5, -2),
                         "box",
                         OpenGymBoxSpace::Create<double>({-9}, {9}, {2, 2}),
                         "binary",
                         binary);
}

/** @return a value of that space */
Ptr<OpenGymDataContainer>
MakeValue()
{
    const auto binary = CreateObject<OpenGymMultiBinaryContainer>(std::vector<uint32_t>{2, 2});
    binary->SetData({1, 0, 0, 1});
    const auto multi = CreateObject<OpenGymMultiDiscreteContainer>();
    multi->SetData({2, -1});
    const auto box = CreateObject<OpenGymBoxContainer<double>>(std::vector<uint32_t>{2, 2});
    box->SetData({0.5, -1.5, 2.25, 9});
    return MakeDictContainer("binary",
                             binary,
                             "box",
                             box,
                             "discrete",
                             MakeDiscreteContainer(1),
                             "tuple",
                             MakeTupleContainer(multi, MakeBoxContainer<uint8_t>(1, 200)));
}

} // namespace

/** Observations. */
class FlattenTestCase : public TestCase
{
  public:
    FlattenTestCase()
        : TestCase("A value of every kind is flattened as by Gymnasium")
    {
    }

  private:
    void DoRun() override
    {
        const auto space = MakeSpace();
        const auto value = MakeValue();
        NS_TEST_ASSERT_MSG_EQ(space->Contains(value), true, "It is of the space");
        // tests/experiments/training/test_policy_file.py has those of gymnasium.spaces.flatten.
        const std::vector<float> expected{1,
                                          0,
                                          0,
                                          1, // binary
                                          0.5F,
                                          -1.5F,
                                          2.25F,
                                          9, // box
                                          0,
                                          0,
                                          0,
                                          1,
                                          0, // discrete: 1 of -2, ..., 2
                                          0,
                                          0,
                                          1,
                                          1,
                                          0,
                                          200}; // tuple: 2 of 3, -1 of 2, 200
        std::vector<float> flat;
        AppendFlat(*space, *value, flat);
        NS_TEST_EXPECT_MSG_EQ((flat == expected), true, "The numbers");
        NS_TEST_EXPECT_MSG_EQ(*GetFlatSize(*space), expected.size(), "How many");
        const auto text = CreateObject<OpenGymTextSpace>(5, 1, "abc");
        NS_TEST_EXPECT_MSG_EQ(GetFlatSize(*text).has_value(), false, "A text has no numbers");
        NS_TEST_EXPECT_MSG_EQ(GetFlatSize(*MakeTupleSpace(space, text)).has_value(),
                              false,
                              "In any position");
    }
};

/** Actions. */
class MakeActionTestCase : public TestCase
{
  public:
    MakeActionTestCase()
        : TestCase("The outputs of a policy become an action of each supported space")
    {
    }

  private:
    /**
     * @param space A space.
     * @param numbers Outputs of a policy.
     * @return the printed action
     */
    std::string Make(Ptr<OpenGymSpace> space, const std::vector<double>& numbers)
    {
        NS_TEST_EXPECT_MSG_EQ(GetActionSize(*space).value_or(99), numbers.size(), "How many");
        const auto action = MakeAction(*space, numbers);
        NS_TEST_EXPECT_MSG_EQ(space->Contains(action), true, action << " is of " << space);
        std::ostringstream printed;
        printed << action;
        return printed.str();
    }

    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(Make(MakeDiscreteSpace(5, -2), {-2}), "-2", "Discrete");
        const auto multi = CreateObject<OpenGymMultiDiscreteSpace>(std::vector<int64_t>{3, 2});
        NS_TEST_EXPECT_MSG_EQ(Make(multi, {2, 1}), "[2, 1]", "MultiDiscrete");
        const auto binary = CreateObject<OpenGymMultiBinarySpace>(std::vector<uint32_t>{2, 2});
        NS_TEST_EXPECT_MSG_EQ(Make(binary, {1, 0, 0, 1}), "[1, 0, 0, 1]", "MultiBinary");
        const auto box = MakeBoxSpace<double>({-1, 0}, {1, 0.1});
        // The nearest float to 0.1 is larger than the bound.
        NS_TEST_EXPECT_MSG_EQ(Make(box, {-2, 0.1F}), "[-1, 0.1]", "A box, within its bounds");
        const auto single = MakeBoxSpace<float>(3, -1, 1);
        NS_TEST_EXPECT_MSG_EQ(Make(single, {-3, 0.25, 3}), "[-1, 0.25, 1]", "One bound for all");
        NS_TEST_EXPECT_MSG_EQ(GetActionSize(*MakeBoxSpace<int32_t>(3, -1, 1)).has_value(),
                              false,
                              "No box of integers");
        NS_TEST_EXPECT_MSG_EQ(GetActionSize(*MakeTupleSpace(single)).has_value(),
                              false,
                              "No tuple");
        const auto nan = std::numeric_limits<double>::quiet_NaN();
        NS_TEST_EXPECT_MSG_EQ(single->Contains(MakeAction(*single, {0, nan, 0})),
                              false,
                              "NaN stays NaN");
        NS_TEST_EXPECT_MSG_EQ(multi->Contains(MakeAction(*multi, {3, 0})), false, "Out of range");
    }
};

/** Values of spaces as numbers. */
class FlattenValuesTestSuite : public TestSuite
{
  public:
    FlattenValuesTestSuite()
        : TestSuite("defiance-flatten-values")
    {
        AddTestCase(new FlattenTestCase);
        AddTestCase(new MakeActionTestCase);
    }
};

static FlattenValuesTestSuite g_flattenValuesTestSuite; //!< Registers the suite
