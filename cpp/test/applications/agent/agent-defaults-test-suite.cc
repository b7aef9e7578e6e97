// SPDX-License-Identifier: GPL-2.0-only

#include "application-test-support.h"

#include "ns3/opengym-builders.h"
#include "ns3/test.h"

#include <sstream>

using namespace ns3;

/**
 * @ingroup defiance-tests
 * @brief An agent that says nothing but its spaces, and has no TypeId of its own.
 */
class SpacesAgent : public AgentApplication
{
  public:
    using AgentApplication::m_observation;
    using AgentApplication::m_reward;

  private:
    Ptr<OpenGymSpace> GetObservationSpace() override
    {
        return MakeBoxSpace<int32_t>(1, 0, 1000);
    }

    Ptr<OpenGymSpace> GetActionSpace() override
    {
        return MakeDiscreteSpace(1);
    }
};

/**
 * @ingroup defiance-tests
 * @brief An agent that looks for itself: it sees how often it has looked.
 */
class LookingAgent : public SpacesAgent
{
  public:
    uint32_t looks{0};      //!< How often it has looked
    bool isClosed{false};   //!< Whether it sees nothing
    bool isLast{false};     //!< Whether it ends when it looks
    double rewardOfLook{0}; //!< What it earns by looking

  private:
    Ptr<OpenGymDataContainer> Observe() override
    {
        ++looks;
        m_reward += rewardOfLook;
        if (isLast)
        {
            Terminate();
        }
        return isClosed ? nullptr : MakeBoxContainer<int32_t>(1, looks);
    }
};

/**
 * @ingroup defiance-tests
 * @brief Notes the decisions of an agent.
 */
class DefaultsTestCase : public TestCase
{
  public:
    using TestCase::TestCase;

  protected:
    /**
     * @brief Install an agent whose decisions are noted.
     * @tparam T its class
     * @return the agent
     */
    template <typename T>
    Ptr<T> InstallAgent()
    {
        RlApplicationHelper helper;
        const auto agent =
            DynamicCast<T>(helper.Install<T>(NodeContainer(CreateObject<Node>())).Get(0));
        agent->SetId({AGENT, 0});
        agent->TraceConnectWithoutContext("Inference", MakeCallback(&DefaultsTestCase::Note, this));
        return agent;
    }

    std::vector<std::string> decisions; //!< Time in ms, observation, reward

  private:
    /**
     * @brief Note a decision.
     * @param observation what the agent sees
     * @param reward what it has earned
     */
    void Note(Ptr<const OpenGymDataContainer> observation, double reward)
    {
        std::ostringstream text;
        text << Simulator::Now().GetMilliSeconds() << " ";
        observation->Print(text);
        text << " " << reward;
        decisions.push_back(text.str());
    }
};

/**
 * @ingroup defiance-tests
 * @brief Without methods of its own, an agent decides on each message and sums up rewards.
 */
class ReceiveByDefaultTestCase : public DefaultsTestCase
{
  public:
    ReceiveByDefaultTestCase()
        : DefaultsTestCase("What an agent does with messages by default")
    {
    }

