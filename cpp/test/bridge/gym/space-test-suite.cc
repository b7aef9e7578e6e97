// SPDX-License-Identifier: GPL-2.0-only

#include "fake-python.h"

#include "ns3/opengym-builders.h"
#include "ns3/test.h"
#include "ns3/type-name.h"

#include <cmath>
#include <csignal>
#include <limits>

using namespace ns3;

/** The values in a box space. */
class BoxSpaceContainsTestCase : public TestCase
{
  public:
    BoxSpaceContainsTestCase()
        : TestCase("A box space contains values of its type, its shape and its bounds")
    {
    }

  private:
    void DoRun() override
    {
        const auto space = MakeBoxSpace<float>({-1, 0}, {1, 10});
        const auto has = [&space](Ptr<OpenGymDataContainer> value) {
            return space->Contains(value);
        };
        NS_TEST_EXPECT_MSG_EQ(has(MakeBoxContainer<float>(2, -1, 10)), true, "Bounds belong to it");
        NS_TEST_EXPECT_MSG_EQ(has(MakeBoxContainer<float>(2, 0.5, 10.5)), false, "Above");
        NS_TEST_EXPECT_MSG_EQ(has(MakeBoxContainer<float>(2, -1.5, 1)), false, "Below");
        NS_TEST_EXPECT_MSG_EQ(has(MakeBoxContainer<float>(2, NAN, 1)), false, "NaN");
        NS_TEST_EXPECT_MSG_EQ(has(MakeBoxContainer<double>(2, 0, 1)), false, "Another type");
        NS_TEST_EXPECT_MSG_EQ(has(MakeBoxContainer<float>(1, 0)), false, "Another size");
        NS_TEST_EXPECT_MSG_EQ(has(nullptr), false, "Nothing");
        NS_TEST_EXPECT_MSG_EQ(has(MakeDiscreteContainer(0)), false, "Another kind");
        auto matrix = CreateObject<OpenGymBoxContainer<float>>(std::vector<uint32_t>{1, 2});
        matrix->SetData({0, 0});
        NS_TEST_EXPECT_MSG_EQ(has(matrix), false, "Another shape of the same size");
        auto half = CreateObject<OpenGymBoxContainer<float>>(std::vector<uint32_t>{2});
        half->AddValue(0);
        NS_TEST_EXPECT_MSG_EQ(has(half), false, "Not filled");
    }
};

/** Integer bounds are exact. */
class BoxSpaceExactTestCase : public TestCase
{
  public:
    BoxSpaceExactTestCase()
        : TestCase("Bounds of 64-bit integers are exact, bounds given as float fit the type")
    {
    }

  private:
    void DoRun() override
    {
        constexpr int64_t large = (int64_t{1} << 53) + 1; // no double is equal to it
        const auto exact = OpenGymBoxSpace::Create<int64_t>({large}, {large}, {1});
        NS_TEST_EXPECT_MSG_EQ(exact->Contains(MakeBoxContainer<int64_t>(1, large)), true, "Equal");
        NS_TEST_EXPECT_MSG_EQ(exact->Contains(MakeBoxContainer<int64_t>(1, large - 1)),
                              false,
                              "One less");

        for (const auto& bound : {large, -large})
        {
            const auto same =
                CreateObject<OpenGymBoxSpace>(bound, bound, std::vector<uint32_t>{1}, "int64");
            NS_TEST_EXPECT_MSG_EQ(same->Contains(MakeBoxContainer<int64_t>(1, bound)),
                                  true,
                                  "An integer is not a float");
        }
        const auto widest = CreateObject<OpenGymBoxSpace>(std::numeric_limits<int64_t>::min(),
                                                          std::numeric_limits<uint64_t>::max(),
                                                          std::vector<uint32_t>{1},
                                                          "uint64");
        std::ostringstream printed;
        printed << widest;
        NS_TEST_EXPECT_MSG_EQ(printed.str(),
                              "Box([0], [18446744073709551615], (1,), uint64)",
                              "All bounds");
        const auto few = CreateObject<OpenGymBoxSpace>(uint64_t{3},
                                                       std::numeric_limits<uint64_t>::max(),
                                                       std::vector<uint32_t>{1},
                                                       "int8");
        NS_TEST_EXPECT_MSG_EQ(few->GetHigh()->GetAsDouble(0), 127, "The range of the type");

        const auto bytes = CreateObject<OpenGymBoxSpace>(-5.0F,
                                                         1e9F,
                                                         std::vector<uint32_t>{1},
                                                         TypeNameGet<uint8_t>());
        NS_TEST_EXPECT_MSG_EQ(bytes->GetLow()->GetAsDouble(0), 0, "No byte is less than 0");
        NS_TEST_EXPECT_MSG_EQ(bytes->GetHigh()->GetAsDouble(0), 255, "nor more than 255");

        const auto inner = CreateObject<OpenGymBoxSpace>(std::vector<float>{0.5F},
                                                         std::vector<float>{2.5F},
                                                         std::vector<uint32_t>{1},
                                                         "int");
        NS_TEST_EXPECT_MSG_EQ(inner->GetLow()->GetAsDouble(0), 1, "1 is the first integer inside");
        NS_TEST_EXPECT_MSG_EQ(inner->GetHigh()->GetAsDouble(0), 2, "2 is the last");
    }
};

