// SPDX-License-Identifier: GPL-2.0-only

#include "application-test-support.h"

#include "ns3/test.h"

using namespace ns3;

/**
 * @ingroup defiance-tests
 * @brief Messages reach the method of their kind, with their sender's number, in order.
 */
class AgentReceiveTestCase : public TestCase
{
  public:
    AgentReceiveTestCase()
        : TestCase("Agents receive messages")
    {
    }

  private:
    void DoRun() override
    {
        const auto agent = InstallOnNewNode<RecordingAgent>({AGENT, 0});
        std::map<uint32_t, Ptr<ManualObservation>> observers;
        std::map<uint32_t, Ptr<ManualReward>> rewarders;
        std::map<uint32_t, Ptr<RecordingAgent>> agents;
        for (const uint32_t id : {3, 500})
        {
            observers[id] = InstallOnNewNode<ManualObservation>({OBSERVATION, id});
            Link(observers[id], agent);
        }
        for (const uint32_t id : {73, 48})
        {
            rewarders[id] = InstallOnNewNode<ManualReward>({REWARD, id});
            Link(rewarders[id], agent);
        }
        for (const uint32_t id : {85, 3, 5})
        {
            agents[id] = InstallOnNewNode<RecordingAgent>({AGENT, id});
            Link(agents[id], agent);
        }
        At(Seconds(1), [&] {
            observers[500]->Send(MakeNumberMessage(1));
            observers[3]->Send(MakeNumberMessage(2));
            rewarders[48]->Send(MakeNumberMessage(3));
            rewarders[73]->Send(MakeNumberMessage(-4));
            agents[85]->SendToAgent(MakeNumberMessage(5));
            agents[3]->SendToAgent(MakeNumberMessage(6));
            agents[5]->SendToAgent(MakeNumberMessage(7));
            observers[500]->Send(MakeNumberMessage(8));
        });
        Simulator::Stop(Seconds(2));
        Simulator::Run();

        NS_TEST_EXPECT_MSG_EQ((agent->observations == Receipts{{500, 1}, {3, 2}, {500, 8}}),
                              true,
                              "Observations reach OnRecvObs");
        NS_TEST_EXPECT_MSG_EQ((agent->rewards == Receipts{{48, 3}, {73, -4}}),
                              true,
                              "Rewards reach OnRecvReward");
        NS_TEST_EXPECT_MSG_EQ((agent->messages == Receipts{{85, 5}, {3, 6}, {5, 7}}),
                              true,
                              "Messages of agents reach OnRecvFromAgent");
        NS_TEST_EXPECT_MSG_EQ(agent->m_obsDataStruct.GetSize(500), 2, "Observations are kept");
        NS_TEST_EXPECT_MSG_EQ(agent->m_rewardDataStruct.GetSizeOfHistory(), 2, "Rewards are kept");
        NS_TEST_EXPECT_MSG_EQ(agents[5]->messages.size(), 0, "Other agents do not receive them");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief Actions and messages go to all, to one application, or through one channel.
 */
class AgentSendTestCase : public TestCase
{
  public:
    AgentSendTestCase()
        : TestCase("Agents send messages")
    {
    }

  private:
    void DoRun() override
    {
        const auto agent = InstallOnNewNode<RecordingAgent>({AGENT, 0});
        const auto action83 = InstallOnNewNode<RecordingAction>({ACTION, 83});
        const auto action45 = InstallOnNewNode<RecordingAction>({ACTION, 45});
        const auto agent3 = InstallOnNewNode<RecordingAgent>({AGENT, 3});
        const auto agent5 = InstallOnNewNode<RecordingAgent>({AGENT, 5});
        Link(agent, action83);
        Link(agent, action83);
        Link(agent, action45);
        Link(agent, agent3);
        Link(agent, agent5);
        Link(agent, agent5);
        agent->DeleteInterface({ACTION, 83}, 0);
        ChannelRecorder toAction(agent->GetInterface({ACTION, 45}));
        ChannelRecorder toAgent(agent->GetInterface({AGENT, 3}));
        At(Seconds(1), [&] {
            agent->SendAction(MakeNumberMessage(1));
            agent->SendAction(MakeNumberMessage(2), 45);
            agent->SendAction(MakeNumberMessage(3), 83, 1);
            agent->SendToAgent(MakeNumberMessage(4));
            agent->SendToAgent(MakeNumberMessage(5), 5);
            agent->SendToAgent(MakeNumberMessage(6), 5, 1);
        });
        Simulator::Stop(Seconds(2));
        Simulator::Run();

        NS_TEST_EXPECT_MSG_EQ((action45->actions == Receipts{{0, 1}, {0, 2}}),
                              true,
                              "To all, or to one application");
        NS_TEST_EXPECT_MSG_EQ((action83->actions == Receipts{{0, 1}, {0, 3}}),
                              true,
                              "To all, or through an interface beyond a gap");
        NS_TEST_EXPECT_MSG_EQ((agent3->messages == Receipts{{0, 4}}), true, "To all");
        NS_TEST_EXPECT_MSG_EQ(
            (agent5->messages == Receipts{{0, 4}, {0, 4}, {0, 5}, {0, 5}, {0, 6}}),
            true,
            "Through both channels, or one of them");
        NS_TEST_EXPECT_MSG_EQ(toAction.tx[0].kind, "action", "Actions are traced as such");
        NS_TEST_EXPECT_MSG_EQ(toAgent.tx[0].kind, "message", "Messages are traced as such");
        NS_TEST_EXPECT_MSG_EQ(AbortsWith([&] { agent->SendAction(MakeNumberMessage(1), 83, 0); },
                                         "no interface 0 to action_83"),
                              true,
                              "A deleted interface aborts");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief A decision takes the reward since the last one; its action arrives after its delay.
 */
class InferActionTestCase : public TestCase
{
  public:
    InferActionTestCase()
        : TestCase("Decisions of agents and their rewards")
    {
    }

  private:
    /**
     * @brief Note a decision.
     * @param observation the observation
     * @param reward the reward
     */
    void NoteInference(Ptr<const OpenGymDataContainer> observation, double reward)
    {
        m_rewards.push_back(reward);
    }

    void DoRun() override
    {
        const auto agent = InstallOnNewNode<RecordingAgent>({AGENT, 0});
        agent->SetAttribute("ActionDelay", TimeValue(NanoSeconds(1234567)));
        agent->TraceConnectWithoutContext("Inference",
                                          MakeCallback(&InferActionTestCase::NoteInference, this));
        const auto observer = InstallOnNewNode<ManualObservation>({OBSERVATION, 0});
        const auto rewarder = InstallOnNewNode<ManualReward>({REWARD, 0});
        const auto action0 = InstallOnNewNode<RecordingAction>({ACTION, 0});
        const auto action1 = InstallOnNewNode<RecordingAction>({ACTION, 1});
        Link(observer, agent);
        Link(rewarder, agent);
        Link(agent, action0);
        Link(agent, action1);
        NS_TEST_EXPECT_MSG_EQ(agent->m_reward, 0, "The reward begins with 0");
        At(Seconds(1), [&] {
            observer->Send(MakeNumberMessage(1));
            rewarder->Send(MakeNumberMessage(2));
            rewarder->Send(MakeNumberMessage(-7));
        });
        At(Seconds(2), [&] { agent->InferAction(); });
        At(Seconds(3), [&] { agent->InferAction(1); });
        At(Seconds(4), [&] {
            agent->InferAction(1);
            agent->DeleteInterface({ACTION, 1}, 0);
        });
        Simulator::Stop(Seconds(5));
        Simulator::Run();

        NS_TEST_EXPECT_MSG_EQ((m_rewards == std::vector<double>{-5, 0, 0}),
                              true,
                              "A decision takes the sum since the last one");
        NS_TEST_EXPECT_MSG_EQ(agent->infoRequests, 3, "Info is requested once a decision");
        NS_TEST_EXPECT_MSG_EQ((action0->actions == Receipts{{0, RecordingAgent::ACTION}}),
                              true,
                              "An action for all reaches all, under the key default");
        NS_TEST_EXPECT_MSG_EQ(action1->actions.size(),
                              2,
                              "An action for one application reaches it, if there is a channel");
        NS_TEST_EXPECT_MSG_EQ(action0->times[0],
                              NanoSeconds(2001234567),
                              "The action arrives after the action delay");
        NS_TEST_EXPECT_MSG_EQ(action1->times[1],
                              NanoSeconds(3001234567),
                              "The action arrives after the action delay");
        Simulator::Destroy();
    }

    std::vector<double> m_rewards; //!< Reward of each decision
};

/**
 * @ingroup defiance-tests
 * @brief An agent with an interval steps from its first observation on until it stops.
 */
class StepIntervalTestCase : public TestCase
{
  public:
    StepIntervalTestCase()
        : TestCase("Decisions at a fixed interval")
    {
    }

  private:
    void DoRun() override
    {
        const auto agent = InstallOnNewNode<RecordingAgent>({AGENT, 0});
        agent->SetAttribute("StepInterval", TimeValue(MilliSeconds(100)));
        agent->SetStartTime(Seconds(1));
        agent->SetStopTime(MilliSeconds(1550));
        const auto action = InstallOnNewNode<RecordingAction>({ACTION, 0});
        Link(agent, action);
        At(MilliSeconds(1250), [&] { agent->m_observation = MakeBoxContainer<int32_t>(1, 0); });
        Simulator::Stop(Seconds(3));
        Simulator::Run();

        NS_TEST_EXPECT_MSG_EQ(
            (action->times ==
             std::vector<Time>{MilliSeconds(1300), MilliSeconds(1400), MilliSeconds(1500)}),
            true,
            "Steps are multiples of the interval after the start");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief Test suite of AgentApplication.
 */
class AgentApplicationTestSuite : public TestSuite
{
  public:
    AgentApplicationTestSuite()
        : TestSuite("defiance-agent-application", Type::UNIT)
    {
        AddTestCase(new AgentReceiveTestCase);
        AddTestCase(new AgentSendTestCase);
        AddTestCase(new InferActionTestCase);
        AddTestCase(new StepIntervalTestCase);
    }
};

static AgentApplicationTestSuite g_agentApplicationTestSuite; //!< Registers the suite
