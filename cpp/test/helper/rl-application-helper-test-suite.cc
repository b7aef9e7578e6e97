// SPDX-License-Identifier: GPL-2.0-only

#include "application-test-support.h"

#include "ns3/names.h"
#include "ns3/test.h"

using namespace ns3;

/**
 * @ingroup defiance-tests
 * @brief Applications are created with their attributes, on nodes, node containers and names.
 */
class InstallTestCase : public TestCase
{
  public:
    InstallTestCase()
        : TestCase("Installed applications")
    {
    }

  private:
    void DoRun() override
    {
        NodeContainer nodes(3);
        Names::Add("edge", nodes.Get(2));
        RlApplicationHelper installer(RecordingAgent::GetTypeId());
        installer.SetAttribute("StepInterval", TimeValue(Seconds(3)));
        auto agents = installer.Install(nodes);
        agents.Add(installer.Install("edge"));
        NS_TEST_ASSERT_MSG_EQ(agents.GetN(), 4, "One for each node, and one by name");
        NS_TEST_EXPECT_MSG_EQ(agents.Get(3)->GetNode(), nodes.Get(2), "The name is that of a node");
        TimeValue interval;
        agents.Get(0)->GetAttribute("StepInterval", interval);
        NS_TEST_EXPECT_MSG_EQ(interval.Get(), Seconds(3), "Attributes are set");
        const auto expectAbort = [this](const std::function<void()>& run,
                                        const std::string& words) {
            NS_TEST_EXPECT_MSG_EQ(AbortsWith(run, words), true, "Should abort with: " << words);
        };
        expectAbort([&] { agents.Get(4); }, "no application 4 in a container of 4");
        expectAbort([&] { installer.Install("nowhere"); }, "no node named 'nowhere'");
        expectAbort([&] { RlApplicationHelper("ns3::Node").Install(nodes); },
                    "not an RlApplication");
        expectAbort([&] { RlApplicationHelper("ns3::AgentApplication").Install(nodes); },
                    "AddConstructor");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief An agent with an argument, and without a TypeId.
 */
class NamedAgent : public RecordingAgent
{
  public:
    /**
     * @brief Create an agent.
     * @param name its name
     */
    explicit NamedAgent(const std::string& name)
        : name(name)
    {
    }

    std::string name; //!< Its name
};

/**
 * @ingroup defiance-tests
 * @brief Classes are installed with arguments, with and without their own TypeId.
 */
class InstallClassTestCase : public TestCase
{
  public:
    InstallClassTestCase()
        : TestCase("Installed applications of a class")
    {
    }

  private:
    /**
     * @brief Get the StepInterval of an agent.
     * @param agent the agent
     * @return its StepInterval
     */
    static Time GetStepInterval(Ptr<RlApplication> agent)
    {
        TimeValue interval;
        agent->GetAttribute("StepInterval", interval);
        return interval.Get();
    }

    void DoRun() override
    {
        NodeContainer nodes(2);
        RlApplicationHelper installer;
        installer.SetAttribute("StepInterval", TimeValue(Seconds(3)));
        const auto agents = installer.Install<NamedAgent>(nodes, "Ada");
        NS_TEST_ASSERT_MSG_EQ(agents.GetN(), 2, "One for each node");
        for (uint32_t i = 0; i < 2; ++i)
        {
            const auto agent = DynamicCast<NamedAgent>(agents.Get(i));
            NS_TEST_EXPECT_MSG_EQ(agent->name, "Ada", "The constructor receives its argument");
            NS_TEST_EXPECT_MSG_EQ(agent->GetNode(), nodes.Get(i), "Each is on its node");
            NS_TEST_EXPECT_MSG_EQ(GetStepInterval(agent), Seconds(3), "Attributes are set");
            NS_TEST_EXPECT_MSG_EQ(agent->GetInstanceTypeId(),
                                  RecordingAgent::GetTypeId(),
                                  "A class without a TypeId has its parent's");
        }
        NS_TEST_EXPECT_MSG_EQ(installer.Install<RecordingAgent>(nodes.Get(1)).GetN(), 1, "One");

        RlApplicationHelper typed(RecordingAgent::GetTypeId());
        typed.SetAttribute("StepInterval", TimeValue(Seconds(4)));
        typed.SetAttribute("StartTime", TimeValue(Seconds(5)));
        NS_TEST_EXPECT_MSG_EQ(GetStepInterval(typed.Install<RecordingAgent>(nodes).Get(0)),
                              Seconds(4),
                              "Attributes of the configured type hold, too");
        TimeValue start;
        typed.Install<RecordingAction>(nodes).Get(0)->GetAttribute("StartTime", start);
        NS_TEST_EXPECT_MSG_EQ(start.Get(), Seconds(5), "or attributes that both inherit");

        const auto expectAbort = [this](const std::function<void()>& run,
                                        const std::string& words) {
            NS_TEST_EXPECT_MSG_EQ(AbortsWith(run, words), true, "Should abort with: " << words);
        };
        expectAbort([&] { installer.Install<RecordingAction>(nodes); },
                    "RecordingAction has no attribute 'StepInterval'");
        expectAbort([&] { installer.Install(nodes); }, "There is no type to install");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief Test suite of RlApplicationHelper.
 */
class RlApplicationHelperTestSuite : public TestSuite
{
  public:
    RlApplicationHelperTestSuite()
        : TestSuite("defiance-rl-application-helper", Type::UNIT)
    {
        AddTestCase(new InstallTestCase);
        AddTestCase(new InstallClassTestCase);
    }
};

static RlApplicationHelperTestSuite g_rlApplicationHelperTestSuite; //!< Registers the suite
