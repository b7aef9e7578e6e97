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
        : TestCase("Install applications")
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
 * @brief Test suite of RlApplicationHelper.
 */
class RlApplicationHelperTestSuite : public TestSuite
{
  public:
    RlApplicationHelperTestSuite()
        : TestSuite("defiance-rl-application-helper", Type::UNIT)
    {
        AddTestCase(new InstallTestCase);
    }
};

static RlApplicationHelperTestSuite g_rlApplicationHelperTestSuite; //!< Registers the suite
