// SPDX-License-Identifier: GPL-2.0-only

#include "channel-test-support.h"
#include "interface-test-support.h"

#include "ns3/abort.h"
#include "ns3/opengym-builders.h"
#include "ns3/opengym-env.h"
#include "ns3/opengym-interface.h"
#include "ns3/simulator.h"

#include <array>

using namespace ns3;

/** A scenario in the style of ns3-gym. */
class CountingEnv : public OpenGymEnv
{
  public:
    Ptr<OpenGymSpace> GetObservationSpace() override
    {
        return GetWalkerObservations();
    }

    Ptr<OpenGymSpace> GetActionSpace() override
    {
        return GetWalkerActions();
    }

    bool GetGameOver() override
    {
        return m_sum >= 4;
    }

    Ptr<OpenGymDataContainer> GetObservation() override
    {
        return MakeBoxContainer<float>(1, m_sum);
    }

    float GetReward() override
    {
        return 0.5F;
    }

    std::string GetExtraInfo() override
    {
        return "sum " + std::to_string(m_sum);
    }

    bool ExecuteActions(Ptr<OpenGymDataContainer> action) override
    {
        m_sum += DynamicCast<OpenGymDiscreteContainer>(action)->GetValue();
        return true;
    }

    OpenGymInfo GetInfo() override
    {
        return {{"twice", 2 * m_sum}};
    }

    /** @return the sum of the actions */
    int64_t GetSum() const
    {
        return m_sum;
    }

    /** Decide every millisecond, and use the decision on the next line. */
    void Tick()
    {
        const auto before = m_sum;
        Notify();
        NS_ABORT_MSG_IF(!GetGameOver() && m_sum == before, "No action was executed");
        Simulator::Schedule(MilliSeconds(1), &CountingEnv::Tick, this);
    }

  private:
    int64_t m_sum{0}; //!< Sum of the actions
};

/** A single agent. */
class SingleAgentTestCase : public InterfaceTestCase
{
  public:
    SingleAgentTestCase()
        : InterfaceTestCase("A subclass of OpenGymEnv runs as agent_0")
    {
    }

  private:
    void DoRun() override
    {
        auto process = Start([] {
            auto env = CreateObject<CountingEnv>();
            Simulator::Schedule(MilliSeconds(1), &CountingEnv::Tick, env);
            Simulator::Run();
            env->NotifySimulationEnd();
            Simulator::Destroy();
        });
        NS_TEST_EXPECT_MSG_EQ(m_python.Receive().hello().agents(0).agent(), "agent_0", "Its name");
        for (int i = 1; i <= 2; ++i)
        {
            const auto request = ExpectRequest(i, i);
            NS_TEST_EXPECT_MSG_EQ(GetSum(request.steps(0).observations(), 0),
                                  2 * (i - 1),
                                  "Its sum");
            NS_TEST_EXPECT_MSG_EQ(request.steps(0).infos(0).info(0).text(),
                                  "sum " + std::to_string(2 * (i - 1)),
                                  "Its extra info");
            NS_TEST_EXPECT_MSG_EQ(request.steps(0).infos(0).info(1).integer(),
                                  4 * (i - 1),
                                  "Its typed info");
            m_python.Step(i, {MakeDiscreteContainer(2)});
        }
        const auto end = ExpectEnd(3, 1);
        CheckEnd(end.ended(0), 0, 4, 0.5, true);
        ExpectSuccess(*process);
    }
};

/** A scenario of callbacks. */
class CallbackTestCase : public InterfaceTestCase
{
  public:
    CallbackTestCase()
        : InterfaceTestCase("Callbacks of OpenGymInterface run as agent_0")
    {
    }

  private:
    /** Two decisions, without callbacks for reward, end and extra info. */
    static void Run()
    {
        int64_t last = 1;
        const auto interface = OpenGymInterface::Get();
        interface->SetGetObservationSpaceCb(MakeCallback(&GetWalkerObservations));
        interface->SetGetActionSpaceCb(MakeCallback(&GetWalkerActions));
        interface->SetGetObservationCb(Callback<Ptr<OpenGymDataContainer>>(
            [&]() -> Ptr<OpenGymDataContainer> { return MakeBoxContainer<float>(1, last); }));
        interface->SetExecuteActionsCb(
            Callback<bool, Ptr<OpenGymDataContainer>>([&](Ptr<OpenGymDataContainer> action) {
                last = DynamicCast<OpenGymDiscreteContainer>(action)->GetValue();
                return false;
            }));
        for (int i = 1; i <= 2; ++i)
        {
            Simulator::Schedule(MilliSeconds(i), &OpenGymInterface::NotifyCurrentState, interface);
        }
        Simulator::Run();
        interface->NotifySimulationEnd();
        Simulator::Destroy();
    }

