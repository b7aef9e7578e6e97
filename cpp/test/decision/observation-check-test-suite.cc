// SPDX-License-Identifier: GPL-2.0-only

#include "channel-test-support.h"
#include "interface-test-support.h"

#include "ns3/config.h"
#include "ns3/opengym-builders.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <limits>

using namespace ns3;

namespace
{

constexpr float INF = std::numeric_limits<float>::infinity();

/**
 * Request a decision with an observation of a Walker's agent.
 *
 * @param observation The agent's observation.
 */
void
AskWith(Ptr<OpenGymDataContainer> observation)
{
    Walker a("a");
    OpenGymMultiAgentInterface::Get()->RequestAction("a", observation, 0);
}

} // namespace

/** Descriptions of faults. */
class FaultTextTestCase : public TestCase
{
  public:
    FaultTextTestCase()
        : TestCase("Spaces describe the fault of a value, and its position")
    {
    }

  private:
    void DoRun() override
    {
        const auto box = MakeBoxSpace<float>(2, 0, 1);
        Expect(box,
               MakeBoxContainer<float>(2, 0, -INF),
               "element 1 is -inf, but must be from 0 to 1");
        Expect(box,
               MakeBoxContainer<float>(2, NAN, 1),
               "element 0 is nan, but must be from 0 to 1");
        Expect(box,
               MakeBoxContainer<double>(2, 0, 1),
               "has element type float64, but must have float32");
        Expect(box, MakeBoxContainer<float>(3, 0, 1, 1), "has shape (3,), but must have (2,)");
        Expect(box,
               MakeDiscreteContainer(1),
               "is of class ns3::OpenGymDiscreteContainer, but must be a box");
        Expect(box, Ptr<OpenGymDataContainer>(), "is missing");
        auto half = CreateObject<OpenGymBoxContainer<float>>(std::vector<uint32_t>{2});
        half->AddValue(1);
        Expect(box, half, "holds 1 elements of its shape (2,)");
        const auto full = MakeBoxContainer<float>(2, 0, 1);
        full->AddValue(1);
        const std::string refused =
            "received elements that its shape (2,) has no room for, or that "
            "are not allowed";
        Expect(box, full, refused);
        full->SetData({0, 1});
        NS_TEST_EXPECT_MSG_EQ(box->Contains(full), true, "It is filled anew");
        full->SetData({0, 1, 0});
        Expect(box, full, refused);
        const auto matrix = OpenGymBoxSpace::Create<float>({0}, {9}, {2, 3});
        const auto flat = MakeBoxContainer(std::vector<float>(6, 1));
        Expect(matrix, flat, "has shape (6,), but must have (2,3,)");
        auto turned = CreateObject<OpenGymBoxContainer<float>>(std::vector<uint32_t>{3, 2});
        turned->SetData(std::vector<float>(6, 1));
        Expect(MakeDictSpace("a", MakeTupleSpace(matrix)),
               MakeDictContainer("a", MakeTupleContainer(turned)),
               "key 'a' item 0 has shape (3,2,), but must have (2,3,)");
        auto bits = CreateObject<OpenGymMultiBinaryContainer>(std::vector<uint32_t>{4});
        bits->SetData({0, 1, 0, 1});
        Expect(CreateObject<OpenGymMultiBinarySpace>(std::vector<uint32_t>{2, 2}),
               bits,
               "has shape (4,), but must have (2,2,)");
        const auto nested = MakeDictSpace("queue",
                                          MakeTupleSpace(MakeDiscreteSpace(3, 1), box),
                                          "z",
                                          MakeDiscreteSpace(2));
        const auto good = MakeBoxContainer<float>(2, 0, 1);
        Expect(nested,
               MakeDictContainer("queue",
                                 MakeTupleContainer(MakeDiscreteContainer(0), good),
                                 "z",
                                 MakeDiscreteContainer(0)),
               "key 'queue' item 0 is 0, but must be from 1 to 3");
        Expect(nested,
               MakeDictContainer("queue", MakeTupleContainer(MakeDiscreteContainer(3), good)),
               "key 'z' is missing");
        Expect(CreateObject<OpenGymMultiDiscreteSpace>(std::vector<int64_t>{2, 2}),
               MakeBoxContainer<int64_t>(2, 0, 0),
               "is of class ns3::OpenGymBoxContainer<int64>, but must be a multi-discrete value");
        NS_TEST_EXPECT_MSG_EQ(box->FindFault(PeekPointer(MakeBoxContainer<float>(2, 0, 7)), false),
                              "",
                              "Bounds are checked on request");
    }

