// SPDX-License-Identifier: GPL-2.0-only

#include "interface-test-support.h"

#include "ns3/boolean.h"
#include "ns3/opengym-builders.h"
#include "ns3/simulator.h"

#include <csignal>

using namespace ns3;

/** One agent with two requests. */
class SequentialTestCase : public InterfaceTestCase
{
  public:
    SequentialTestCase()
        : InterfaceTestCase(
              "An agent requests a decision, acts after its delay, and ends with the simulation")
    {
    }

  private:
    void DoRun() override
    {
        auto process = Start([] {
            Walker walker("walker", MilliSeconds(3));
            walker.ReportFinalState();
            walker.AskAt(MilliSeconds(10));
            walker.AskAt(MilliSeconds(20));
            RunPlainly();
        });
        const auto hello = m_python.Receive().hello();
        NS_TEST_EXPECT_MSG_EQ(hello.protocol(), 2, "Version of the protocol");
        NS_TEST_EXPECT_MSG_EQ(hello.pid(), process->GetPid(), "The simulation's process");
        NS_TEST_EXPECT_MSG_EQ(hello.token(), "episode-7", "The token that it received");
        NS_TEST_EXPECT_MSG_EQ(m_python.GetPeer(), "episode-7", "which is its routing id too");
        NS_TEST_EXPECT_MSG_EQ(hello.ns3_version().substr(0, 2), "3.", "ns-3's version");
        NS_TEST_EXPECT_MSG_EQ(hello.rng_seed(), 1, "ns-3's seed");
        NS_TEST_ASSERT_MSG_EQ(hello.agents_size(), 1, "One agent");
        NS_TEST_EXPECT_MSG_EQ(hello.agents(0).agent(), "walker", "Its name");
        NS_TEST_EXPECT_MSG_EQ(hello.agents(0).action_space().discrete().n(), 3, "Its actions");

        const auto first = ExpectRequest(1, 10);
        NS_TEST_EXPECT_MSG_EQ(first.steps(0).rewards(0), 1, "Reward of the first request");
        NS_TEST_EXPECT_MSG_EQ(first.joined_size(), 0, "It is not introduced again");
        m_python.Step(1, {MakeDiscreteContainer(2)});
        const auto second = ExpectRequest(2, 20);
        NS_TEST_EXPECT_MSG_EQ(GetSum(second.steps(0).observations(), 0),
                              2,
                              "The action was executed");
        NS_TEST_EXPECT_MSG_EQ(second.steps(0).infos(0).info(0).integer(),
                              13,
                              "3 ms after the request");
        m_python.Step(2, {MakeDiscreteContainer(1)});
        const auto end = ExpectEnd(23, 1);
        CheckEnd(end.ended(0), 0, 3, 100, false);
        NS_TEST_EXPECT_MSG_EQ(end.ended(0).info(0).key(), "final", "with its final info");
        ExpectSuccess(*process);
    }
};

/** Agents at one instant, one after the other. */
class SequentialOrderTestCase : public InterfaceTestCase
{
  public:
    SequentialOrderTestCase()
        : InterfaceTestCase("In sequential rounds an action without delay comes before the next "
                            "instant, and each agent decides separately")
    {
    }

  private:
    void DoRun() override
    {
        auto process = Start([] {
            Walker a("a");
            Walker b("b");
            a.AskAt(MilliSeconds(1));
            b.AskAt(MilliSeconds(1));
            a.AskAt(MilliSeconds(2));
            RunPlainly();
        });
        m_python.Receive();
        NS_TEST_EXPECT_MSG_EQ(ExpectRequest(1, 1).steps(0).agents(0), 0, "a");
        m_python.Step(1, {MakeDiscreteContainer(2)});
        const auto second = ExpectRequest(2, 1, 1);
        NS_TEST_EXPECT_MSG_EQ(second.steps(0).agents(0), 1, "b");
        m_python.Step(2, {MakeDiscreteContainer(1)});
        NS_TEST_EXPECT_MSG_EQ(GetSum(ExpectRequest(3, 2).steps(0).observations(), 0), 2, "a acted");
        m_python.Step(3, {MakeDiscreteContainer(1)});
        const auto end = ExpectEnd(2, 2);
        // Without a final state: the last reported observation, and no reward.
        CheckEnd(end.ended(0), 0, 2, 0, false);
        CheckEnd(end.ended(1), 1, 0, 0, false);
        ExpectSuccess(*process);
    }
};

