// SPDX-License-Identifier: GPL-2.0-only

#include "channel-test-support.h"

#include "ns3/inet-socket-address.h"
#include "ns3/ipv4-global-routing-helper.h"
#include "ns3/test.h"

using namespace ns3;

/**
 * @ingroup defiance-tests
 * @brief Messages in flight are dropped when the connection ends; then both ends reconnect.
 */
class TcpReconnectTestCase : public TestCase
{
  public:
    TcpReconnectTestCase()
        : TestCase("Reconnect over TCP")
    {
    }

  private:
    void DoRun() override
    {
        ChainTopology topology(3);
        Ipv4GlobalRoutingHelper::PopulateRoutingTables();
        const auto a =
            CreateObject<SocketChannelInterface>(topology.nodes.Get(0),
                                                 InetSocketAddress(Ipv4Address("10.1.1.1"), 4000),
                                                 TCP);
        const auto b = topology.MakeChannel(1, "10.1.1.2", TCP);
        const auto c = topology.MakeChannel(2, "10.1.2.2", TCP);
        ChannelRecorder atA(a);
        ChannelRecorder atB(b);
        ChannelRecorder atC(c);
        a->Connect(b);
        Simulator::Schedule(Seconds(1), [a] { a->Send(MakeNumberMessage(1)); });
        Simulator::Schedule(Seconds(2), [a, b] {
            a->Send(MakeBytesMessage(500000));
            a->Send(MakeNumberMessage(2));
            b->Send(MakeNumberMessage(3));
        });
        Simulator::Schedule(Seconds(2) + MilliSeconds(1), [b] { b->Disconnect(); });
        Simulator::Schedule(Seconds(600), [a, c] { c->Connect(a); });
        Simulator::Schedule(Seconds(601), [a, c] {
            a->Send(MakeNumberMessage(4));
            c->Send(MakeNumberMessage(5));
        });
        Simulator::Run();

        NS_TEST_EXPECT_MSG_EQ(atB.messages.size(), 1, "Only the first message arrives");
        NS_TEST_ASSERT_MSG_EQ(atA.drops.size(), 2, "The other ones are traced as dropped");
        NS_TEST_EXPECT_MSG_EQ(atA.drops[0].reason,
                              ChannelDropReason::CONNECTION_CLOSED,
                              "because of the disconnection");
        NS_TEST_EXPECT_MSG_GT(atA.drops[0].payloadBytes, 500000, "with their sizes");
        NS_TEST_EXPECT_MSG_EQ(atB.drops.size(), 1, "The message of the peer, too");
        NS_TEST_ASSERT_MSG_EQ(atC.messages.size(), 1, "The new peer receives");
        NS_TEST_EXPECT_MSG_EQ(GetNumber(atC.messages[0]), 4, "the message to it");
        NS_TEST_ASSERT_MSG_EQ(atA.messages.size(), 1, "The reused port receives");
        NS_TEST_EXPECT_MSG_EQ(GetNumber(atA.messages[0]), 5, "the message of the new peer");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief The connection ends at any instant of its handshake.
 */
class TcpHalfOpenTestCase : public TestCase
{
  public:
    TcpHalfOpenTestCase()
        : TestCase("Disconnect during the handshake over TCP")
    {
    }

  private:
    void DoRun() override
    {
        for (uint32_t tenths = 0; tenths < 80; ++tenths)
        {
            ChainTopology topology;
            const auto a = topology.MakeChannel(0, "10.1.1.1", TCP);
            const auto b = topology.MakeChannel(1, "10.1.1.2", TCP);
            ChannelRecorder atA(a);
            ChannelRecorder atB(b);
            a->Connect(b);
            a->Send(MakeNumberMessage(1));
            Simulator::Schedule(MicroSeconds(100 * tenths), [a, b] {
                b->Disconnect();
                a->Connect(b);
                a->Send(MakeNumberMessage(2));
            });
            Simulator::Run();

            NS_TEST_ASSERT_MSG_EQ(atA.drops.size() + atB.messages.size(),
                                  2,
                                  "Each message arrives or is traced as dropped");
            NS_TEST_EXPECT_MSG_EQ(GetNumber(atB.messages.back()), 2, "The new connection works");
            NS_TEST_EXPECT_MSG_EQ(b->GetConnectionStatus(),
                                  ConnectionStatus::CONNECTED,
                                  "and stays");
            Simulator::Destroy();
        }
    }
};

/**
 * @ingroup defiance-tests
 * @brief A connection that cannot be established, or that breaks, is given up at both ends.
 */
class TcpBrokenTestCase : public TestCase
{
  public:
    TcpBrokenTestCase()
        : TestCase("Broken connections over TCP")
    {
    }

  private:
    void DoRun() override
    {
        ChainTopology topology;
        const auto a = topology.MakeChannel(0, "10.1.1.1", TCP);
        const auto b = topology.MakeChannel(1, "10.1.1.2", TCP);
        ChannelRecorder atA(a);
        a->Connect(b);
        Simulator::Schedule(Seconds(1), [&] {
            topology.LosePackets(0, 1);
            topology.LosePackets(1, 1);
            a->Send(MakeNumberMessage(1));
        });
        Simulator::Schedule(Seconds(3000), [&] {
            NS_TEST_EXPECT_MSG_EQ(a->GetConnectionStatus(),
                                  ConnectionStatus::DISCONNECTED,
                                  "After many retransmissions, the connection is given up");
            NS_TEST_EXPECT_MSG_EQ(b->GetConnectionStatus(),
                                  ConnectionStatus::DISCONNECTED,
                                  "at the other end, too");
            NS_TEST_EXPECT_MSG_EQ(atA.drops.size(), 1, "The message is traced as dropped");
            a->Connect(b);
            a->Send(MakeNumberMessage(2));
        });
        // ns-3 retransmits an unanswered FIN without end.
        Simulator::Stop(Seconds(6000));
        Simulator::Run();

        NS_TEST_EXPECT_MSG_EQ(a->GetConnectionStatus(),
                              ConnectionStatus::DISCONNECTED,
                              "A connection that is never established is given up");
        NS_TEST_ASSERT_MSG_EQ(atA.drops.size(), 2, "Its queue is traced as dropped");
        NS_TEST_EXPECT_MSG_EQ(atA.drops[1].reason,
                              ChannelDropReason::CONNECTION_FAILED,
                              "with the reason");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief Only the peer can connect.
 */
class TcpForeignTestCase : public TestCase
{
  public:
    TcpForeignTestCase()
        : TestCase("Foreign connections over TCP")
    {
    }

  private:
    void DoRun() override
    {
        ChainTopology topology;
        const InetSocketAddress addressOfB(Ipv4Address("10.1.1.2"), 4000);
        const auto a = topology.MakeChannel(0, "10.1.1.1", TCP);
        const auto b = CreateObject<SocketChannelInterface>(topology.nodes.Get(1), addressOfB, TCP);
        ChannelRecorder atB(b);
        const auto stranger = Socket::CreateSocket(topology.nodes.Get(0), TCP);
        a->Connect(b);
        topology.LosePackets(1, 1);
        Simulator::Schedule(MilliSeconds(100), [&] { topology.LosePackets(1, 0); });
        Simulator::Schedule(MilliSeconds(200), [&] { stranger->Connect(addressOfB); });
        Simulator::Schedule(Seconds(2), [&] {
            NS_TEST_EXPECT_MSG_EQ(b->GetConnectionStatus(),
                                  ConnectionStatus::CONNECTING,
                                  "A stranger is not accepted");
        });
        Simulator::Schedule(Seconds(10), [a] { a->Send(MakeNumberMessage(1)); });
        Simulator::Stop(Seconds(20));
        Simulator::Run();

        NS_TEST_EXPECT_MSG_EQ(atB.messages.size(),
                              1,
                              "The peer is accepted, when its handshake arrives");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief Test suite of SocketChannelInterface: begin and end of TCP connections.
 */
class TcpConnectionTestSuite : public TestSuite
{
  public:
    TcpConnectionTestSuite()
        : TestSuite("defiance-tcp-connection", Type::UNIT)
    {
        AddTestCase(new TcpReconnectTestCase);
        AddTestCase(new TcpHalfOpenTestCase);
        AddTestCase(new TcpBrokenTestCase);
        AddTestCase(new TcpForeignTestCase);
    }
};

static TcpConnectionTestSuite g_tcpConnectionTestSuite; //!< Registers the suite
