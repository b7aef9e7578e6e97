// SPDX-License-Identifier: GPL-2.0-only

#include "communication-test-support.h"

#include "ns3/enum.h"
#include "ns3/move-helper.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

using namespace ns3;

namespace
{

constexpr uint32_t STATE_BYTES{50000}; //!< Some 90 ms at 5 Mbit/s

/**
 * @ingroup defiance-tests
 * @brief An agent on the middle one of three nodes observes the first one, and has a mover.
 */
class MoverTestCase : public HelperTestCase
{
  protected:
    using HelperTestCase::HelperTestCase;

    /**
     * @brief Install and connect everything.
     * @param stateBytes size of the state
     * @param strategy what the agent does meanwhile
     */
    void Prepare(uint32_t stateBytes, ApplicationMover::Strategy strategy = ApplicationMover::LIVE)
    {
        Install();
        communication.SetIds();
        communication.AddCommunication(
            {{observers.GetId(0), agents.GetId(0), SocketCommunicationAttributes{}},
             {rewards.GetId(0), agents.GetId(0)},
             {actions.GetId(0), agents.GetId(0)}});
        communication.Configure();
        observer = Get<ManualObservation>(observers);
        agent = Get<RecordingAgent>(agents);
        MoveHelper helper;
        helper.SetAttribute("StateBytes", UintegerValue(stateBytes));
        helper.SetAttribute("Strategy", EnumValue(strategy));
        mover = helper.Install(agent);
        agent->TraceConnectWithoutContext("Move", MakeCallback(&MoverTestCase::NoteMove, this));
        mover->TraceConnectWithoutContext("Begin", MakeCallback(&MoverTestCase::NoteBegin, this));
        mover->TraceConnectWithoutContext("Cancel", MakeCallback(&MoverTestCase::NoteCancel, this));
        // From the middle node to the last one.
        topology->devices.Get(2)->TraceConnectWithoutContext(
            "PhyTxEnd",
            MakeCallback(&MoverTestCase::NoteBytes, this));
    }

    /**
     * @brief Run the simulation without destroying it.
     * @param duration how long
     * @return what happened to moves: "begin 1-2, move 1-2"
     */
    std::string Run(Time duration)
    {
        Simulator::Stop(duration);
        Simulator::Run();
        return m_log;
    }

    Ptr<ManualObservation> observer; //!< On the first node
    Ptr<RecordingAgent> agent;       //!< On the middle one, at first
    Ptr<ApplicationMover> mover;     //!< That of the agent
    uint64_t bytes{0};               //!< On the link from the middle node to the last one
    Time moved;                      //!< When the last move was made

  private:
    /**
     * @brief Write into the log.
     * @param what what happens
     * @param from where
     * @param to where to
     */
    void Note(const std::string& what, Ptr<Node> from, Ptr<Node> to)
    {
        m_log += (m_log.empty() ? "" : ", ") + what + " " + std::to_string(from->GetId()) + "-" +
                 std::to_string(to->GetId());
    }

    /**
     * @brief Note a move that is made.
     * @param from where from
     * @param to where to
     */
    void NoteMove(Ptr<Node> from, Ptr<Node> to)
    {
        moved = Simulator::Now();
        Note("move", from, to);
    }

    /**
     * @brief Note a move that begins.
     * @param from where from
     * @param to where to
     */
    void NoteBegin(Ptr<Node> from, Ptr<Node> to)
    {
        Note("begin", from, to);
    }

    /**
     * @brief Note a move that is not made.
     * @param from where from
     * @param to where to
     */
    void NoteCancel(Ptr<Node> from, Ptr<Node> to)
    {
        Note("cancel", from, to);
    }

    /**
     * @brief Count what a link carries.
     * @param packet with its headers
     */
    void NoteBytes(Ptr<const Packet> packet)
    {
        bytes += packet->GetSize();
    }

    std::string m_log; //!< What has happened to moves
};

} // namespace

