// SPDX-License-Identifier: GPL-2.0-only

#include "application-test-support.h"

#include "ns3/opengym-builders.h"
#include "ns3/test.h"

#include <sstream>

using namespace ns3;

/**
 * @ingroup defiance-tests
 * @brief An agent that defines only its spaces, without a TypeId.
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
 * @brief An agent that observes by itself: it observes the number of its observations.
 */
class LookingAgent : public SpacesAgent
{
  public:
    uint32_t looks{0};      //!< Number of its observations
    bool isClosed{false};   //!< Whether its observation is null
    bool isLast{false};     //!< Whether it ends at its observation
    double rewardOfLook{0}; //!< Reward of an observation

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
 * @brief Records the decisions of an agent.
 */
class DefaultsTestCase : public TestCase
{
  public:
    using TestCase::TestCase;

  protected:
    /**
     * @brief Install an agent whose decisions are recorded.
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
     * @param observation the observation
     * @param reward the reward
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
 * @brief Without overridden methods, an agent decides on each message and sums up rewards.
 */
class ReceiveByDefaultTestCase : public DefaultsTestCase
{
  public:
    ReceiveByDefaultTestCase()
        : DefaultsTestCase("Messages to an agent with default methods")
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
                              "It decides on each observation, with its reward");
        for (const auto& message : {MakeDictContainer("reward", MakeBoxContainer<double>(2, 1, 1)),
                                    MakeDictContainer("a", one(1), "b", one(1))})
        {
            const auto reward = [&] {
                rewarder->Send(message);
                Simulator::Run();
            };
            NS_TEST_EXPECT_MSG_EQ(
                AbortsWith(reward, "agent_0 cannot find the reward in the message"),
                true,
                "A message without exactly one number is not a reward");
        }
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief A dict of several entries is the observation; with StepInterval it waits for the step.
 */
class StepByDefaultTestCase : public DefaultsTestCase
{
  public:
    StepByDefaultTestCase()
        : DefaultsTestCase("Messages to an agent with StepInterval and default methods")
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
            NS_TEST_EXPECT_MSG_EQ(seen.str(), "{a: [7], b: [7]}", "It observes the whole dict");
            observer->Send(MakeDictContainer("a", one));
        });
        Simulator::Stop(MilliSeconds(35));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ((decisions == std::vector<std::string>{"20 [7] 0", "30 [7] 0"}),
                              true,
                              "It decides at the interval, with the received messages");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief An agent observes before each step, but only when it can decide.
 */
class ObserveTestCase : public DefaultsTestCase
{
  public:
    ObserveTestCase()
        : DefaultsTestCase("An agent that observes by itself")
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
            "It decides on its observation of that instant");
        NS_TEST_EXPECT_MSG_EQ(agent->looks, 5, "It does not observe when paused or after its end");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief Test suite of the defaults of AgentApplication.
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
