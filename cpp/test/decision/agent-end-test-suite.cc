// SPDX-License-Identifier: GPL-2.0-only

#include "interface-test-support.h"

#include "ns3/opengym-builders.h"
#include "ns3/simulator.h"

#include <cmath>
#include <functional>
#include <limits>

using namespace ns3;

namespace
{

namespace wire = defiance::v1;

} // namespace

/** Agents that join late and leave early. */
class JoinAndLeaveTestCase : public InterfaceTestCase
{
  public:
    JoinAndLeaveTestCase()
        : InterfaceTestCase(
              "An agent may join late and leave early; the end of the last one ends the episode")
    {
    }

  private:
    void DoRun() override
    {
        auto process = Start([] {
            Walker a("a");
            std::unique_ptr<Walker> b;
            a.AskAt(MilliSeconds(1));
            Simulator::Schedule(MilliSeconds(2), [&] {
                b = std::make_unique<Walker>("b");
                b->Ask();
                a.Ask(true);
                a.Ask(); // too late: has no effect
            });
            Simulator::Schedule(MilliSeconds(3), [&] { b->Ask(); });
            Simulator::Schedule(MilliSeconds(4), [&] { b->Ask(true); });
            Simulator::Schedule(MilliSeconds(1000), [&] { b->Ask(); });
            RunPlainly();
        });
        NS_TEST_EXPECT_MSG_EQ(m_python.Receive().hello().agents_size(), 1, "a is registered first");
        ExpectRequest(1, 1);
        m_python.Step(1, {MakeDiscreteContainer(2)});
        const auto second = ExpectRequest(2, 2);
        NS_TEST_ASSERT_MSG_EQ(second.joined_size(), 1, "b joins");
        NS_TEST_EXPECT_MSG_EQ(second.joined(0).index(), 1, "with the next index");
        NS_TEST_EXPECT_MSG_EQ(second.joined(0).agent(), "b", "and its name");
        m_python.Step(2, {MakeDiscreteContainer(1)});
        const auto third = ExpectRequest(3, 3);
        NS_TEST_ASSERT_MSG_EQ(third.ended_size(), 1, "a's end comes with b's request");
        CheckEnd(third.ended(0), 0, 2, 2, true);
        m_python.Step(3, {MakeDiscreteContainer(1)});
        const auto end = ExpectEnd(4, 1);
        CheckEnd(end.ended(0), 1, 2, 3, true);
        ExpectSuccess(*process);
    }
};

/** The end of an agent that has just requested a decision. */
class EndWhileAskingTestCase : public InterfaceTestCase
{
  public:
    EndWhileAskingTestCase()
        : InterfaceTestCase("An agent that ends in the instant of its request gets no decision, "
                            "and no reward is lost")
    {
    }

  private:
    void DoRun() override
    {
        auto process = Start(
            [] {
                Walker a("a");
                Walker b("b");
                Simulator::Schedule(MilliSeconds(1), [&] {
                    a.Ask();
                    b.Ask();
                    OpenGymMultiAgentInterface::Get()->NotifyAgentEnd("a", nullptr, 10, false);
                });
                RunPlainly();
            },
            {{"DEFIANCE_ROUNDS", "simultaneous"}});
        m_python.Receive();
        const auto request = ExpectRequest(1, 1, 1);
        NS_TEST_ASSERT_MSG_EQ(request.ended_size(), 1, "a has ended");
        CheckEnd(request.ended(0), 0, 0, 11, false);
        m_python.Step(1, {MakeDiscreteContainer(1)});
        ExpectEnd(1);
        ExpectSuccess(*process);
    }
};

/** A simulation that stops while agents request decisions. */
class StopBeforeRoundTestCase : public InterfaceTestCase
{
  public:
    StopBeforeRoundTestCase()
        : InterfaceTestCase("Requests of a stopped simulation become final states, with the reward "
                            "of NotifySimulationEnd")
    {
    }

  private:
    void DoRun() override
    {
        auto process = Start(
            [] {
                Walker a("a");
                Simulator::Schedule(MilliSeconds(1), [&] {
                    a.Ask();
                    Simulator::Stop();
                });
                Simulator::Run();
                auto interface = OpenGymMultiAgentInterface::Get();
                interface->NotifySimulationEnd(-5, {{"why", std::string("stopped")}});
                interface->NotifySimulationEnd(-5); // the second has no effect
                Simulator::Destroy();
            },
            {{"DEFIANCE_ROUNDS", "simultaneous"}});
        m_python.Receive();
        const auto end = ExpectEnd(1, 1);
        CheckEnd(end.ended(0), 0, 0, 1 - 5, false);
        NS_TEST_EXPECT_MSG_EQ(end.ended(0).info_size(), 2, "Its own info and the other one");
        ExpectSuccess(*process);
    }
};

