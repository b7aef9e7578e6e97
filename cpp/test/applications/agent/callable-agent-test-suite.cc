// SPDX-License-Identifier: GPL-2.0-only

#include "application-test-support.h"

#include "ns3/callable-action-application.h"
#include "ns3/callable-agent-application.h"
#include "ns3/callable-collector.h"
#include "ns3/communication-helper.h"
#include "ns3/test.h"

using namespace ns3;

/**
 * @ingroup defiance-tests
 * @brief A scenario without classes: it observes, decides, acts, and is rewarded.
 */
class CallableScenarioTestCase : public TestCase
{
  public:
    CallableScenarioTestCase()
        : TestCase("A scenario made from functions")
    {
    }

  private:
    void DoRun() override
    {
        NodeContainer nodes(2);
        RlApplicationHelper helper;
        std::vector<int64_t> actions;
        const auto space = MakeBoxSpace<int32_t>(1, 0, 9);
        const auto seen = [] { return MakeBoxContainer<int32_t>(1, 7); };
        const auto act = [&](Ptr<OpenGymDataContainer> action) {
            actions.push_back(DynamicCast<OpenGymDiscreteContainer>(action)->GetValue());
        };
        const auto observers =
            helper.Install<CallableObservationApplication>(nodes.Get(0), MilliSeconds(10), seen);
        const auto actors = helper.Install<CallableActionApplication>(nodes.Get(0), act);
        auto agents =
            helper.Install<CallableAgentApplication>(nodes.Get(1), space, MakeDiscreteSpace(1, 4));
        helper.SetAttribute("StepInterval", TimeValue(MilliSeconds(8)));
        agents.Add(helper.Install<CallableAgentApplication>(nodes.Get(1),
                                                            space,
                                                            MakeDiscreteSpace(1, 5),
                                                            seen));
        CommunicationHelper communication;
        communication.Connect(observers, agents.Get(0));
        communication.Connect(agents, actors);
        communication.Configure();
        Simulator::Stop(MilliSeconds(29));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ((actions == std::vector<int64_t>{5, 4, 5, 4, 5}),
                              true,
                              "One agent decides on each observation, one observes by itself");
        Simulator::Destroy();
        CheckMisuse();
    }

    /// Check the requirements of an agent.
    void CheckMisuse()
    {
        const auto space = MakeDiscreteSpace(2);
        const auto expectAbort = [this](const std::function<void()>& run,
                                        const std::string& words) {
            NS_TEST_EXPECT_MSG_EQ(AbortsWith(run, words), true, "Should abort with: " << words);
        };
        expectAbort([&] { CreateObject<CallableAgentApplication>(space, nullptr); },
                    "needs both spaces");
        expectAbort(
            [&] {
                const auto agent = CreateObject<CallableAgentApplication>(space, space, [&] {
                    return MakeDiscreteContainer(1);
                });
                agent->SetId({AGENT, 0});
                agent->Setup();
            },
            "agent_0 would never observe: set its StepInterval");
    }
};

/**
 * @ingroup defiance-tests
 * @brief Test suite of CallableAgentApplication.
 */
class CallableAgentTestSuite : public TestSuite
{
  public:
    CallableAgentTestSuite()
        : TestSuite("defiance-callable-agent", Type::UNIT)
    {
        AddTestCase(new CallableScenarioTestCase);
    }
};

static CallableAgentTestSuite g_callableAgentTestSuite; //!< Registers the suite
