// SPDX-License-Identifier: GPL-2.0-only

#include "communication-test-support.h"

#include "ns3/test.h"

using namespace ns3;

namespace
{

/**
 * @ingroup defiance-tests
 * @brief An observation application that counts its node's UDP packets, and may move.
 */
class MovableObservation : public ManualObservation
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("MovableObservation")
                                .SetParent<ManualObservation>()
                                .AddConstructor<MovableObservation>();
        return tid;
    }

    std::vector<uint32_t> left; //!< Nodes from which it disconnected

  private:
    void UnregisterCallbacks() override
    {
        left.push_back(GetNode()->GetId());
    }
};

/**
 * @ingroup defiance-tests
 * @brief Records the moves of an application.
 */
class MoveRecorder
{
  public:
    /**
     * @brief Begin to record.
     * @param application the application
     */
    explicit MoveRecorder(Ptr<RlApplication> application)
    {
        application->TraceConnectWithoutContext("Move", MakeCallback(&MoveRecorder::Note, this));
    }

    std::vector<std::pair<uint32_t, uint32_t>> moves; //!< Old and new node of each move

  private:
    /**
     * @brief Note a move.
     * @param from the old node
     * @param to the new node
     */
    void Note(Ptr<Node> from, Ptr<Node> to)
    {
        moves.emplace_back(from->GetId(), to->GetId());
    }
};

} // namespace

/**
 * @ingroup defiance-tests
 * @brief An agent moves during an episode: its channels follow, with the delay of the new path.
 */
class MoveAgentTestCase : public HelperTestCase
{
  public:
    /**
     * @brief Create the case.
     * @param protocol socket factory of the channel
     */
    explicit MoveAgentTestCase(TypeId protocol)
        : HelperTestCase("An agent moves, " + protocol.GetName()),
          m_protocol(protocol)
    {
    }

  private:
    /// Connect observation_0 with agent_0 through the network, reward_0 outside of it.
    void Connect()
    {
        Install();
        communication.SetIds();
        communication.AddCommunication(
            {{agents.GetId(0),
              observers.GetId(0),
              SocketCommunicationAttributes{.protocol = m_protocol}},
             {rewards.GetId(0), agents.GetId(0), CommunicationAttributes{MilliSeconds(30)}}});
        communication.Configure();
    }

    void DoRun() override
    {
        Connect();
        const auto observer = Get<ManualObservation>(observers);
        const auto reward = Get<ManualReward>(rewards);
        const auto agent = Get<RecordingAgent>(agents);
        const auto end = observer->GetInterface(agents.GetId(0));
        ChannelRecorder atObserver(end);
        ChannelRecorder atAgent(agent->GetInterface(observers.GetId(0)));
        const MoveRecorder recorder(agent);
        const auto there = topology->nodes.Get(2);
        At(Seconds(1), [&] { observer->Send(MakeNumberMessage(1)); });
        // In flight when the agent moves: lost in the network, not outside of it.
        At(Seconds(2), [&] { observer->Send(MakeNumberMessage(2)); });
        At(Seconds(2), [&] { reward->Send(MakeNumberMessage(20)); });
        At(Seconds(2) + MilliSeconds(1), [&] { agent->MoveTo(there); });
        At(Seconds(3), [&] { observer->Send(MakeNumberMessage(3)); });
        At(Seconds(4), [&] { agent->MoveTo(topology->nodes.Get(1)); });
        At(Seconds(5), [&] { observer->Send(MakeNumberMessage(4)); });
        At(Seconds(5.5), [&] {
            const std::vector<uint32_t> same{0};
            NS_TEST_EXPECT_MSG_EQ((agent->GetInterfaceIds(observers.GetId(0)) == same),
                                  true,
                                  "The interface keeps its id");
            NS_TEST_EXPECT_MSG_EQ(end->GetConnectionStatus(),
                                  ConnectionStatus::CONNECTED,
                                  "and its connection stays");
        });
        Simulator::Stop(Seconds(6));
        Simulator::Run();

        NS_TEST_EXPECT_MSG_EQ((agent->observations == Receipts{{0, 1}, {0, 3}, {0, 4}}),
                              true,
                              "Observations arrive before and after the moves");
        NS_TEST_EXPECT_MSG_EQ((agent->rewards == Receipts{{0, 20}}),
                              true,
                              "A simple channel loses nothing");
        NS_TEST_ASSERT_MSG_EQ(atAgent.rx.size(), 3, "Three observations are traced");
        NS_TEST_EXPECT_MSG_EQ((atAgent.rx[1].latency > 2 * atAgent.rx[0].latency - MicroSeconds(1)),
                              true,
                              "Two hops take twice the time of one");
        NS_TEST_EXPECT_MSG_EQ(atAgent.rx[2].latency, atAgent.rx[0].latency, "and one as before");
        // UDP cannot know the fates of its datagrams.
        const auto isStream = m_protocol == TcpSocketFactory::GetTypeId();
        NS_TEST_EXPECT_MSG_EQ(atObserver.drops.size(), (isStream ? 1 : 0), "TCP reports the loss");
        NS_TEST_EXPECT_MSG_EQ(
            (recorder.moves == std::vector<std::pair<uint32_t, uint32_t>>{{1, 2}, {2, 1}}),
            true,
            "Moves are traced");
        NS_TEST_EXPECT_MSG_EQ(topology->nodes.Get(1)->GetNApplications(),
                              2,
                              "It is not added twice to a node to which it returns");
        Simulator::Destroy();
    }