/**
 * @ingroup defiance-tests
 * @brief Without state a move takes no time and no traffic, at the times of a schedule.
 */
class ScheduledMovesTestCase : public MoverTestCase
{
  public:
    ScheduledMovesTestCase()
        : MoverTestCase("Moves at given times")
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
                              "An order to where it is does nothing");
        NS_TEST_EXPECT_MSG_EQ(moved, Seconds(2), "At once");
        NS_TEST_EXPECT_MSG_EQ((agent->observations == Receipts{{0, 1}}), true, "It observes there");
        NS_TEST_EXPECT_MSG_EQ(mover->GetCompletedCount(), 2, "Two moves are made");
        NS_TEST_EXPECT_MSG_EQ(AbortsWith(
                                  [&] {
                                      MoveHelper::Schedule(mover, {{Seconds(1), nodes.Get(1)}});
                                  },
                                  "is in the past"),
                              true,
                              "A schedule lies in the future");
        NS_TEST_EXPECT_MSG_EQ(AbortsWith([&] { MoveHelper().Install(agent); }, "already"),
                              true,
                              "One mover is enough");
        NS_TEST_EXPECT_MSG_EQ(AbortsWith([&] { mover->MoveTo(nullptr); }, "null"),
                              true,
                              "There must be a node");
        NS_TEST_EXPECT_MSG_EQ(
            AbortsWith([&] { CreateObject<ApplicationMover>()->MoveTo(nodes.Get(1)); },
                       "aggregated"),
            true,
            "There must be an application");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief A live move: its state crosses the network, and the agent works on meanwhile.
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
            NS_TEST_EXPECT_MSG_EQ(mover->IsUnderWay(), true, "Its state is on the way");
            NS_TEST_EXPECT_MSG_EQ(mover->GetDestination(), topology->nodes.Get(2), "to there");
            NS_TEST_EXPECT_MSG_EQ(agent->GetNode(), topology->nodes.Get(1), "It is where it was");
            const auto info = mover->GetInfo();
            NS_TEST_EXPECT_MSG_EQ(std::get<int64_t>(info.at("moves/under_way")), 1, "and says so");
            NS_TEST_EXPECT_MSG_EQ(std::get<int64_t>(info.at("moves/completed")), 0, "and says so");
            observer->Send(MakeNumberMessage(1));
        });
        At(Seconds(2), [&] { observer->Send(MakeNumberMessage(2)); });
        NS_TEST_EXPECT_MSG_EQ(Run(Seconds(3)), "begin 1-2, move 1-2", "It moves");

        // The stream and its handshake are slower than the link; TCP and IP add a tenth.
        const auto took = moved - Seconds(1);
        const auto least = DataRate("5Mbps").CalculateBytesTxTime(STATE_BYTES) + MilliSeconds(6);
        NS_TEST_EXPECT_MSG_GT(took, least, "Not before the state is there");
        NS_TEST_EXPECT_MSG_LT(took, 1.3 * least, "but soon");
        NS_TEST_EXPECT_MSG_GT(bytes, STATE_BYTES, "The link has carried all of it");
        NS_TEST_EXPECT_MSG_LT(bytes, 1.2 * STATE_BYTES, "and headers");
        NS_TEST_EXPECT_MSG_EQ((agent->observations == Receipts{{0, 1}, {0, 2}}),
                              true,
                              "It observes meanwhile, and afterwards");
        const auto info = mover->GetInfo();
        NS_TEST_EXPECT_MSG_EQ(std::get<int64_t>(info.at("moves/completed")), 1, "One move");
        NS_TEST_EXPECT_MSG_EQ(std::get<int64_t>(info.at("moves/under_way")), 0, "and no more");
        NS_TEST_EXPECT_MSG_EQ(std::get<int64_t>(info.at("moves/node")),
                              topology->nodes.Get(2)->GetId(),
                              "It is there");
        NS_TEST_EXPECT_MSG_EQ(std::get<double>(info.at("moves/duration")),
                              took.GetSeconds(),
                              "after so long");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief Stop and copy: nothing happens meanwhile, and nothing is forgotten.
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
            NS_TEST_EXPECT_MSG_EQ(agent->observations.size(), 1, "It has not taken in anything");
            NS_TEST_EXPECT_MSG_EQ(action->actions.size(), 0, "nor acted");
        });
        NS_TEST_EXPECT_MSG_EQ(Run(Seconds(3)), "begin 1-2, move 1-2", "It moves");
        NS_TEST_EXPECT_MSG_EQ(agent->IsRunning(), true, "It runs again");
        NS_TEST_EXPECT_MSG_EQ((agent->observations == Receipts{{0, 1}, {0, 2}, {0, 3}}),
                              true,
                              "What arrived is taken in, in order");
        NS_TEST_EXPECT_MSG_EQ((agent->rewards == Receipts{{0, 30}}), true, "Rewards, too");
        NS_TEST_ASSERT_MSG_EQ(action->times.size(), 3, "It acts on each, and sent nothing paused");
        NS_TEST_EXPECT_MSG_EQ(action->times[0], moved, "The decision under way comes first");
        NS_TEST_EXPECT_MSG_EQ(action->times[2], moved + MilliSeconds(20), "then later ones");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief The newest order counts.
 */