    void DoRun() override
    {
        auto process = Start([] { Run(); });
        m_python.Receive();
        for (int i = 1; i <= 2; ++i)
        {
            const auto request = ExpectRequest(i, i);
            NS_TEST_EXPECT_MSG_EQ(GetSum(request.steps(0).observations(), 0), i, "The last action");
            NS_TEST_EXPECT_MSG_EQ(request.steps(0).infos_size(), 0, "No extra info");
            m_python.Step(i, {MakeDiscreteContainer(2)});
        }
        CheckEnd(ExpectEnd(2, 1).ended(0), 0, 2, 0, false);
        ExpectSuccess(*process);
        NS_TEST_EXPECT_MSG_EQ(
            AbortsWith([] { CreateObject<OpenGymInterface>()->NotifyCurrentState(); }, "callbacks"),
            true,
            "A missing callback is reported");
    }
};

/** Several agents. */
class SeveralAgentsTestCase : public InterfaceTestCase
{
  public:
    SeveralAgentsTestCase()
        : InterfaceTestCase("Environments with their own names or ports are separate agents")
    {
    }

  private:
    void DoRun() override
    {
        auto process = Start([] {
            const auto first = CreateObject<CountingEnv>();
            const auto second = CreateObject<CountingEnv>();
            const auto named = CreateObject<CountingEnv>();
            first->SetOpenGymInterface(CreateObject<OpenGymInterface>(5555));
            second->SetOpenGymInterface(CreateObject<OpenGymInterface>(5556));
            named->SetAgentName("third");
            Simulator::Schedule(MilliSeconds(1), [=] {
                second->Notify();
                named->Notify();
                NS_ABORT_IF(first->GetSum() != 0 || second->GetSum() != 1 || named->GetSum() != 2);
            });
            RunPlainly();
        });
        const auto hello = m_python.Receive().hello();
        NS_TEST_ASSERT_MSG_EQ(hello.agents_size(), 3, "All are registered from the beginning");
        const std::array names{"agent_0", "agent_1", "third"};
        for (int i = 0; i < 3; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(hello.agents(i).agent(), names[i], "In their order");
        }
        NS_TEST_EXPECT_MSG_EQ(ExpectRequest(1, 1).steps(0).agents(0),
                              1,
                              "The second agent decides");
        m_python.Step(1, {MakeDiscreteContainer(1)});
        NS_TEST_EXPECT_MSG_EQ(ExpectRequest(2, 1).steps(0).agents(0), 2, "The third agent decides");
        m_python.Step(2, {MakeDiscreteContainer(2)});
        ExpectEnd(1, 3);
        ExpectSuccess(*process);
    }
};

/** Environments with the identity of one agent. */
class DuplicateTestCase : public TestCase
{
  public:
    DuplicateTestCase()
        : TestCase("Environments with the identity of one agent are refused")
    {
    }

  private:
    void DoRun() override
    {
        const auto make = [] { return CreateObject<CountingEnv>(); };
        NS_TEST_EXPECT_MSG_EQ(AbortsWith(
                                  [=] {
                                      for (int i = 0; i < 2; ++i)
                                      {
                                          make()->SetOpenGymInterface(OpenGymInterface::Get());
                                      }
                                  },
                                  "use one OpenGymInterface"),
                              true,
                              "One interface");
        NS_TEST_EXPECT_MSG_EQ(AbortsWith(
                                  [=] {
                                      for (int i = 0; i < 2; ++i)
                                      {
                                          make()->SetOpenGymInterface(
                                              CreateObject<OpenGymInterface>(5557));
                                      }
                                  },
                                  "port 5557"),
                              true,
                              "Two interfaces of one port");
        NS_TEST_EXPECT_MSG_EQ(AbortsWith(
                                  [=] {
                                      make()->SetAgentName("a");
                                      make()->SetAgentName("a");
                                  },
                                  "'a' is registered twice"),
                              true,
                              "One name");
        NS_TEST_EXPECT_MSG_EQ(AbortsWith(
                                  [=] {
                                      const auto env = make();
                                      env->SetOpenGymInterface(OpenGymInterface::Get());
                                      env->SetAgentName("late");
                                  },
                                  "'late'"),
                              true,
                              "A second name for one agent");
    }
};

/** Scenarios in the style of ns3-gym. */
class OpenGymEnvTestSuite : public TestSuite
{
  public:
    OpenGymEnvTestSuite()
        : TestSuite("defiance-opengym-env")
    {
        AddTestCase(new SingleAgentTestCase);
        AddTestCase(new CallbackTestCase);
        AddTestCase(new SeveralAgentsTestCase);
        AddTestCase(new DuplicateTestCase);
    }
};

static OpenGymEnvTestSuite g_openGymEnvTestSuite; //!< Registers the suite