    TypeId m_protocol; //!< Socket factory of the channel
};

/**
 * @ingroup defiance-tests
 * @brief Data collectors move with their callbacks; action applications execute at their node.
 */
class MoveOthersTestCase : public HelperTestCase
{
  public:
    MoveOthersTestCase()
        : HelperTestCase("Data collectors and action applications move")
    {
    }

  private:
    void DoRun() override
    {
        Install();
        RlApplicationHelper installer(MovableObservation::GetTypeId());
        observers = installer.Install(topology->nodes.Get(0));
        SetApps(communication);
        communication.SetIds();
        communication.AddCommunication(
            {{observers.GetId(0), agents.GetId(0), SocketCommunicationAttributes{}},
             {agents.GetId(0), actions.GetId(0), SocketCommunicationAttributes{}}});
        communication.Configure();
        const auto observer = Get<MovableObservation>(observers);
        const auto agent = Get<RecordingAgent>(agents);
        const auto action = Get<RecordingAction>(actions);
        At(Seconds(1), [&] {
            observer->MoveTo(topology->nodes.Get(2));
            action->MoveTo(topology->nodes.Get(2));
            observer->Send(MakeNumberMessage(1));
            agent->SendAction(MakeNumberMessage(2));
        });
        At(Seconds(2), [&] { observer->MoveTo(topology->nodes.Get(2)); });
        Simulator::Stop(Seconds(3));
        Simulator::Run();

        NS_TEST_EXPECT_MSG_EQ((observer->left == std::vector<uint32_t>{0}),
                              true,
                              "It disconnects from the old node only, once");
        NS_TEST_EXPECT_MSG_EQ(observer->registrations, 2, "It connects to the new node");
        NS_TEST_EXPECT_MSG_EQ(observer->GetNode(), topology->nodes.Get(2), "at its new node");
        NS_TEST_EXPECT_MSG_EQ((agent->observations == Receipts{{0, 1}}), true, "It observes there");
        NS_TEST_EXPECT_MSG_EQ((action->actions == Receipts{{0, 2}}), true, "Actions reach it");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief An address may be chosen; applications that cannot move abort.
 */
class MoveRulesTestCase : public HelperTestCase
{
  public:
    MoveRulesTestCase()
        : HelperTestCase("Addresses and limits of moves")
    {
    }

  private:
    void DoRun() override
    {
        Install();
        communication.SetIds();
        communication.AddCommunication(
            {{observers.GetId(0), agents.GetId(0), SocketCommunicationAttributes{}},
             {observers.GetId(0),
              agents.GetId(0),
              SocketCommunicationAttributes{topology->ipv6Interfaces.GetAddress(0, 1)}}});
        communication.Configure();
        const auto observer = Get<ManualObservation>(observers);
        const auto agent = Get<RecordingAgent>(agents);
        const auto middle = topology->nodes.Get(1);
        const Ipv4Address second("10.1.2.1");
        At(Seconds(1), [&] {
            agent->MoveTo(topology->nodes.Get(2));
            agent->MoveTo(middle, second);
            NS_TEST_EXPECT_MSG_EQ(agent->GetDefaultAddress(),
                                  Address(second),
                                  "The chosen address");
        });
        At(Seconds(2), [&] { observer->Send(MakeNumberMessage(1)); });
        Simulator::Stop(Seconds(3));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ((agent->observations == Receipts{{0, 1}, {0, 1}}),
                              true,
                              "Channels of both IP versions follow");

        const auto bare = CreateObject<Node>();
        NS_TEST_EXPECT_MSG_EQ(AbortsWith([&] { agent->MoveTo(bare); }, "an Internet stack"),
                              true,
                              "A socket channel needs an address");
        NS_TEST_EXPECT_MSG_EQ(AbortsWith([&] { observer->MoveTo(middle); }, "UnregisterCallbacks"),
                              true,
                              "A data collector must be able to disconnect from its node");
        NS_TEST_EXPECT_MSG_EQ(AbortsWith([&] { agent->MoveTo(nullptr); }, "null"),
                              true,
                              "There must be a node");
        NS_TEST_EXPECT_MSG_EQ(
            AbortsWith([&] { CreateObject<RecordingAgent>()->MoveTo(middle); }, "installed"),
            true,
            "An application without a node cannot move");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief Test suite of RlApplication::MoveTo().
 */
class ApplicationMoveTestSuite : public TestSuite
{
  public:
    ApplicationMoveTestSuite()
        : TestSuite("defiance-application-move", Type::UNIT)
    {
        AddTestCase(new MoveAgentTestCase(UdpSocketFactory::GetTypeId()));
        AddTestCase(new MoveAgentTestCase(TcpSocketFactory::GetTypeId()));
        AddTestCase(new MoveOthersTestCase);
        AddTestCase(new MoveRulesTestCase);
    }
};

static ApplicationMoveTestSuite g_applicationMoveTestSuite; //!< Registers the suite
