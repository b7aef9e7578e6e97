// SPDX-License-Identifier: GPL-2.0-only

#include "inference-test-support.h"

using namespace ns3;

/**
 * @ingroup defiance-tests
 * @brief A blocked agent holds messages, and then receives all of them in order.
 */
class BlockedMessagesTestCase : public TestCase
{
  public:
    BlockedMessagesTestCase()
        : TestCase("Messages to a blocked agent")
    {
    }

  private:
    void DoRun() override
    {
        AgentWorld world(1, MakeTenMsQueue(1, 0, "BLOCK"));
        const auto agent = world.agents[0];
        const auto peer = InstallOnNewNode<RecordingAgent>({AGENT, 1});
        Link(agent, peer);
        const auto leaver = InstallOnNewNode<RecordingAgent>({AGENT, 2});
        Link(agent, leaver);
        world.Observe(1, 1);
        world.Observe(2, 2);
        world.Reward(3, 7);
        At(MilliSeconds(3), [&] {
            peer->SendToAgent(MakeNumberMessage(9));
            leaver->SendToAgent(MakeNumberMessage(10));
        });
        world.Observe(4, 3);
        world.Reward(5, 1);
        At(MilliSeconds(6), [&] {
            agent->DeleteInterface({AGENT, 2}, 0);
            NS_TEST_EXPECT_MSG_EQ(agent->observations.size(), 2, "Observations are held");
            NS_TEST_EXPECT_MSG_EQ(agent->rewards.size(), 0, "Rewards are held");
            NS_TEST_EXPECT_MSG_EQ(agent->messages.size(), 0, "Messages of agents are held");
        });
        At(MilliSeconds(12), [&] {
            NS_TEST_EXPECT_MSG_EQ(agent->observations.size(), 3, "They are received");
            NS_TEST_EXPECT_MSG_EQ((agent->rewards == Receipts{{0, 7}}),
                                  true,
                                  "until the agent is blocked again");
            NS_TEST_EXPECT_MSG_EQ((agent->messages == Receipts{{1, 9}}),
                                  true,
                                  "but no messages of a deleted channel");
        });
        NS_TEST_EXPECT_MSG_EQ(world.Run(100),
                              "0:see1+0@1 0:act@11 0:see2+0@11 0:act@21 0:see3+7@21 0:act@31",
                              "Each observation gets a decision");
        NS_TEST_EXPECT_MSG_EQ((agent->rewards == Receipts{{0, 7}, {0, 1}}), true, "In order");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief Steps at an interval are left out while the agent is blocked.
 */
class BlockedStepsTestCase : public TestCase
{
  public:
    BlockedStepsTestCase()
        : TestCase("Steps of a blocked agent")
    {
    }

  private:
    void DoRun() override
    {
        const auto queue = MakeTenMsQueue(1, 1, "BLOCK");
        AgentWorld world(1, queue);
        const auto agent = world.agents[0];
        agent->SetAttribute("StepInterval", TimeValue(MilliSeconds(3)));
        agent->m_observation = MakeBoxContainer<int32_t>(1, 8);
        At(MilliSeconds(10), [&] {
            NS_TEST_EXPECT_MSG_EQ(queue->IsBlocked("agent_0"), true, "The third step is blocked");
        });
        At(MilliSeconds(14), [&] {
            NS_TEST_EXPECT_MSG_EQ(queue->IsBlocked("agent_0"), false, "The fourth is left out");
        });
        NS_TEST_EXPECT_MSG_EQ(world.Run(25),
                              "0:see8+0@3 0:act@13 0:see8+0@13 0:act@23 0:see8+0@23",
                              "The other jobs wait in the queue");
        NS_TEST_EXPECT_MSG_EQ(queue->IsBlocked("agent_0"), true, "A job is blocked at the end");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief When an agent ends, its waiting jobs are cancelled, and its job in service has no effect.
 */
class QueuedEndTestCase : public TestCase
{
  public:
    QueuedEndTestCase()
        : TestCase("End of agents with jobs in a queue")
    {
    }

  private:
    void DoRun() override
    {
        const auto queue = MakeTenMsQueue(1, 3, "BLOCK");
        AgentWorld world(2, queue);
        world.Observe(1, 1); // agent_0 is served, agent_1 waits
        world.Observe(2, 2); // both wait
        world.Observe(3, 3); // both are blocked
        world.Reward(4, 6);  // the reward is held
        At(MilliSeconds(5), [&] {
            world.agents[0]->Terminate();
            NS_TEST_EXPECT_MSG_EQ(queue->GetQueueLength(), 3, "Its waiting jobs are cancelled");
            NS_TEST_EXPECT_MSG_EQ(queue->GetBusyWorkers(), 1, "The other agent's jobs are served");
        });
        world.Reward(12, 1);
        At(MilliSeconds(35), [&] { world.agents[1]->InferAction(); });
        NS_TEST_EXPECT_MSG_EQ(world.Run(40),
                              "0:see1+0@1 1:see1+6@11 1:act@21 1:see2+1@21 1:act@31 1:see3+0@31",
                              "A job in service continues without effect");
        NS_TEST_EXPECT_MSG_EQ(world.agents[0]->rewards.size(), 1, "A held reward is not lost");
        NS_TEST_EXPECT_MSG_EQ(queue->GetQueueLength(), 1, "A job waits when the simulation ends");
        OpenGymMultiAgentInterface::Get()->NotifySimulationEnd();
        NS_TEST_EXPECT_MSG_EQ(queue->GetQueueLength(), 0, "and is cancelled then");
        NS_TEST_EXPECT_MSG_EQ(queue->GetDropCount(), 0, "which does not count as a drop");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief When an agent stops, its waiting jobs are cancelled, and its job in service has no effect.
 */
class QueuedStopTestCase : public TestCase
{
  public:
    QueuedStopTestCase()
        : TestCase("Agents that stop with jobs in a queue")
    {
    }

  private:
    void DoRun() override
    {
        const auto queue = MakeTenMsQueue(1, 1, "BLOCK");
        AgentWorld world(1, queue);
        world.agents[0]->SetStopTime(MilliSeconds(5));
        for (int32_t ms = 1; ms <= 4; ++ms)
        {
            world.Observe(ms, ms);
        }
        At(MilliSeconds(6), [&] {
            NS_TEST_EXPECT_MSG_EQ(queue->GetQueueLength(), 0, "No job waits");
            NS_TEST_EXPECT_MSG_EQ(queue->IsBlocked("agent_0"), false, "or is blocked");
            NS_TEST_EXPECT_MSG_EQ(queue->GetBusyWorkers(), 1, "The worker finishes its job");
        });
        NS_TEST_EXPECT_MSG_EQ(world.Run(50), "0:see1+0@1", "The stopped agent does not act");
        NS_TEST_EXPECT_MSG_EQ(world.agents[0]->observations.size(), 3, "nor receive messages");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief Test suite of AgentApplication: blocked agents, and the end of waiting agents.
 */
class AgentBlockingTestSuite : public TestSuite
{
  public:
    AgentBlockingTestSuite()
        : TestSuite("defiance-agent-blocking", Type::UNIT)
    {
        AddTestCase(new BlockedMessagesTestCase);
        AddTestCase(new BlockedStepsTestCase);
        AddTestCase(new QueuedEndTestCase);
        AddTestCase(new QueuedStopTestCase);
    }
};

static AgentBlockingTestSuite g_agentBlockingTestSuite; //!< Registers the suite
