// SPDX-License-Identifier: GPL-2.0-only

#include "interface-test-support.h"

#include "ns3/opengym-builders.h"
#include "ns3/simulator.h"

using namespace ns3;

/** Agents at one instant, all together. */
class SimultaneousTestCase : public InterfaceTestCase
{
  public:
    SimultaneousTestCase()
        : InterfaceTestCase("In simultaneous rounds the agents of one instant decide together, "
                            "including those reached by messages without delay")
    {
    }

  private:
    void DoRun() override
    {
        auto process = Start(
            [] {
                Walker a("a", MilliSeconds(1));
                Walker b("b", MilliSeconds(2));
                Walker c("c");
                a.AskAt(MilliSeconds(10));
                Simulator::Schedule(MilliSeconds(10), [&] {
                    Simulator::ScheduleNow([&] {
                        b.Ask();
                        Simulator::ScheduleNow([&] { Simulator::ScheduleNow([&] { c.Ask(); }); });
                    });
                });
                a.AskAt(MilliSeconds(20));
                b.AskAt(MilliSeconds(20));
                RunPlainly();
            },
            {{"DEFIANCE_ROUNDS", "simultaneous"}});
        m_python.Receive();
        const auto first = ExpectRequest(1, 10, 3);
        m_python.Step(
            1,
            {MakeDiscreteContainer(1), MakeDiscreteContainer(2), MakeDiscreteContainer(0)});
        const auto second = ExpectRequest(2, 20, 2);
        NS_TEST_EXPECT_MSG_EQ(GetSum(second.steps(0).observations(), 0), 1, "a's own action");
        NS_TEST_EXPECT_MSG_EQ(GetSum(second.steps(0).observations(), 1), 2, "b's own action");
        NS_TEST_EXPECT_MSG_EQ(second.steps(0).infos(0).info(0).integer(),
                              11,
                              "after a's own delay");
        NS_TEST_EXPECT_MSG_EQ(second.steps(0).infos(1).info(0).integer(),
                              12,
                              "after b's own delay");
        m_python.Step(2, {MakeDiscreteContainer(1), MakeDiscreteContainer(1)});
        ExpectEnd(22, 3);
        ExpectSuccess(*process);
    }
};

/** Two requests in one instant. */
class TwiceAtOnceTestCase : public InterfaceTestCase
{
  public:
    TwiceAtOnceTestCase()
        : InterfaceTestCase("An agent with two requests in one instant decides in two rounds")
    {
    }

  private:
    void DoRun() override
    {
        auto process = Start(
            [] {
                Walker a("a");
                Walker b("b");
                a.AskAt(MilliSeconds(1));
                b.AskAt(MilliSeconds(1));
                a.AskAt(MilliSeconds(1));
                RunPlainly();
            },
            {{"DEFIANCE_ROUNDS", "simultaneous"}});
        m_python.Receive();
        ExpectRequest(1, 1, 2);
        m_python.Step(1, {MakeDiscreteContainer(1), MakeDiscreteContainer(1)});
        const auto second = ExpectRequest(2, 1, 1);
        NS_TEST_EXPECT_MSG_EQ(second.steps(0).rewards(0), 2, "Its second request");
        m_python.Step(2, {MakeDiscreteContainer(1)});
        ExpectEnd(1, 2);
        ExpectSuccess(*process);
    }
};

/** Two requests of both agents in one instant. */
class BothTwiceTestCase : public InterfaceTestCase
{
  public:
    BothTwiceTestCase()
        : InterfaceTestCase("Agents with two requests in one instant decide together, twice")
    {
    }

  private:
    void DoRun() override
    {
        auto process = Start(
            [] {
                Walker a("a");
                Walker b("b");
                for (auto* walker : {&a, &a, &b, &b})
                {
                    walker->AskAt(MilliSeconds(1));
                }
                RunPlainly();
            },
            {{"DEFIANCE_ROUNDS", "simultaneous"}});
        m_python.Receive();
        for (int round = 1; round <= 2; ++round)
        {
            const auto request = ExpectRequest(round, 1, 2);
            NS_TEST_EXPECT_MSG_EQ(request.steps(0).rewards(0), round, "a's request of the round");
            NS_TEST_EXPECT_MSG_EQ(request.steps(0).rewards(1), round, "b's request of the round");
            m_python.Step(round, {MakeDiscreteContainer(1), MakeDiscreteContainer(1)});
        }
        ExpectEnd(1, 2);
        ExpectSuccess(*process);
    }
};

