// SPDX-License-Identifier: GPL-2.0-only

#include "interface-test-support.h"

#include "ns3/abort.h"
#include "ns3/opengym-builders.h"
#include "ns3/simulator.h"

using namespace ns3;

namespace
{

/**
 * @param agent Name of a Walker, which may be any agent except the one that requests now.
 * @param sum Its observation.
 * @param reward Its reward.
 * @return its action, or -1 if there is none
 */
int64_t
RequestNumber(const std::string& agent, float sum, double reward)
{
    const auto action =
        OpenGymMultiAgentInterface::Get()->RequestAction(agent,
                                                         MakeBoxContainer<float>(1, sum),
                                                         reward);
    return action ? DynamicCast<OpenGymDiscreteContainer>(action)->GetValue() : -1;
}

} // namespace

/** One agent that needs its action immediately. */
class WithinCallTestCase : public InterfaceTestCase
{
  public:
    WithinCallTestCase()
        : InterfaceTestCase("RequestAction() returns Python's action at the same instant")
    {
    }

  private:
    void DoRun() override
    {
        auto process = Start([] {
            Walker a("a");
            Simulator::Schedule(MilliSeconds(3), [] {
                const auto first = RequestNumber("a", 1, 0);
                // The second call observes the action of the first one.
                const auto second = RequestNumber("a", 10 * first, 0.5);
                NS_ABORT_IF(first != 2 || second != 1 || Simulator::Now() != MilliSeconds(3));
            });
            RunPlainly();
        });
        m_python.Receive();
        NS_TEST_EXPECT_MSG_EQ(GetSum(ExpectRequest(1, 3).steps(0).observations(), 0), 1, "First");
        m_python.Step(1, {MakeDiscreteContainer(2)});
        const auto second = ExpectRequest(2, 3);
        NS_TEST_EXPECT_MSG_EQ(GetSum(second.steps(0).observations(), 0), 20, "Second");
        NS_TEST_EXPECT_MSG_EQ(second.steps(0).rewards(0), 0.5, "Its reward");
        m_python.Step(2, {MakeDiscreteContainer(1)});
        ExpectEnd(3);
        ExpectSuccess(*process);
    }
};

/** Other agents that decide together at the same instant. */
class BesideRoundTestCase : public InterfaceTestCase
{
  public:
    BesideRoundTestCase()
        : InterfaceTestCase("A simultaneous round waits while another agent decides alone")
    {
    }

  private:
    void DoRun() override
    {
        auto process = Start(
            [] {
                Walker a("a");
                Walker b("b");
                Walker c("c");
                a.AskAt(MilliSeconds(1));
                Simulator::Schedule(MilliSeconds(1),
                                    [] { NS_ABORT_IF(RequestNumber("b", 7, 0) != 2); });
                c.AskAt(MilliSeconds(1));
                RunPlainly();
            },
            {{"DEFIANCE_ROUNDS", "simultaneous"}});
        m_python.Receive();
        const auto alone = ExpectRequest(1, 1, 1);
        NS_TEST_EXPECT_MSG_EQ(alone.steps(0).agents(0), 1, "Agent b");
        m_python.Step(1, {MakeDiscreteContainer(2)});
        const auto together = ExpectRequest(2, 1, 2);
        NS_TEST_EXPECT_MSG_EQ(together.steps(0).agents(0), 0, "Agent a");
        NS_TEST_EXPECT_MSG_EQ(together.steps(0).agents(1), 2, "Agent c");
        m_python.Step(2, {MakeDiscreteContainer(1), MakeDiscreteContainer(1)});
        ExpectEnd(1, 3);
        ExpectSuccess(*process);
    }
};

/** An agent that already waits for an action. */
class OwnQuestionTestCase : public InterfaceTestCase
{
  public:
    OwnQuestionTestCase()
        : InterfaceTestCase("An agent's earlier request of the instant is answered first")
    {
    }