    /**
     * @param space A space.
     * @param value A value outside of the space.
     * @param text The expected description.
     */
    void Expect(Ptr<const OpenGymSpace> space,
                Ptr<const OpenGymDataContainer> value,
                const std::string& text)
    {
        NS_TEST_EXPECT_MSG_EQ(space->FindFault(PeekPointer(value), true), text, "The description");
        NS_TEST_EXPECT_MSG_EQ(space->Contains(value), false, "It is not in the space");
    }
};

/** Without Python. */
class AbortTestCase : public TestCase
{
  public:
    AbortTestCase()
        : TestCase("Without Python an observation outside of its space ends the simulation")
    {
    }

  private:
    void DoRun() override
    {
        for (const auto& [observation, text] :
             std::initializer_list<std::pair<Ptr<OpenGymDataContainer>, std::string>>{
                 {MakeBoxContainer<float>(1, -INF), "element 0 is -inf"},
                 {MakeBoxContainer<float>(2, 0, 0), "has shape (2,)"},
                 {MakeDiscreteContainer(0), "must be a box"}})
        {
            NS_TEST_EXPECT_MSG_EQ(AbortsWith([&] { AskWith(observation); }, "agent 'a'"),
                                  true,
                                  "The agent is named");
            NS_TEST_EXPECT_MSG_EQ(AbortsWith([&] { AskWith(observation); }, text), true, text);
        }
        NS_TEST_EXPECT_MSG_EQ(AbortsWith(
                                  [] {
                                      Walker a("a");
                                      OpenGymMultiAgentInterface::Get()->NotifyAgentEnd(
                                          "a",
                                          MakeBoxContainer<float>(1, 2000),
                                          0,
                                          true);
                                  },
                                  "element 0 is 2000"),
                              true,
                              "The last observation is checked, too");
    }
};

/** With Python. */
class RefusedObservationTestCase : public InterfaceTestCase
{
  public:
    RefusedObservationTestCase()
        : InterfaceTestCase("Python receives the fault of an observation outside of its space")
    {
    }

  private:
    void DoRun() override
    {
        auto process = Start([] { AskWith(MakeBoxContainer<float>(1, INF)); });
        m_python.Receive();
        const auto failure = m_python.Receive().failure();
        NS_TEST_EXPECT_MSG_EQ(failure.code(),
                              defiance::v1::Failure::CODE_INVALID_OBSERVATION,
                              "Its code");
        NS_TEST_EXPECT_MSG_NE(failure.message().find("agent 'a'"), std::string::npos, "Its agent");
        NS_TEST_EXPECT_MSG_EQ(process->Wait().status, 1, "The simulation ends");
    }
};

/** The checked observations. */
class ExtentTestCase : public InterfaceTestCase
{
  public:
    ExtentTestCase()
        : InterfaceTestCase(
              "Bounds of large observations are checked periodically, or as configured")
    {
    }

  private:
    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(CountUntilRefused("auto", 1), 1, "Every small observation");
        NS_TEST_EXPECT_MSG_EQ(CountUntilRefused("auto", 1024), 4, "One large observation in four");
        NS_TEST_EXPECT_MSG_EQ(CountUntilRefused("always", 1024), 1, "Every observation");
        NS_TEST_EXPECT_MSG_EQ(CountUntilRefused("never", 1), 10, "None of ten");
    }

    /**
     * @param check Value of DEFIANCE_CHECK_BOUNDS.
     * @param size Number of elements of an observation.
     * @return how many observations out of bounds pass after a good one, until one is refused
     */
    static int CountUntilRefused(const std::string& check, uint32_t size);
};

int
ExtentTestCase::CountUntilRefused(const std::string& check, uint32_t size)
{
    ForkedSimulation process(
        [size] {
            auto interface = OpenGymMultiAgentInterface::Get();
            interface->SetGetObservationSpaceCb("a", Callback<Ptr<OpenGymSpace>>([size] {
                                                    return MakeBoxSpace<float>(size, 0, 1);
                                                }));
            interface->SetGetActionSpaceCb("a", MakeCallback(&GetWalkerActions));
            interface->RequestAction("a", MakeBoxContainer(std::vector<float>(size, 0)), 0);
            for (int i = 1; i <= 10; ++i)
            {
                std::cout << "." << std::flush;
                interface->RequestAction("a", MakeBoxContainer(std::vector<float>(size, 2)), 0);
            }
            return 0;
        },
        {{"DEFIANCE_CHECK_BOUNDS", check}});
    return static_cast<int>(process.Wait().output.size());
}

/** Observations compared with their spaces. */
class ObservationCheckTestSuite : public TestSuite
{
  public:
    ObservationCheckTestSuite()
        : TestSuite("defiance-observation-check")
    {
        AddTestCase(new FaultTextTestCase);
        AddTestCase(new AbortTestCase);
        AddTestCase(new RefusedObservationTestCase);
        AddTestCase(new ExtentTestCase);
    }
};

static ObservationCheckTestSuite g_observationCheckTestSuite; //!< Registers the suite
