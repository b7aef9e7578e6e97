// SPDX-License-Identifier: GPL-2.0-only

#include "application-test-support.h"

#include "ns3/boolean.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

using namespace ns3;

/**
 * @ingroup defiance-tests
 * @brief An agent that has ended is silent, others continue.
 */
class AgentEndTestCase : public TestCase
{
  public:
    AgentEndTestCase()
        : TestCase("End of agents")
    {
    }

  private:
    void DoRun() override
    {
        const auto agent = InstallOnNewNode<RecordingAgent>({AGENT, 0});
        const auto other = InstallOnNewNode<RecordingAgent>({AGENT, 1});
        const auto last = InstallOnNewNode<RecordingAgent>({AGENT, 2});
        const auto observer = InstallOnNewNode<ManualObservation>({OBSERVATION, 0});
        const auto action = InstallOnNewNode<RecordingAction>({ACTION, 0});
        for (const auto& each : {agent, other})
        {
            each->isInferringAtOnce = true;
            each->SetAttribute("ActionDelay", TimeValue(MilliSeconds(10)));
            Link(observer, each);
            Link(each, action);
        }
        const auto interface = OpenGymMultiAgentInterface::Get();
        At(Seconds(1), [&] { observer->Send(MakeNumberMessage(1)); });
        At(Seconds(2), [&] { observer->Send(MakeNumberMessage(2)); });
        At(Seconds(2) + MilliSeconds(5), [&] {
            agent->m_reward = 3;
            agent->Terminate();
            agent->Truncate();
        });
        At(Seconds(3), [&] {
            observer->Send(MakeNumberMessage(3));
            agent->InferAction();
        });
        At(Seconds(4), [&] { other->Truncate(); });
        Simulator::Stop(Seconds(5));
        Simulator::Run();

        NS_TEST_EXPECT_MSG_EQ((action->actions == Receipts{{0, 5}, {1, 5}, {1, 5}, {1, 5}}),
                              true,
                              "After its end, an agent neither acts nor decides");
        NS_TEST_EXPECT_MSG_EQ(agent->observations.size(), 2, "It does not react to messages");
        NS_TEST_EXPECT_MSG_EQ(agent->m_reward, 0, "Its last reward is delivered");
        NS_TEST_EXPECT_MSG_EQ(agent->HasEnded() && interface->HasEnded("agent_0"),
                              true,
                              "The environment receives its termination");
        NS_TEST_EXPECT_MSG_EQ(other->HasEnded() && interface->HasEnded("agent_1"),
                              true,
                              "or was truncated");
        NS_TEST_EXPECT_MSG_EQ(interface->HasEnded("agent_2"), false, "The last agent continues");
        last->m_reward = 4;
        interface->NotifySimulationEnd();
        NS_TEST_EXPECT_MSG_EQ(last->HasEnded(), true, "until the simulation ends");
        NS_TEST_EXPECT_MSG_EQ(last->m_reward, 0, "and receives its last reward");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief Agents that do not run are silent, late ones join, and misuse aborts.
 */
class AgentLifeTestCase : public TestCase
{
  public:
    AgentLifeTestCase()
        : TestCase("Agents that join late, stop or are misused")
    {
    }

  private:
    void DoRun() override
    {
        const auto observer = InstallOnNewNode<ManualObservation>({OBSERVATION, 0});
        const auto action = InstallOnNewNode<RecordingAction>({ACTION, 0});
        const auto agent = InstallOnNewNode<RecordingAgent>({AGENT, 0});
        agent->SetStopTime(Seconds(2));
        Ptr<RecordingAgent> late;
        At(Seconds(1), [&] {
            late = InstallOnNewNode<RecordingAgent>({AGENT, 1});
            for (const auto& each : {agent, late})
            {
                each->isInferringAtOnce = true;
                Link(observer, each);
                Link(each, action);
            }
        });
        At(MilliSeconds(1500), [&] { observer->Send(MakeNumberMessage(1)); });
        At(Seconds(3), [&] {
            observer->Send(MakeNumberMessage(2));
            agent->InferAction();
        });
        Simulator::Stop(Seconds(4));
        Simulator::Run();

        NS_TEST_EXPECT_MSG_EQ((action->actions == Receipts{{0, 5}, {1, 5}, {1, 5}}),
                              true,
                              "The late agent decides like others, the stopped one does not");
        NS_TEST_EXPECT_MSG_EQ(agent->observations.size(), 1, "nor does it receive messages");
        late->m_observation = nullptr;
        NS_TEST_EXPECT_MSG_EQ(AbortsWith([&] { late->InferAction(); }, "without an observation"),
                              true,
                              "A decision needs an observation");
        NS_TEST_EXPECT_MSG_EQ(AbortsWith([&] { late->InferAction(9); }, "no interface to action_9"),
                              true,
                              "A decision for an application needs a channel to it");
        NS_TEST_EXPECT_MSG_EQ(
            AbortsWith([] { CreateObject<RecordingAgent>()->Setup(); }, "has no id"),
            true,
            "An agent needs an id");
        const auto brief = CreateObject<RecordingAgent>();
        brief->Terminate();
        brief->Truncate();
        brief->SetId({ApplicationType::AGENT, 7});
        NS_TEST_EXPECT_MSG_EQ(OpenGymMultiAgentInterface::Get()->HasEnded("agent_7"),
                              false,
                              "An unregistered agent has not ended");
        brief->Setup();
        NS_TEST_EXPECT_MSG_EQ(OpenGymMultiAgentInterface::Get()->HasEnded("agent_7"),
                              true,
                              "It ends when it is set up");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief Attributes set the length and time stamps of histories, which are removed with their
 * channel.
 */
class AgentHistoryTestCase : public TestCase
{
  public:
    AgentHistoryTestCase()
        : TestCase("Histories of agents")
    {
    }

  private:
    void DoRun() override
    {
        const auto agent = InstallOnNewNode<RecordingAgent>({AGENT, 0});
        agent->SetAttribute("MaxObservationHistoryLength", UintegerValue(2));
        agent->SetAttribute("ObservationTimestamping", BooleanValue(true));
        const auto observer = InstallOnNewNode<ManualObservation>({OBSERVATION, 4});
        const auto rewarder = InstallOnNewNode<ManualReward>({REWARD, 4});
        Link(observer, agent);
        Link(observer, agent);
        Link(rewarder, agent);
        for (int32_t i = 1; i <= 3; ++i)
        {
            At(NanoSeconds(i), [=] { observer->Send(MakeNumberMessage(i), 0, 0); });
            At(NanoSeconds(i), [=] { rewarder->Send(MakeNumberMessage(i)); });
        }
        Simulator::Stop(Seconds(1));
        Simulator::Run();

        NS_TEST_ASSERT_MSG_EQ(agent->m_obsDataStruct.GetSize(4), 2, "Two observations are kept");
        const auto newest = agent->m_obsDataStruct.GetNewestByID(4);
        NS_TEST_EXPECT_MSG_EQ(newest->timestamp.value_or(Time{}),
                              NanoSeconds(3),
                              "Time stamps are exact");
        NS_TEST_ASSERT_MSG_EQ(agent->m_rewardDataStruct.GetSize(4),
                              3,
                              "Up to ten rewards are kept");
        NS_TEST_EXPECT_MSG_EQ(agent->m_rewardDataStruct.GetNewestByID(4)->timestamp.has_value(),
                              false,
                              "without time stamps");
        agent->DeleteInterface({OBSERVATION, 4}, 0);
        NS_TEST_EXPECT_MSG_EQ(agent->m_obsDataStruct.HistoryExists(4),
                              true,
                              "Another channel keeps the history");
        agent->DeleteInterface({OBSERVATION, 4}, 1);
        NS_TEST_EXPECT_MSG_EQ(agent->m_obsDataStruct.HistoryExists(4),
                              false,
                              "The last channel takes the history with it");
        NS_TEST_EXPECT_MSG_EQ(agent->m_rewardDataStruct.HistoryExists(4),
                              true,
                              "Other histories stay");
        NS_TEST_EXPECT_MSG_EQ(GetNumber(newest->data), 3, "A message in use stays valid");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief Test suite of AgentApplication: begin, end and memory.
 */
class AgentLifeTestSuite : public TestSuite
{
  public:
    AgentLifeTestSuite()
        : TestSuite("defiance-agent-life", Type::UNIT)
    {
        AddTestCase(new AgentEndTestCase);
        AddTestCase(new AgentLifeTestCase);
        AddTestCase(new AgentHistoryTestCase);
    }
};

static AgentLifeTestSuite g_agentLifeTestSuite; //!< Registers the suite
