// SPDX-License-Identifier: GPL-2.0-only

#include "application-test-support.h"

#include "ns3/test.h"

#include <iostream>
#include <sstream>

using namespace ns3;

/**
 * @ingroup defiance-tests
 * @brief A message to an application without a channel is lost, with one warning for each.
 */
class UnreachableTestCase : public TestCase
{
  public:
    UnreachableTestCase()
        : TestCase("Messages without a receiver")
    {
    }

  private:
    void DoRun() override
    {
        const auto observation = InstallOnNewNode<ManualObservation>({OBSERVATION, 0});
        const auto agent = InstallOnNewNode<RecordingAgent>({AGENT, 0});
        std::ostringstream said;
        const auto before = std::cerr.rdbuf(said.rdbuf());
        for (int i = 0; i < 2; ++i)
        {
            observation->Send(MakeNumberMessage(1), 4);
            observation->Send(MakeNumberMessage(1), 4, 0);
            agent->SendToAgent(MakeNumberMessage(1), 5);
            agent->SendToAgent(MakeNumberMessage(1), 5, 2);
            agent->SendAction(MakeNumberMessage(1), 6);
            agent->SendAction(MakeNumberMessage(1), 6, 0);
        }
        std::cerr.rdbuf(before);
        std::vector<std::string> warnings;
        std::istringstream lines(said.str());
        for (std::string line; std::getline(lines, line);)
        {
            warnings.push_back(line.substr(0, line.find(", to which")));
        }
        NS_TEST_EXPECT_MSG_EQ(
            (warnings == std::vector<std::string>{"Warning: observation_0 sends to agent_4",
                                                  "Warning: agent_0 sends to agent_5",
                                                  "Warning: agent_0 sends to action_6"}),
            true,
            "One warning for each, but: " << said.str());
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief Test suite of messages to applications without a channel.
 */
class UnreachableApplicationTestSuite : public TestSuite
{
  public:
    UnreachableApplicationTestSuite()
        : TestSuite("defiance-unreachable-application", Type::UNIT)
    {
        AddTestCase(new UnreachableTestCase);
    }
};

static UnreachableApplicationTestSuite g_unreachableApplicationTestSuite; //!< Registers the suite
