// SPDX-License-Identifier: GPL-2.0-only

#include "mover-test-support.h"

#include "ns3/names.h"
#include "ns3/test.h"

using namespace ns3;

namespace
{

constexpr uint32_t STATE_BYTES{50000}; //!< About 90 ms at 5 Mbit/s

} // namespace

/**
 * @ingroup defiance-tests
 * @brief A live move: its state crosses the network, while the agent continues to work.
 */
class LiveMoveTestCase : public MoverTestCase
{
  public:
    LiveMoveTestCase()
        : MoverTestCase("A live move")
    {
    }

  private:
    void DoRun() override
    {
        Prepare(STATE_BYTES);
        At(Seconds(1), [&] { mover->MoveTo(topology->nodes.Get(2)); });
        At(Seconds(1) + MilliSeconds(50), [&] {
            NS_TEST_EXPECT_MSG_EQ(mover->IsUnderWay(), true, "Its state is in flight");
            NS_TEST_EXPECT_MSG_EQ(mover->GetDestination(),
                                  topology->nodes.Get(2),
                                  "to the new node");
            NS_TEST_EXPECT_MSG_EQ(agent->GetNode(),
                                  topology->nodes.Get(1),
                                  "It is at its old node");
            const auto info = mover->GetInfo();
            NS_TEST_EXPECT_MSG_EQ(std::get<int64_t>(info.at("moves/under_way")),
                                  1,
                                  "and reports it");
            NS_TEST_EXPECT_MSG_EQ(std::get<int64_t>(info.at("moves/completed")),
                                  0,
                                  "and reports it");
            observer->Send(MakeNumberMessage(1));
        });
        At(Seconds(2), [&] { observer->Send(MakeNumberMessage(2)); });
        NS_TEST_EXPECT_MSG_EQ(Run(Seconds(3)), "begin 1-2, move 1-2", "It moves");

        // Handshake and headers add to the time of the link; headers are a tenth.
        const auto took = moved - Seconds(1);
        const auto least = DataRate("5Mbps").CalculateBytesTxTime(STATE_BYTES) + MilliSeconds(6);
        NS_TEST_EXPECT_MSG_GT(took, least, "Not before the state arrives");
        NS_TEST_EXPECT_MSG_LT(took, 1.3 * least, "but soon after");
        NS_TEST_EXPECT_MSG_GT(bytes, STATE_BYTES, "The link has carried the whole state");
        NS_TEST_EXPECT_MSG_LT(bytes, 1.2 * STATE_BYTES, "and headers");
        NS_TEST_EXPECT_MSG_EQ((agent->observations == Receipts{{0, 1}, {0, 2}}),
                              true,
                              "It observes before and after the move");
        const auto info = mover->GetInfo();
        NS_TEST_EXPECT_MSG_EQ(std::get<int64_t>(info.at("moves/completed")), 1, "One move");
        NS_TEST_EXPECT_MSG_EQ(std::get<int64_t>(info.at("moves/under_way")), 0, "and no further");
        NS_TEST_EXPECT_MSG_EQ(std::get<int64_t>(info.at("moves/node")),
                              topology->nodes.Get(2)->GetId(),
                              "It is at the new node");
        NS_TEST_EXPECT_MSG_EQ(std::get<double>(info.at("moves/duration")),
                              took.GetSeconds(),
                              "after the expected time");
        NS_TEST_EXPECT_MSG_EQ(info.count("moves/node_name"), 0, "Its node has no name");
        Names::Add("edge", topology->nodes.Get(2));
        NS_TEST_EXPECT_MSG_EQ(std::get<std::string>(mover->GetInfo().at("moves/node_name")),
                              "edge",
                              "Now it has one");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief Stop and copy: the agent does nothing during the move, and forgets nothing.
 */
class StopAndCopyTestCase : public MoverTestCase
{
  public:
    StopAndCopyTestCase()
        : MoverTestCase("Stop and copy")
    {
    }

  private:
    void DoRun() override
    {
        Prepare(STATE_BYTES, ApplicationMover::STOP_AND_COPY);
        const auto reward = Get<ManualReward>(rewards);
        const auto action = Get<RecordingAction>(actions);
        agent->isInferringAtOnce = true;
        agent->SetAttribute("ActionDelay", TimeValue(MilliSeconds(20)));
        At(Seconds(1), [&] {
            observer->Send(MakeNumberMessage(1)); // decided 2 ms and a little later
        });
        At(Seconds(1) + MilliSeconds(10), [&] { mover->MoveTo(topology->nodes.Get(2)); });
        At(Seconds(1) + MilliSeconds(30), [&] {
            NS_TEST_EXPECT_MSG_EQ(agent->IsPaused(), true, "It is paused");
            NS_TEST_EXPECT_MSG_EQ(agent->IsRunning(), false, "and does not run");
            agent->SendAction(MakeNumberMessage(9));
            observer->Send(MakeNumberMessage(2));
            reward->Send(MakeNumberMessage(30));
        });
        At(Seconds(1) + MilliSeconds(40), [&] { observer->Send(MakeNumberMessage(3)); });
        At(Seconds(1) + MilliSeconds(60), [&] {
            NS_TEST_EXPECT_MSG_EQ(agent->observations.size(), 1, "It has not received anything");
            NS_TEST_EXPECT_MSG_EQ(action->actions.size(), 0, "nor acted");
        });
        NS_TEST_EXPECT_MSG_EQ(Run(Seconds(3)), "begin 1-2, move 1-2", "It moves");
        NS_TEST_EXPECT_MSG_EQ(agent->IsRunning(), true, "It runs again");
        NS_TEST_EXPECT_MSG_EQ((agent->observations == Receipts{{0, 1}, {0, 2}, {0, 3}}),
                              true,
                              "Messages that arrived are received, in order");
        NS_TEST_EXPECT_MSG_EQ((agent->rewards == Receipts{{0, 30}}), true, "Rewards, too");
        NS_TEST_ASSERT_MSG_EQ(action->times.size(),
                              3,
                              "It acts on each, and sent nothing while paused");
        NS_TEST_EXPECT_MSG_EQ(action->times[0], moved, "The pending decision comes first");
        NS_TEST_EXPECT_MSG_EQ(action->times[2], moved + MilliSeconds(20), "then later ones");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief The newest order replaces the earlier one.
 */
class ReplacedMoveTestCase : public MoverTestCase
{
  public:
    /**
     * @brief Create the case.
     * @param strategy the agent's behaviour during the move
     */
    explicit ReplacedMoveTestCase(ApplicationMover::Strategy strategy)
        : MoverTestCase("A newer order replaces a move"),
          m_strategy(strategy)
    {
    }

  private:
    void DoRun() override
    {
        Prepare(STATE_BYTES, m_strategy);
        const auto& nodes = topology->nodes;
        MoveHelper::Schedule(mover,
                             {{Seconds(1), nodes.Get(2)},
                              {Seconds(1.02), nodes.Get(0)},
                              {Seconds(1.03), nodes.Get(0)},
                              {Seconds(2), nodes.Get(2)},
                              {Seconds(2.02), nodes.Get(0)}});
        NS_TEST_EXPECT_MSG_EQ(Run(Seconds(3)),
                              "begin 1-2, cancel 1-2, begin 1-0, move 1-0, begin 0-2, cancel 0-2",
                              "To another node, and back to its own node");
        NS_TEST_EXPECT_MSG_EQ(std::get<int64_t>(mover->GetInfo().at("moves/replaced")),
                              2,
                              "Two moves were replaced");
        NS_TEST_EXPECT_MSG_EQ(std::get<int64_t>(mover->GetInfo().at("moves/completed")),
                              1,
                              "and one completed");
        NS_TEST_EXPECT_MSG_EQ(std::get<int64_t>(mover->GetInfo().at("moves/failed")),
                              0,
                              "None failed");
        NS_TEST_EXPECT_MSG_EQ(mover->IsUnderWay(), false, "None is in progress");
        NS_TEST_EXPECT_MSG_EQ(agent->IsRunning(), true, "It runs");
        Simulator::Destroy();
    }

    ApplicationMover::Strategy m_strategy; //!< The agent's behaviour during the move
};

/**
 * @ingroup defiance-tests
 * @brief If the state does not arrive, the application does not move.
 */
class FailedMoveTestCase : public MoverTestCase
{
  public:
    FailedMoveTestCase()
        : MoverTestCase("A move whose connection fails")
    {
    }

  private:
    void DoRun() override
    {
        Prepare(STATE_BYTES, ApplicationMover::STOP_AND_COPY);
        topology->LosePackets(3, 1);
        At(Seconds(1), [&] { mover->MoveTo(topology->nodes.Get(2)); });
        At(Seconds(2), [&] { observer->Send(MakeNumberMessage(1)); });
        NS_TEST_EXPECT_MSG_EQ(Run(Hours(1)), "begin 1-2, cancel 1-2", "It does not move");
        NS_TEST_EXPECT_MSG_EQ(std::get<int64_t>(mover->GetInfo().at("moves/failed")),
                              1,
                              "It has failed");
        NS_TEST_EXPECT_MSG_EQ(agent->GetNode(), topology->nodes.Get(1), "It stays");
        NS_TEST_EXPECT_MSG_EQ((agent->observations == Receipts{{0, 1}}), true, "and continues");

        const auto bare = CreateObject<Node>();
        NS_TEST_EXPECT_MSG_EQ(AbortsWith([&] { mover->MoveTo(bare); }, "cannot send its state"),
                              true,
                              "State needs addresses");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief Test suite of ApplicationMover.
 */
class ApplicationMoverTestSuite : public TestSuite
{
  public:
    ApplicationMoverTestSuite()
        : TestSuite("defiance-application-mover", Type::UNIT)
    {
        AddTestCase(new LiveMoveTestCase);
        AddTestCase(new StopAndCopyTestCase);
        AddTestCase(new ReplacedMoveTestCase(ApplicationMover::LIVE));
        AddTestCase(new ReplacedMoveTestCase(ApplicationMover::STOP_AND_COPY));
        AddTestCase(new FailedMoveTestCase);
    }
};

static ApplicationMoverTestSuite g_applicationMoverTestSuite; //!< Registers the suite