class ReplacedMoveTestCase : public MoverTestCase
{
  public:
    /**
     * @brief Create the case.
     * @param strategy what the agent does meanwhile
     */
    explicit ReplacedMoveTestCase(ApplicationMover::Strategy strategy)
        : MoverTestCase("A newer order takes the place of a move"),
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
                              "Another destination, and back to where it is");
        NS_TEST_EXPECT_MSG_EQ(mover->GetReplacedCount(), 2, "Two were replaced");
        NS_TEST_EXPECT_MSG_EQ(mover->GetCompletedCount(), 1, "and one made");
        NS_TEST_EXPECT_MSG_EQ(mover->GetFailedCount(), 0, "None failed");
        NS_TEST_EXPECT_MSG_EQ(mover->IsUnderWay(), false, "None is under way");
        NS_TEST_EXPECT_MSG_EQ(agent->IsRunning(), true, "It runs");
        Simulator::Destroy();
    }

    ApplicationMover::Strategy m_strategy; //!< What the agent does meanwhile
};

/**
 * @ingroup defiance-tests
 * @brief Where no state arrives, nobody moves.
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
        NS_TEST_EXPECT_MSG_EQ(mover->GetFailedCount(), 1, "It has failed");
        NS_TEST_EXPECT_MSG_EQ(agent->GetNode(), topology->nodes.Get(1), "It stays");
        NS_TEST_EXPECT_MSG_EQ((agent->observations == Receipts{{0, 1}}), true, "and goes on");

        const auto bare = CreateObject<Node>();
        NS_TEST_EXPECT_MSG_EQ(AbortsWith([&] { mover->MoveTo(bare); }, "cannot send its state"),
                              true,
                              "State needs addresses");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief Test suite of ApplicationMover and MoveHelper.
 */
class ApplicationMoverTestSuite : public TestSuite
{
  public:
    ApplicationMoverTestSuite()
        : TestSuite("defiance-application-mover", Type::UNIT)
    {
        AddTestCase(new ScheduledMovesTestCase);
        AddTestCase(new LiveMoveTestCase);
        AddTestCase(new StopAndCopyTestCase);
        AddTestCase(new ReplacedMoveTestCase(ApplicationMover::LIVE));
        AddTestCase(new ReplacedMoveTestCase(ApplicationMover::STOP_AND_COPY));
        AddTestCase(new FailedMoveTestCase);
    }
};

static ApplicationMoverTestSuite g_applicationMoverTestSuite; //!< Registers the suite