/** COMMAND_TRUNCATE. */
class TruncateTestCase : public InterfaceTestCase
{
  public:
    TruncateTestCase()
        : InterfaceTestCase(
              "COMMAND_TRUNCATE ends the episode at this instant, whose other events still happen")
    {
    }

  private:
    void DoRun() override
    {
        auto process = Start([] {
            Walker a("a");
            Walker b("b");
            Walker c("c");
            c.ReportFinalState();
            a.AskAt(MilliSeconds(1));
            b.AskAt(MilliSeconds(1));
            a.AskAt(MilliSeconds(2));
            RunPlainly();
        });
        m_python.Receive();
        ExpectRequest(1, 1);
        m_python.Command(1, wire::COMMAND_TRUNCATE);
        const auto end = ExpectEnd(1, 3);
        // a's reward came with its request; b was about to request one; c reports its last state.
        CheckEnd(end.ended(0), 0, 0, 0, false);
        CheckEnd(end.ended(1), 1, 0, 1, false);
        CheckEnd(end.ended(2), 2, 0, 100, false);
        ExpectSuccess(*process);
    }
};

/** COMMAND_STOP. */
class StopTestCase : public InterfaceTestCase
{
  public:
    StopTestCase()
        : InterfaceTestCase("COMMAND_STOP ends the simulation without another message")
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
        ExpectRequest(1, 1);
        m_python.Command(1, wire::COMMAND_STOP);
        ExpectSuccess(*process);
        NS_TEST_EXPECT_MSG_EQ(m_python.HasMessage(), false, "It sends nothing more");
    }
};

/** Two simulations in one process. */
class TwoEpisodesTestCase : public InterfaceTestCase
{
  public:
    TwoEpisodesTestCase()
        : InterfaceTestCase("After Simulator::Destroy() a process may run another episode")
    {
    }

  private:
    void DoRun() override
    {
        auto process = Start([] {
            for (int i = 0; i < 2; ++i)
            {
                Walker a("a" + std::to_string(i));
                a.AskAt(MilliSeconds(1));
                Simulator::Run();
                Simulator::Destroy(); // ends the episode, as there was no NotifySimulationEnd()
            }
        });
        for (int i = 0; i < 2; ++i)
        {
            const auto hello = m_python.Receive().hello();
            NS_TEST_ASSERT_MSG_EQ(hello.agents_size(), 1, "One agent each");
            NS_TEST_EXPECT_MSG_EQ(hello.agents(0).agent(),
                                  "a" + std::to_string(i),
                                  "Its own agent");
            ExpectRequest(1, 1);
            m_python.Step(1, {MakeDiscreteContainer(1)});
            ExpectEnd(1, 1);
        }
        ExpectSuccess(*process);
    }
};

/** The order of ns3-ai's example of two agents. */
class EndAfterDestroyTestCase : public InterfaceTestCase
{
  public:
    EndAfterDestroyTestCase()
        : InterfaceTestCase("States of NotifySimulationEnd() and NotifyAgentEnd() after "
                            "Simulator::Destroy() are delivered")
    {
    }

  private:
    void DoRun() override
    {
        for (const bool keepsInterface : {false, true})
        {
            auto process = Start([keepsInterface] {
                Walker a("a");
                Walker b("b");
                Walker c("c");
                a.AskAt(MilliSeconds(1));
                Simulator::Schedule(MilliSeconds(1), [&] { c.Ask(true); });
                const auto interface = OpenGymMultiAgentInterface::Get();
                Simulator::Run();
                Simulator::Destroy();
                const auto late = keepsInterface ? interface : OpenGymMultiAgentInterface::Get();
                late->NotifyAgentEnd("b", MakeBoxContainer<float>(1, 7), 20, true);
                late->NotifySimulationEnd(-100, {{"why", std::string("late")}});
                late->NotifySimulationEnd(-100); // the second has no effect
            });
            m_python.Receive();
            ExpectRequest(1, 1);
            m_python.Step(1, {MakeDiscreteContainer(1)});
            const auto end = ExpectEnd(1, 3);
            CheckEnd(end.ended(0), 2, 0, 1, true);
            CheckEnd(end.ended(1), 0, 0, -100, false);
            CheckEnd(end.ended(2), 1, 7, 20 - 100, true);
            NS_TEST_EXPECT_MSG_EQ(end.ended(1).info(0).text(), "late", "The info, too");
            const auto said = process->Wait();
            NS_TEST_EXPECT_MSG_EQ(said.status, 0, "An orderly end");
            NS_TEST_EXPECT_MSG_NE(said.errors.find("has no agent for the reward -100"),
                                  std::string::npos,
                                  "The loss of the second one is reported");
        }
    }
};

