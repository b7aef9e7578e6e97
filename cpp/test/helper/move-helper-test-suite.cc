// SPDX-License-Identifier: GPL-2.0-only

#include "mover-test-support.h"

#include "ns3/test.h"

using namespace ns3;

/**
 * @ingroup defiance-tests
 * @brief Without state, scheduled moves take no time and no traffic.
 */
class ScheduledMovesTestCase : public MoverTestCase
{
  public:
    ScheduledMovesTestCase()
        : MoverTestCase("Scheduled moves")
    {
    }

  private:
    void DoRun() override
    {
        Prepare(0);
        const auto& nodes = topology->nodes;
        MoveHelper::Schedule(
            mover,
            {{Seconds(2), nodes.Get(0)}, {Seconds(1), nodes.Get(2)}, {Seconds(3), nodes.Get(0)}});
        At(Seconds(1.5), [&] { observer->Send(MakeNumberMessage(1)); });
        NS_TEST_EXPECT_MSG_EQ(Run(Seconds(4)),
                              "begin 1-2, move 1-2, begin 2-0, move 2-0",
                              "An order to its own node does nothing");
        NS_TEST_EXPECT_MSG_EQ(moved, Seconds(2), "Immediately");
        NS_TEST_EXPECT_MSG_EQ((agent->observations == Receipts{{0, 1}}),
                              true,
                              "It observes at its new node");
        NS_TEST_EXPECT_MSG_EQ(std::get<int64_t>(mover->GetInfo().at("moves/completed")),
                              2,
                              "Two moves are made");
        NS_TEST_EXPECT_MSG_EQ(AbortsWith(
                                  [&] {
                                      MoveHelper::Schedule(mover, {{Seconds(1), nodes.Get(1)}});
                                  },
                                  "is in the past"),
                              true,
                              "Scheduled times must be in the future");
        NS_TEST_EXPECT_MSG_EQ(AbortsWith([&] { MoveHelper().Install(agent); }, "already"),
                              true,
                              "One mover is enough");
        NS_TEST_EXPECT_MSG_EQ(AbortsWith([&] { mover->MoveTo(nullptr); }, "null"),
                              true,
                              "A node is required");
        NS_TEST_EXPECT_MSG_EQ(
            AbortsWith([&] { CreateObject<ApplicationMover>()->MoveTo(nodes.Get(1)); },
                       "aggregated"),
            true,
            "An application is required");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief Test suite of MoveHelper.
 */
class MoveHelperTestSuite : public TestSuite
{
  public:
    MoveHelperTestSuite()
        : TestSuite("defiance-move-helper", Type::UNIT)
    {
        AddTestCase(new ScheduledMovesTestCase);
    }
};

static MoveHelperTestSuite g_moveHelperTestSuite; //!< Registers the suite
