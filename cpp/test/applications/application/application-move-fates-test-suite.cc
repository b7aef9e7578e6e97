// SPDX-License-Identifier: GPL-2.0-only

#include "communication-test-support.h"

#include "ns3/test.h"

using namespace ns3;

/**
 * @ingroup defiance-tests
 * @brief An agent moves while messages of every kind are in flight, each with its fate.
 *
 * It exchanges messages with node 0, first from node 1, then from node 2.
 */
class MoveFatesTestCase : public HelperTestCase
{
  public:
    /**
     * @brief Create the case.
     * @param protocol socket factory of the channels
     */
    explicit MoveFatesTestCase(TypeId protocol)
        : HelperTestCase("Messages in flight when an agent moves, " + protocol.GetName()),
          m_protocol(protocol),
          m_isStream(protocol == TCP)
    {
    }

  private:
    /// Connect agent_0 with observation_0 and action_0 through the network.
    void Connect()
    {
        Install();
        communication.SetIds();
        const SocketCommunicationAttributes network{.protocol = m_protocol};
        communication.AddCommunication({{observers.GetId(0), agents.GetId(0), network},
                                        {actions.GetId(0), agents.GetId(0), network}});
        communication.Configure();
        m_observer = Get<ManualObservation>(observers);
        m_agent = Get<RecordingAgent>(agents);
        m_action = Get<RecordingAction>(actions);
    }

    void DoRun() override
    {
        Connect();
        const auto atObserver = m_observer->GetInterface(agents.GetId(0));
        const auto atAgent = m_agent->GetInterface(actions.GetId(0));
        ChannelRecorder observed(atObserver);
        ChannelRecorder acted(atAgent);
        std::vector<ChannelDropReason> transfers;
        atObserver->SetTransferCallback(
            [&](const ChannelMessage& transfer) { transfers.push_back(transfer.reason); });
        m_agent->SetAttribute("ActionDelay", TimeValue(MilliSeconds(50)));
        m_agent->isInferringAtOnce = true;

        // Its action is due after the move.
        At(Seconds(1), [&] { m_observer->Send(MakeNumberMessage(1)); });
        const auto move = Seconds(1) + MilliSeconds(20);
        At(move - MilliSeconds(1), [&] {
            m_agent->SendAction(MakeNumberMessage(7));
            m_observer->Send(MakeNumberMessage(2));
            atObserver->SendTransfer(1, "model_update", 3000);
        });
        At(move, [&] { m_agent->MoveTo(topology->nodes.Get(2)); });
        // A new connection is not established yet.
        At(move + MilliSeconds(1), [&] { m_observer->Send(MakeNumberMessage(3)); });
        Simulator::Stop(Seconds(3));
        Simulator::Run();

        NS_TEST_EXPECT_MSG_EQ((m_agent->observations == Receipts{{0, 1}, {0, 3}}),
                              true,
                              "An observation in flight is lost, a later one is not");
        NS_TEST_EXPECT_MSG_EQ(
            (m_action->actions ==
             Receipts{{0, RecordingAgent::ACTION}, {0, RecordingAgent::ACTION}}),
            true,
            "An action in flight is lost, an action whose decision is pending is not");
        NS_TEST_EXPECT_MSG_GT(m_action->times.at(0),
                              Seconds(1) + MilliSeconds(50 + 2 + 2 * 2),
                              "It is sent from the new node, two hops away");
        NS_TEST_EXPECT_MSG_EQ((transfers == std::vector{ChannelDropReason::CONNECTION_CLOSED}),
                              true,
                              "A transfer in flight is lost, and its sender is informed");
        CheckDrops(observed, m_isStream ? 2 : 1, "the observation over TCP, and the transfer");
        CheckDrops(acted, m_isStream ? 1 : 0, "the action over TCP");
        Simulator::Destroy();
    }

    /**
     * @brief Check the reports of an end's Drop trace source.
     * @param recorder the recorded reports
     * @param count expected number
     * @param what name of the messages
     */
    void CheckDrops(const ChannelRecorder& recorder, std::size_t count, const std::string& what)
    {
        NS_TEST_ASSERT_MSG_EQ(recorder.drops.size(), count, "Drop reports " << what);
        for (const auto& drop : recorder.drops)
        {
            NS_TEST_EXPECT_MSG_EQ(drop.reason,
                                  ChannelDropReason::CONNECTION_CLOSED,
                                  "with the reason");
        }
    }

    TypeId m_protocol;                 //!< Socket factory of the channels
    bool m_isStream;                   //!< Whether the network reports losses
    Ptr<ManualObservation> m_observer; //!< On node 0
    Ptr<RecordingAgent> m_agent;       //!< The agent that moves
    Ptr<RecordingAction> m_action;     //!< On node 0
};

/**
 * @ingroup defiance-tests
 * @brief Messages that wait at the sender for TCP are lost as well.
 */
class QueuedFatesTestCase : public HelperTestCase
{
  public:
    QueuedFatesTestCase()
        : HelperTestCase("Messages that wait for TCP when an agent moves")
    {
    }

  private:
    void DoRun() override
    {
        Install();
        communication.SetIds();
        communication.AddCommunication({{observers.GetId(0),
                                         agents.GetId(0),
                                         SocketCommunicationAttributes{.protocol = TCP}}});
        communication.Configure();
        const auto observer = Get<ManualObservation>(observers);
        const auto agent = Get<RecordingAgent>(agents);
        const auto end =
            DynamicCast<SocketChannelInterface>(observer->GetInterface(agents.GetId(0)));
        const ChannelRecorder recorder(end);
        At(Seconds(1), [&] {
            end->SendTransfer(1, "large", 300000);
            observer->Send(MakeNumberMessage(1));
            NS_TEST_EXPECT_MSG_GT(end->GetQueueSize(), 0, "The messages wait");
            agent->MoveTo(topology->nodes.Get(2));
            NS_TEST_EXPECT_MSG_EQ(end->GetQueueSize(), 0, "and no more");
            observer->Send(MakeNumberMessage(2));
        });
        Simulator::Stop(Seconds(5));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(recorder.drops.size(), 2, "Both are dropped");
        NS_TEST_EXPECT_MSG_EQ((agent->observations == Receipts{{0, 2}}), true, "and never arrive");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief Test suite of the fates of messages when an application moves.
 */
class ApplicationMoveFatesTestSuite : public TestSuite
{
  public:
    ApplicationMoveFatesTestSuite()
        : TestSuite("defiance-application-move-fates", Type::UNIT)
    {
        AddTestCase(new MoveFatesTestCase(UDP));
        AddTestCase(new MoveFatesTestCase(TCP));
        AddTestCase(new QueuedFatesTestCase);
    }
};

static ApplicationMoveFatesTestSuite g_applicationMoveFatesTestSuite; //!< Registers the suite