/** The end while a second request waits. */
class TruncatedTwiceTestCase : public InterfaceTestCase
{
  public:
    TruncatedTwiceTestCase()
        : InterfaceTestCase("An agent with two requests gets its reward when it is truncated")
    {
    }

  private:
    void DoRun() override
    {
        auto process = Start(
            [] {
                Walker a("a");
                Walker b("b");
                a.AskAt(MilliSeconds(1));
                a.AskAt(MilliSeconds(1));
                a.AskAt(MilliSeconds(1));
                RunPlainly();
            },
            {{"DEFIANCE_ROUNDS", "simultaneous"}});
        m_python.Receive();
        ExpectRequest(1, 1);
        m_python.Command(1, defiance::v1::COMMAND_TRUNCATE);
        CheckEnd(ExpectEnd(1, 2).ended(0), 0, 0, 2 + 3, false);
        ExpectSuccess(*process);
    }
};

/** An end between two rounds. */
class EndTimeTestCase : public InterfaceTestCase
{
  public:
    EndTimeTestCase()
        : InterfaceTestCase("An agent that ends between two rounds reports the time")
    {
    }

  private:
    void DoRun() override
    {
        auto process = Start([] {
            Walker a("a");
            Walker b("b");
            a.AskAt(MilliSeconds(1));
            Simulator::Schedule(MilliSeconds(2), [&a] { a.Ask(true); });
            b.AskAt(MilliSeconds(5));
            RunPlainly();
        });
        m_python.Receive();
        ExpectRequest(1, 1);
        m_python.Step(1, {MakeDiscreteContainer(1)});
        const auto second = ExpectRequest(2, 5);
        NS_TEST_EXPECT_MSG_EQ(second.ended(0).sim_time_ns(), 2000000, "Not the round's time");
        m_python.Step(2, {MakeDiscreteContainer(1)});
        NS_TEST_EXPECT_MSG_EQ(ExpectEnd(5).ended(0).has_sim_time_ns(), false, "The message's time");
        ExpectSuccess(*process);
    }
};

/** Context of the action. */
class ContextTestCase : public InterfaceTestCase
{
  public:
    ContextTestCase()
        : InterfaceTestCase("An agent acts on its own node, also after a round of several agents")
    {
    }

  private:
    void DoRun() override
    {
        auto process = Start(
            [] {
                auto interface = OpenGymMultiAgentInterface::Get();
                for (uint32_t node : {7, 8})
                {
                    const auto name = "agent_" + std::to_string(node);
                    interface->SetGetObservationSpaceCb(name, MakeCallback(&GetWalkerObservations));
                    interface->SetGetActionSpaceCb(name, MakeCallback(&GetWalkerActions));
                    Simulator::ScheduleWithContext(node, MilliSeconds(1), [=] {
                        interface->NotifyCurrentState(
                            name,
                            MakeBoxContainer<float>(1, 0),
                            0,
                            false,
                            {},
                            Time(0),
                            Callback<void, Ptr<OpenGymDataContainer>>(
                                [=](Ptr<OpenGymDataContainer> action) {
                                    interface->NotifyAgentEnd(
                                        name,
                                        MakeBoxContainer<float>(1, Simulator::GetContext()),
                                        0,
                                        true);
                                }));
                    });
                }
                RunPlainly();
            },
            {{"DEFIANCE_ROUNDS", "simultaneous"}});
        m_python.Receive();
        ExpectRequest(1, 1, 2);
        m_python.Step(1, {MakeDiscreteContainer(1), MakeDiscreteContainer(1)});
        const auto end = ExpectEnd(1, 2);
        CheckEnd(end.ended(0), 0, 7, 0, true);
        CheckEnd(end.ended(1), 1, 8, 0, true);
        ExpectSuccess(*process);
    }
};

/** Agents that decide together. */
class SimultaneousRoundTestSuite : public TestSuite
{
  public:
    SimultaneousRoundTestSuite()
        : TestSuite("defiance-simultaneous-round")
    {
        AddTestCase(new SimultaneousTestCase);
        AddTestCase(new TwiceAtOnceTestCase);
        AddTestCase(new BothTwiceTestCase);
        AddTestCase(new TruncatedTwiceTestCase);
        AddTestCase(new EndTimeTestCase);
        AddTestCase(new ContextTestCase);
    }
};

static SimultaneousRoundTestSuite g_simultaneousRoundTestSuite; //!< Registers the suite
