// SPDX-License-Identifier: GPL-2.0-only

#include "application-test-support.h"

#include "ns3/test.h"

using namespace ns3;

/**
 * @ingroup defiance-tests
 * @brief Actions of several agents are executed, but only while the application runs.
 */
class ActionApplicationTestCase : public TestCase
{
  public:
    ActionApplicationTestCase()
        : TestCase("Action applications execute actions")
    {
    }

  private:
    void DoRun() override
    {
        const auto action = InstallOnNewNode<RecordingAction>({ACTION, 0});
        const auto of43 = CreateObject<SimpleChannelInterface>();
        const auto of7 = CreateObject<SimpleChannelInterface>();
        for (const auto& [agent, far] : {std::pair{43U, of43}, std::pair{7U, of7}})
        {
            const auto near = CreateObject<SimpleChannelInterface>();
            action->AddInterface({AGENT, agent}, near);
            near->Connect(far);
        }
        action->SetStartTime(Seconds(1));
        action->SetStopTime(Seconds(8));
        At(MilliSeconds(500), [&] { of7->Send(MakeNumberMessage(1)); });
        At(Seconds(5), [&] { of43->Send(MakeNumberMessage(2)); });
        At(Seconds(5), [&] { of7->Send(MakeNumberMessage(3)); });
        At(Seconds(6), [&] { of7->Send(MakeNumberMessage(4)); });
        const auto deleted = action->GetInterface({AGENT, 43});
        At(Seconds(7), [&] { action->DeleteInterface({AGENT, 43}, 0); });
        At(Seconds(7), [&] {
            of43->Connect(deleted);
            of43->Send(MakeNumberMessage(5));
        });
        At(Seconds(9), [&] { of7->Send(MakeNumberMessage(6)); });
        Simulator::Run();

        NS_TEST_EXPECT_MSG_EQ((action->actions == Receipts{{43, 2}, {7, 3}, {7, 4}}),
                              true,
                              "Each action is executed once, in order, with its sender, and none "
                              "before the start, after the stop or over a deleted channel");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief Test suite of ActionApplication.
 */
class ActionApplicationTestSuite : public TestSuite
{
  public:
    ActionApplicationTestSuite()
        : TestSuite("defiance-action-application", Type::UNIT)
    {
        AddTestCase(new ActionApplicationTestCase);
    }
};

static ActionApplicationTestSuite g_actionApplicationTestSuite; //!< Registers the suite