  private:
    void DoRun() override
    {
        auto process = Start(
            [] {
                Walker a("a");
                a.AskAt(MilliSeconds(1));
                Simulator::Schedule(MilliSeconds(1),
                                    [] { NS_ABORT_IF(RequestNumber("a", 5, 3) != 2); });
                RunPlainly();
            },
            {{"DEFIANCE_ROUNDS", "simultaneous"}});
        m_python.Receive();
        NS_TEST_EXPECT_MSG_EQ(ExpectRequest(1, 1).steps(0).rewards(0), 1, "Requested before");
        m_python.Step(1, {MakeDiscreteContainer(1)});
        NS_TEST_EXPECT_MSG_EQ(ExpectRequest(2, 1).steps(0).rewards(0), 3, "Requested in the call");
        m_python.Step(2, {MakeDiscreteContainer(2)});
        ExpectEnd(1);
        ExpectSuccess(*process);
    }
};

/** The end of the episode in place of an action. */
class NoActionTestCase : public InterfaceTestCase
{
  public:
    NoActionTestCase()
        : InterfaceTestCase("There is no action if the episode ends, and no reward is lost")
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
                Simulator::Schedule(MilliSeconds(1), [] {
                    NS_ABORT_IF(RequestNumber("b", 5, 3) != -1);
                    NS_ABORT_IF(RequestNumber("b", 6, 4) != -1);
                });
                RunPlainly();
            },
            {{"DEFIANCE_ROUNDS", "simultaneous"}});
        m_python.Receive();
        ExpectRequest(1, 1);
        m_python.Command(1, defiance::v1::COMMAND_TRUNCATE);
        const auto end = ExpectEnd(1, 2);
        CheckEnd(end.ended(0), 1, 5, 0, false); // its reward was reported
        CheckEnd(end.ended(1), 0, 0, 1, false); // it never decided
        ExpectSuccess(*process);
    }
};

/** Python stops the simulation. */
class NoActionAfterStopTestCase : public InterfaceTestCase
{
  public:
    NoActionAfterStopTestCase()
        : InterfaceTestCase("There is no action if Python stops the simulation")
    {
    }

  private:
    void DoRun() override
    {
        auto process = Start([] {
            Walker a("a");
            Simulator::Schedule(MilliSeconds(1),
                                [] { NS_ABORT_IF(RequestNumber("a", 5, 3) != -1); });
            RunPlainly();
        });
        m_python.Receive();
        ExpectRequest(1, 1);
        m_python.Command(1, defiance::v1::COMMAND_STOP);
        ExpectSuccess(*process);
    }
};

/** Without Python. */
class BuiltInTestCase : public TestCase
{
  public:
    BuiltInTestCase()
        : TestCase("Built-in policies decide within a call, too")
    {
    }

  private:
    void DoRun() override
    {
        ForkedSimulation process(
            [] {
                Walker a("a");
                Simulator::Schedule(MilliSeconds(1),
                                    [] { NS_ABORT_IF(RequestNumber("a", 5, 3) != 2); });
                RunPlainly();
                return 0;
            },
            {{"DEFIANCE_POLICY", "constant"}, {"DEFIANCE_ACTION", "2"}});
        const auto end = process.Wait();
        NS_TEST_EXPECT_MSG_EQ(end.exited && end.status == 0, true, end.errors);
    }
};

/** Decisions within a call. */
class RequestActionTestSuite : public TestSuite
{
  public:
    RequestActionTestSuite()
        : TestSuite("defiance-request-action")
    {
        AddTestCase(new WithinCallTestCase);
        AddTestCase(new BesideRoundTestCase);
        AddTestCase(new OwnQuestionTestCase);
        AddTestCase(new NoActionTestCase);
        AddTestCase(new NoActionAfterStopTestCase);
        AddTestCase(new BuiltInTestCase);
    }
};

static RequestActionTestSuite g_requestActionTestSuite; //!< Registers the suite