/** Misuse by the scenario. */
class MisuseTestCase : public TestCase
{
  public:
    MisuseTestCase()
        : TestCase("A scenario that misuses the interface aborts with the reason")
    {
    }

  private:
    /**
     * @param use Uses the interface.
     * @param message Part of the expected message.
     */
    void Expect(const std::function<void()>& use, const std::string& message)
    {
        const auto run = [&use] {
            use();
            return 0;
        };
        const auto end = ForkedSimulation(run, {}).Wait();
        NS_TEST_EXPECT_MSG_EQ(end.status, SIGABRT, "It aborts: " << message);
        NS_TEST_EXPECT_MSG_NE(end.errors.find(message), std::string::npos, end.errors);
    }

    void DoRun() override
    {
        const auto ask =
            [](const std::string& agent, Ptr<OpenGymDataContainer> observation, Time delay) {
                OpenGymMultiAgentInterface::Get()->NotifyCurrentState(
                    agent,
                    observation,
                    0,
                    false,
                    {},
                    delay,
                    Callback<void, Ptr<OpenGymDataContainer>>([](Ptr<OpenGymDataContainer>) {}));
            };
        const auto observation = MakeBoxContainer<float>(1, 0);
        Expect([&] { ask("stranger", observation, Time(0)); }, "its spaces are not registered");
        Expect(
            [&] {
                Walker walker("a");
                ask("a", nullptr, Time(0));
            },
            "requests a decision without an observation");
        Expect(
            [&] {
                Walker walker("a");
                ask("a", observation, MilliSeconds(-1));
            },
            "a nonnegative delay");
        Expect([&] { Walker walker(""); }, "must be a text in UTF-8");
    }
};

/** Trace sources and attributes. */
class TraceTestCase : public TestCase
{
  public:
    TraceTestCase()
        : TestCase("Requests and replies can be traced, and the last end need not stop time")
    {
    }

  private:
    /** Count a request. */
    void CountRequest(const std::string&, Ptr<const OpenGymDataContainer>, double reward)
    {
        m_rewards += reward;
    }

    /** Count a reply. */
    void CountReply(const std::string& agent, Ptr<const OpenGymDataContainer> action)
    {
        m_replies += agent == "a" && GetWalkerActions()->Contains(action) ? 1 : 0;
    }

    void DoRun() override
    {
        const auto interface = OpenGymMultiAgentInterface::Get();
        interface->SetAttribute("StopWhenAllAgentsEnded", BooleanValue(false));
        interface->TraceConnectWithoutContext("Request",
                                              MakeCallback(&TraceTestCase::CountRequest, this));
        interface->TraceConnectWithoutContext("Reply",
                                              MakeCallback(&TraceTestCase::CountReply, this));
        Walker a("a");
        a.AskAt(MilliSeconds(1));
        a.AskAt(MilliSeconds(2));
        Simulator::Schedule(MilliSeconds(3), [&a] { a.Ask(true); });
        Time last;
        Simulator::Schedule(MilliSeconds(9), [&last] { last = Simulator::Now(); });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(interface->HasEnded("a"), true, "The agent has ended");
        NS_TEST_EXPECT_MSG_EQ(interface->HasEnded("b"), false, "There is no other agent");
        NS_TEST_EXPECT_MSG_EQ(interface->IsStopped(), false, "The episode continues");
        interface->NotifySimulationEnd();
        NS_TEST_EXPECT_MSG_EQ(interface->IsStopped(), true, "until its end");
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(last, MilliSeconds(9), "Time continued");
        NS_TEST_EXPECT_MSG_EQ(m_rewards, 3, "Rewards of two requests");
        NS_TEST_EXPECT_MSG_EQ(m_replies, 2, "Two replies");
        NS_TEST_EXPECT_MSG_NE(OpenGymMultiAgentInterface::Get(), interface, "A new simulation");
        Simulator::Destroy();
    }

    double m_rewards{0};   //!< Sum of the rewards traced
    uint32_t m_replies{0}; //!< Number of replies traced
};

/** Agents and their rounds. */
class MultiAgentInterfaceTestSuite : public TestSuite
{
  public:
    MultiAgentInterfaceTestSuite()
        : TestSuite("defiance-multi-agent-interface")
    {
        AddTestCase(new SequentialTestCase);
        AddTestCase(new SequentialOrderTestCase);
        AddTestCase(new MisuseTestCase);
        AddTestCase(new TraceTestCase);
    }
};

static MultiAgentInterfaceTestSuite g_multiAgentInterfaceTestSuite; //!< Registers the suite