  private:
    void DoRun() override
    {
        const auto agent = InstallAgent<SpacesAgent>();
        const auto observer = InstallOnNewNode<ManualObservation>({OBSERVATION, 0});
        const auto rewarder = InstallOnNewNode<ManualReward>({REWARD, 0});
        Link(observer, agent);
        Link(rewarder, agent);
        const auto one = [](int32_t value) { return MakeBoxContainer<int32_t>(1, value); };
        At(MilliSeconds(1), [&] {
            rewarder->Send(MakeDictContainer("reward", MakeBoxContainer<double>(1, 0.25)));
            rewarder->Send(MakeDictContainer("cost", MakeDiscreteContainer(-2)));
            rewarder->Send(MakeDictContainer("other", one(100), "reward", one(8)));
            observer->Send(MakeDictContainer("seen", one(7)));
        });
        At(MilliSeconds(2), [&] { observer->Send(MakeDictContainer("seen", one(8))); });
        Simulator::Stop(MilliSeconds(3));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ((decisions == std::vector<std::string>{"1 [7] 6.25", "2 [8] 0"}),
                              true,
                              "It decides on each observation, with what it has earned");
        for (const auto& message : {MakeDictContainer("reward", MakeBoxContainer<double>(2, 1, 1)),
                                    MakeDictContainer("a", one(1), "b", one(1))})
        {
            const auto reward = [&] {
                rewarder->Send(message);
                Simulator::Run();
            };
            NS_TEST_EXPECT_MSG_EQ(
                AbortsWith(reward, "agent_0 cannot tell the reward in the message"),
                true,
                "A message without one number is no reward");
        }
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief A dict of several entries is the observation itself; with StepInterval it only waits.
 */
class StepByDefaultTestCase : public DefaultsTestCase
{
  public:
    StepByDefaultTestCase()
        : DefaultsTestCase("What an agent with StepInterval does with messages by default")
    {
    }

  private:
    void DoRun() override
    {
        const auto agent = InstallAgent<SpacesAgent>();
        agent->SetAttribute("StepInterval", TimeValue(MilliSeconds(10)));
        const auto observer = InstallOnNewNode<ManualObservation>({OBSERVATION, 0});
        Link(observer, agent);
        const auto one = MakeBoxContainer<int32_t>(1, 7);
        At(MilliSeconds(11), [&] { observer->Send(MakeDictContainer("a", one, "b", one)); });
        At(MilliSeconds(12), [&] {
            NS_TEST_EXPECT_MSG_EQ(decisions.size(), 0, "It does not decide on the message");
            std::ostringstream seen;
            seen << agent->m_observation;
            NS_TEST_EXPECT_MSG_EQ(seen.str(), "{a: [7], b: [7]}", "It sees the whole dict");
            observer->Send(MakeDictContainer("a", one));
        });
        Simulator::Stop(MilliSeconds(35));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ((decisions == std::vector<std::string>{"20 [7] 0", "30 [7] 0"}),
                              true,
                              "It decides at the interval, with what it has received");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief An agent looks before each step, but only when it can decide.
 */
class ObserveTestCase : public DefaultsTestCase
{
  public:
    ObserveTestCase()
        : DefaultsTestCase("An agent that looks for itself")
    {
    }

  private:
    void DoRun() override
    {
        const auto agent = InstallAgent<LookingAgent>();
        agent->SetAttribute("StepInterval", TimeValue(MilliSeconds(10)));
        agent->rewardOfLook = 0.5;
        At(MilliSeconds(25), [&] { agent->isClosed = true; });
        At(MilliSeconds(35), [&] {
            agent->isClosed = false;
            agent->Pause();
        });
        At(MilliSeconds(45), [&] { agent->Resume(); });
        At(MilliSeconds(55), [&] { agent->isLast = true; });
        Simulator::Stop(MilliSeconds(95));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(
            (decisions == std::vector<std::string>{"10 [1] 0.5", "20 [2] 0.5", "50 [4] 1"}),
            true,
            "It decides by what it sees at that instant");
        NS_TEST_EXPECT_MSG_EQ(agent->looks, 5, "It looks neither when paused nor after its end");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief Test suite of what AgentApplication does by default.
 */
class AgentDefaultsTestSuite : public TestSuite
{
  public:
    AgentDefaultsTestSuite()
        : TestSuite("defiance-agent-defaults", Type::UNIT)
    {
        AddTestCase(new ReceiveByDefaultTestCase);
        AddTestCase(new StepByDefaultTestCase);
        AddTestCase(new ObserveTestCase);
    }
};

static AgentDefaultsTestSuite g_agentDefaultsTestSuite; //!< Registers the suite