/** Membership in the other spaces. */
class OtherSpacesTestCase : public TestCase
{
  public:
    OtherSpacesTestCase()
        : TestCase("Each space contains its own values only")
    {
    }

  private:
    void DoRun() override
    {
        const auto discrete = MakeDiscreteSpace(2, -1);
        NS_TEST_EXPECT_MSG_EQ(discrete->Contains(MakeDiscreteContainer(-1)), true, "Least");
        NS_TEST_EXPECT_MSG_EQ(discrete->Contains(MakeDiscreteContainer(1)), false, "Beyond");

        const auto multi = CreateObject<OpenGymMultiDiscreteSpace>(std::vector<int64_t>{2, 3});
        auto choices = CreateObject<OpenGymMultiDiscreteContainer>();
        choices->SetData({1, 2});
        NS_TEST_EXPECT_MSG_EQ(multi->Contains(choices), true, "Largest of each");
        choices->SetValue(0, 2);
        NS_TEST_EXPECT_MSG_EQ(multi->Contains(choices), false, "2 is beyond the first");

        const auto text = CreateObject<OpenGymTextSpace>(2, 1, "a\xC3\xBC");
        const auto hasText = [&text](const char* value) {
            return text->Contains(CreateObject<OpenGymTextContainer>(value));
        };
        NS_TEST_EXPECT_MSG_EQ(hasText("\xC3\xBC\xC3\xBC"), true, "Two characters in four bytes");
        NS_TEST_EXPECT_MSG_EQ(hasText("aaa"), false, "Three");
        NS_TEST_EXPECT_MSG_EQ(hasText(""), false, "None");
        NS_TEST_EXPECT_MSG_EQ(hasText("b"), false, "One that is not in the set");

        const auto dict = MakeDictSpace("x", discrete);
        const auto zero = MakeDiscreteContainer(0);
        NS_TEST_EXPECT_MSG_EQ(dict->Contains(MakeDictContainer("x", zero)),
                              true,
                              "The required entry");
        NS_TEST_EXPECT_MSG_EQ(dict->Contains(MakeDictContainer("y", zero)), false, "Another key");
        NS_TEST_EXPECT_MSG_EQ(dict->Contains(MakeDictContainer("x", zero, "y", zero)),
                              false,
                              "One entry too many");
        const auto tuple = MakeTupleSpace(discrete, discrete);
        NS_TEST_EXPECT_MSG_EQ(tuple->Contains(MakeTupleContainer(zero)),
                              false,
                              "One element missing");
    }
};

/** The message about an element has its name. */
class ElementNamesTestCase : public TestCase
{
  public:
    ElementNamesTestCase()
        : TestCase("The message about a wrong element contains its name")
    {
    }