/** Rewards after the end. */
class LateRewardTestCase : public InterfaceTestCase
{
  public:
    LateRewardTestCase()
        : InterfaceTestCase("Rewards of an agent that has ended are counted and reported")
    {
    }

  private:
    void DoRun() override
    {
        auto process = Start([] {
            Walker a("a");
            Walker b("b");
            Simulator::Schedule(MilliSeconds(1), [&] { a.Ask(true); });
            Simulator::Schedule(MilliSeconds(2), [&] { a.Ask(); });
            Simulator::Schedule(MilliSeconds(3), [&] { a.Ask(true); });
            b.AskAt(MilliSeconds(4));
            Simulator::Schedule(MilliSeconds(5), [] {
                const auto interface = OpenGymMultiAgentInterface::Get();
                interface->NotifyLateReward("a", 5);
                interface->NotifyLateReward("a", 0);
            });
            RunPlainly();
        });
        m_python.Receive();
        ExpectRequest(1, 4);
        m_python.Step(1, {MakeDiscreteContainer(1)});
        const auto end = ExpectEnd(5, 1);
        NS_TEST_ASSERT_MSG_EQ(end.late_rewards_size(), 1, "Of one agent");
        NS_TEST_EXPECT_MSG_EQ(end.late_rewards(0).agent(), 0, "a");
        NS_TEST_EXPECT_MSG_EQ(end.late_rewards(0).count(), 3, "A zero does not count");
        NS_TEST_EXPECT_MSG_EQ(end.late_rewards(0).first_time_ns(), 2'000'000, "The first reward");
        ExpectSuccess(*process);
    }
};

/** Rewards that are not numbers. */
class InfiniteRewardTestCase : public InterfaceTestCase
{
  public:
    InfiniteRewardTestCase()
        : InterfaceTestCase("Rewards that are not finite are refused wherever an agent has one")
    {
    }

  private:
    void DoRun() override
    {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        const auto see = [] { return MakeBoxContainer<float>(1, 0); };
        const auto get = &OpenGymMultiAgentInterface::Get;
        Expect([=] { get()->RequestAction("a", see(), NAN); });
        Expect([=] { get()->NotifyAgentEnd("a", see(), infinity, true); });
        Expect([=] { get()->NotifyAgentEnd("a", nullptr, -infinity, false); });
        Expect([=] {
            const auto ignore = [](Ptr<OpenGymDataContainer>) {};
            get()->NotifyCurrentState("a",
                                      see(),
                                      -NAN,
                                      false,
                                      OpenGymInfo{},
                                      Time(0),
                                      Callback<void, Ptr<OpenGymDataContainer>>(ignore));
        });
        Expect([=] { get()->NotifySimulationEnd(NAN); });
        Expect([=] {
            Simulator::Destroy();
            get()->NotifySimulationEnd(infinity);
        });
    }

    /**
     * @param simulation Rewards an agent 'a' after its first decision.
     */
    void Expect(const std::function<void()>& simulation)
    {
        auto process = Start([simulation] {
            Walker a("a");
            OpenGymMultiAgentInterface::Get()->RequestAction("a", MakeBoxContainer<float>(1, 0), 1);
            simulation();
        });
        m_python.Receive();
        ExpectRequest(1, 0);
        m_python.Step(1, {MakeDiscreteContainer(1)});
        const auto failure = m_python.Receive().failure();
        NS_TEST_EXPECT_MSG_EQ(failure.code(), wire::Failure::CODE_INVALID_REWARD, "Its code");
        NS_TEST_EXPECT_MSG_NE(failure.message().find("the reward of agent 'a' is "),
                              std::string::npos,
                              failure.message());
        NS_TEST_EXPECT_MSG_EQ(process->Wait().status, 1, "The simulation ends");
    }
};

/** Agents that join and leave, and the end of the episode. */
class AgentEndTestSuite : public TestSuite
{
  public:
    AgentEndTestSuite()
        : TestSuite("defiance-agent-end")
    {
        AddTestCase(new JoinAndLeaveTestCase);
        AddTestCase(new EndWhileAskingTestCase);
        AddTestCase(new StopBeforeRoundTestCase);
        AddTestCase(new TruncateTestCase);
        AddTestCase(new StopTestCase);
        AddTestCase(new TwoEpisodesTestCase);
        AddTestCase(new EndAfterDestroyTestCase);
        AddTestCase(new LateRewardTestCase);
        AddTestCase(new InfiniteRewardTestCase);
    }
};

static AgentEndTestSuite g_agentEndTestSuite; //!< Registers the suite
