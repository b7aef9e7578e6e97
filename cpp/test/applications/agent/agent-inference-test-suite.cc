// SPDX-License-Identifier: GPL-2.0-only

#include "inference-test-support.h"
#include "interface-test-support.h"

#include "ns3/abort.h"

using namespace ns3;

/**
 * @ingroup defiance-tests
 * @brief A worker requests a decision when it begins, with the observation of the job's start.
 */
class QueuedDecisionTestCase : public TestCase
{
  public:
    QueuedDecisionTestCase()
        : TestCase("Queued decisions")
    {
    }

  private:
    void DoRun() override
    {
        const auto queue = MakeTenMsQueue(1, 1, "DROP_NEWEST");
        AgentWorld world(1, queue);
        const auto agent = world.agents[0];
        agent->SetAttribute("ActionDelay", TimeValue(MilliSeconds(2)));
        world.Observe(1, 1);
        world.Reward(2, 4);
        world.Observe(3, 2);
        At(MilliSeconds(4), [&] {
            DynamicCast<OpenGymBoxContainer<int32_t>>(agent->m_observation)->SetValue(0, 77);
        });
        world.Reward(5, -1);
        world.Observe(6, 3);
        world.Reward(12, 5);
        world.Observe(30, 4);
        NS_TEST_EXPECT_MSG_EQ(world.Run(100),
                              "0:see1+0@1 0:see2+3@11 0:act@13 0:act@23 0:see4+5@30 0:act@42",
                              "Service and action delay add up; no reward is lost");
        NS_TEST_EXPECT_MSG_EQ(queue->GetDropCount(), 1, "The third observation is dropped");
        NS_TEST_EXPECT_MSG_EQ(world.action->actions.size(), 3, "Each action arrives");
        NS_TEST_EXPECT_MSG_EQ(
            AbortsWith(
                [&] { agent->SetAttribute("InferenceQueue", PointerValue(MakeTenMsQueue(1))); },
                "agent_0 cannot leave its InferenceQueue"),
            true,
            "An agent keeps its queue");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief Agents share workers, and their jobs have separate sources.
 */
class SharedQueueTestCase : public TestCase
{
  public:
    SharedQueueTestCase()
        : TestCase("Agents that share a queue")
    {
    }

  private:
    void DoRun() override
    {
        AgentWorld world(2, MakeTenMsQueue(1, 10, "KEEP_LATEST_PER_SOURCE"));
        const auto otherAction = InstallOnNewNode<RecordingAction>({ACTION, 1});
        Link(world.agents[0], otherAction);
        world.Observe(1, 1);
        world.Observe(2, 2);
        // In addition to the observation application, agent_0 is a source itself.
        At(MilliSeconds(3), [&] { world.agents[0]->InferAction(1); });
        world.Observe(4, 3);
        NS_TEST_EXPECT_MSG_EQ(world.Run(100),
                              "0:see1+0@1 0:act@11 1:see3+0@11 1:act@21 0:see3+0@21 0:act@31 "
                              "0:see2+0@31 0:act@41",
                              "The latest of each source and agent waits");
        NS_TEST_EXPECT_MSG_EQ((world.action->actions == Receipts{{0, 5}, {1, 5}, {0, 5}}),
                              true,
                              "Actions for all come from both agents");
        NS_TEST_EXPECT_MSG_EQ(world.action->times[2], MilliSeconds(31), "at the right time");
        NS_TEST_EXPECT_MSG_EQ((otherAction->times ==
                               std::vector{MilliSeconds(11), MilliSeconds(31), MilliSeconds(41)}),
                              true,
                              "An action for one application reaches only it");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief Python's view of simultaneous rounds in which answers come late in the instant.
 */
class InferenceInfoTestCase : public InterfaceTestCase
{
  public:
    InferenceInfoTestCase()
        : InterfaceTestCase("Infos of queued decisions")
    {
    }

  private:
    /**
     * @brief Check all infos about inference.
     * @param entries infos that Python received
     * @param expected the numbers by key, without "inference/"
     */
    template <typename Entries>
    void CheckInfo(const Entries& entries, const std::map<std::string, double>& expected)
    {
        const auto count = static_cast<std::size_t>(entries.size());
        NS_TEST_EXPECT_MSG_EQ(count, expected.size(), "Number of infos");
        for (const auto& entry : entries)
        {
            const auto found = expected.find(entry.key().substr(std::string("inference/").size()));
            NS_TEST_ASSERT_MSG_EQ((found != expected.end()), true, entry.key() << " is expected");
            const auto value = entry.has_real() ? entry.real() : double(entry.integer());
            NS_TEST_EXPECT_MSG_EQ_TOL(value, found->second, 1e-12, entry.key());
        }
    }

    void DoRun() override
    {
        const auto process = Start(
            [] {
                AgentWorld world(1, MakeTenMsQueue(2, 1, "DROP_NEWEST"));
                world.agents[0]->info = {{"inference/dropped", int64_t{-1}}};
                At(MilliSeconds(1), [&] {
                    for (int32_t i = 1; i <= 4; ++i)
                    {
                        world.observer->Send(MakeNumberMessage(i));
                    }
                });
                world.Run(26);
                NS_ABORT_UNLESS(
                    (world.action->times ==
                     std::vector{MilliSeconds(11), MilliSeconds(11), MilliSeconds(21)}));
                OpenGymMultiAgentInterface::Get()->NotifySimulationEnd();
                Simulator::Destroy();
            },
            {{"DEFIANCE_ROUNDS", "simultaneous"}});
        m_python.Receive();
        std::map<std::string, double> expected{{"waiting_time", 0},
                                               {"queue_length", 1},
                                               {"busy_workers", 2},
                                               {"utilisation", 0},
                                               {"dropped", -1}};
        for (const uint64_t sequence : {1, 2})
        {
            CheckInfo(ExpectRequest(sequence, 1).steps(0).infos(0).info(), expected);
            m_python.Step(sequence, {MakeDiscreteContainer(5)});
        }
        expected = {{"waiting_time", 0.01},
                    {"queue_length", 0},
                    {"busy_workers", 1},
                    {"utilisation", 1},
                    {"dropped", -1}};
        CheckInfo(ExpectRequest(3, 11).steps(0).infos(0).info(), expected);
        m_python.Step(3, {MakeDiscreteContainer(5)});
        // Both workers were busy for 10 ms, then one for 10 ms and none for 5 ms.
        expected = {{"queue_length", 0},
                    {"busy_workers", 0},
                    {"utilisation", 30. / 50},
                    {"dropped", -1}};
        CheckInfo(ExpectEnd(26).ended(0).info(), expected);
        ExpectSuccess(*process);
    }
};

/**
 * @ingroup defiance-tests
 * @brief Service without duration in simultaneous rounds: the answer comes after its end.
 */
class InstantServiceTestCase : public InterfaceTestCase
{
  public:
    InstantServiceTestCase()
        : InterfaceTestCase("Service without duration")
    {
    }

  private:
    void DoRun() override
    {
        const auto process = Start(
            [] {
                AgentWorld world(2, CreateObject<InferenceQueue>());
                world.Observe(1, 1);
                const auto log = world.Run(5);
                NS_ABORT_MSG_UNLESS(log == "0:see1+0@1 1:see1+0@1 0:act@1 1:act@1", log);
                Simulator::Destroy();
            },
            {{"DEFIANCE_ROUNDS", "simultaneous"}});
        m_python.Receive();
        ExpectRequest(1, 1, 2);
        m_python.Step(1, {MakeDiscreteContainer(5), MakeDiscreteContainer(5)});
        ExpectEnd(5, 2);
        ExpectSuccess(*process);
    }
};

/**
 * @ingroup defiance-tests
 * @brief Test suite of AgentApplication: queued decisions.
 */
class AgentInferenceTestSuite : public TestSuite
{
  public:
    AgentInferenceTestSuite()
        : TestSuite("defiance-agent-inference", Type::UNIT)
    {
        AddTestCase(new QueuedDecisionTestCase);
        AddTestCase(new SharedQueueTestCase);
        AddTestCase(new InferenceInfoTestCase);
        AddTestCase(new InstantServiceTestCase);
    }
};

static AgentInferenceTestSuite g_agentInferenceTestSuite; //!< Registers the suite