  private:
    void DoRun() override
    {
        const auto space = MakeBoxSpace<float>(2, 0, 1);
        space->SetElementNames({"load", "loss"});
        NS_TEST_EXPECT_MSG_EQ(space->FindFault(PeekPointer(MakeBoxContainer<float>(2, 0, 2)), true),
                              "element 1 (loss) is 2, but must be from 0 to 1",
                              "The second element");
    }
};

/** Invalid spaces are refused with the reason. */
class RefusedSpacesTestCase : public TestCase
{
  public:
    RefusedSpacesTestCase()
        : TestCase("An invalid space or container aborts with the reason")
    {
    }

  private:
    /**
     * @param make Makes an invalid object.
     * @param message Part of the expected message.
     */
    void Expect(const std::function<void()>& make, const std::string& message)
    {
        const auto run = [&make] {
            make();
            return 0;
        };
        const auto end = ForkedSimulation(run, {}).Wait();
        NS_TEST_EXPECT_MSG_EQ(end.exited, false, "It aborts: " << message);
        NS_TEST_EXPECT_MSG_EQ(end.status, SIGABRT, "It aborts: " << message);
        NS_TEST_EXPECT_MSG_NE(end.errors.find(message),
                              std::string::npos,
                              "'" << message << "' in: " << end.errors);
    }

    void DoRun() override
    {
        Expect([] { MakeDiscreteSpace(0); }, "holds at least one integer, not 0");
        Expect([] { MakeDiscreteSpace(2, std::numeric_limits<int64_t>::max()); },
               "exceeds 64 bits");
        Expect([] { MakeBoxSpace<float>(1, 2, 1); }, "lower bound 2 and upper bound 1");
        Expect([] { MakeBoxSpace<float>(1, NAN, 1); }, "lower bound nan");
        Expect([] { OpenGymBoxSpace::Create<float>({0, 0}, {1, 1}, {3}); }, "was given 2 bounds");
        Expect([] { CreateObject<OpenGymBoxSpace>(0, 1, std::vector<uint32_t>{1}, "float16"); },
               "'float16' is not an element type");
        Expect([] { CreateObject<OpenGymTextSpace>(1, 2); }, "least length 2");
        Expect([] { CreateObject<OpenGymTextSpace>(2, 1, "aa"); }, "given twice");
        Expect([] { MakeBoxContainer<float>(2, 1)->GetSize(); }, "was given 1");
        Expect([] { MakeBoxContainer<float>(1, 1)->GetValue(1); }, "Element 1 was requested");
        Expect([] { MakeDictSpace("a", MakeDiscreteSpace(1), "a", MakeDiscreteSpace(1)); },
               "Entry 'a' of a dict");
        Expect([] { MakeBoxSpace<float>(2, 0, 1)->SetElementNames({"x"}); },
               "2 elements was given 1 names");
        Expect(
            [] {
                MakeBoxSpace<float>(2, 0, 1)->SetElementNames({"x", "x"});
            },
            "Two elements are called 'x'");
        Expect([] { MakeBoxSpace<float>(1, 0, 1)->SetElementNames({""}); },
               "The name '' of an element is empty");
        Expect(
            [] {
                constexpr uint32_t huge = 4000000000;
                CreateObject<OpenGymBoxContainer<float>>(std::vector<uint32_t>{huge, huge, huge});
            },
            "too many elements");
    }
};

/** Spaces. */
class SpaceTestSuite : public TestSuite
{
  public:
    SpaceTestSuite()
        : TestSuite("defiance-space")
    {
        AddTestCase(new BoxSpaceContainsTestCase);
        AddTestCase(new BoxSpaceExactTestCase);
        AddTestCase(new OtherSpacesTestCase);
        AddTestCase(new ElementNamesTestCase);
        AddTestCase(new RefusedSpacesTestCase);
    }
};

static SpaceTestSuite g_spaceTestSuite; //!< Registers the suite
