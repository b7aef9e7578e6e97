// SPDX-License-Identifier: GPL-2.0-only

#include "communication-test-support.h"

using namespace ns3;

/**
 * @ingroup defiance-tests
 * @brief After SetIds(), calls work in any order; before it, they abort.
 */
class OrderTestCase : public HelperTestCase
{
  public:
    OrderTestCase()
        : HelperTestCase("Order of calls")
    {
    }

  private:
    void DoRun() override
    {
        Install();
        const auto early = observers.GetId(0);
        const auto expectAbort = [this](const std::function<void()>& run,
                                        const std::string& words) {
            NS_TEST_EXPECT_MSG_EQ(AbortsWith(run, words), true, "Should abort with: " << words);
        };
        expectAbort([&] { communication.Configure(); }, "call SetIds() before");
        expectAbort(
            [&] {
                communication.AddCommunication({{early, agents.GetId(0), {}}});
            },
            "call SetIds() before");
        communication.SetIds();
        expectAbort(
            [&] {
                communication.AddCommunication({{early, agents.GetId(0), {}}});
            },
            "taken before SetIds()");
        expectAbort(
            [&] {
                communication.AddCommunication({{agents.GetId(0), {ACTION, 7}, {}}});
            },
            "no application action_7 among 2");
        expectAbort(
            [&] {
                communication.AddCommunication({{observers.GetId(0), rewards.GetId(0)}});
            },
            "cannot exchange messages");
        expectAbort([&] { communication.SetAgentApps(actions); }, "cannot be set as agent");
        expectAbort([&] { communication.SetRewardApps(observers); }, "cannot be set as reward");
        communication.Configure();
        communication.AddCommunication({{observers.GetId(0), agents.GetId(0), {}}});
        communication.Configure();
        communication.SetIds();
        RlApplicationHelper installer(RecordingAgent::GetTypeId());
        agents.Add(installer.Install(topology->nodes.Get(2)));
        communication.SetAgentApps(agents);
        expectAbort([&] { communication.Configure(); }, "after the last Set...Apps()");
        communication.SetIds();
        communication.Configure();
        communication.AddCommunication({{observers.GetId(0), agents.GetId(2), {}}});
        At(Seconds(1), [&] { Get<ManualObservation>(observers)->Send(MakeNumberMessage(1)); });
        Simulator::Stop(Seconds(2));
        Simulator::Run();

        NS_TEST_EXPECT_MSG_EQ(Get<ManualObservation>(observers)->setups,
                              1,
                              "Each application is set up once");
        NS_TEST_EXPECT_MSG_EQ(Get<RecordingAgent>(agents)->observations.size(),
                              1,
                              "It receives messages");
        NS_TEST_EXPECT_MSG_EQ(Get<RecordingAgent>(agents, 2)->observations.size(),
                              1,
                              "An agent that was added later is set up, too");
        NS_TEST_EXPECT_MSG_EQ(communication.GetApp({AGENT, 2}), agents.Get(2), "which has an id");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief Test suite of CommunicationHelper: order of calls.
 */
class CommunicationOrderTestSuite : public TestSuite
{
  public:
    CommunicationOrderTestSuite()
        : TestSuite("defiance-communication-order", Type::UNIT)
    {
        AddTestCase(new OrderTestCase);
    }
};

static CommunicationOrderTestSuite g_communicationOrderTestSuite; //!< Registers the suite
