// SPDX-License-Identifier: GPL-2.0-only

#include "channel-test-support.h"

#include "ns3/inet-socket-address.h"
#include "ns3/test.h"

using namespace ns3;

/**
 * @ingroup defiance-tests
 * @brief Rules for the ends of a connection.
 */
class SocketConnectTestCase : public TestCase
{
  public:
    SocketConnectTestCase()
        : TestCase("Connect rules of socket channels")
    {
    }

  private:
    void DoRun() override
    {
        ChainTopology topology;
        const auto a = topology.MakeChannel(0, "10.1.1.1", UDP);
        const auto b = topology.MakeChannel(1, "10.1.1.2", UDP);
        const auto third = topology.MakeChannel(1, "10.1.1.2", UDP);
        const auto tcp = topology.MakeChannel(1, "10.1.1.2", TCP);
        const auto ipv6 = topology.MakeIpv6Channel(1, UDP);
        NS_TEST_EXPECT_MSG_EQ(a->Connect(a),
                              ConnectionStatus::DISCONNECTED,
                              "An end does not connect with itself");
        NS_TEST_EXPECT_MSG_EQ(AbortsWith([&] { a->Connect(tcp); }, "the same protocol"),
                              true,
                              "UDP with TCP aborts");
        NS_TEST_EXPECT_MSG_EQ(AbortsWith([&] { a->Connect(ipv6); }, "not 10.1.1.1 and 2001:1:"),
                              true,
                              "IPv4 with IPv6 aborts");
        NS_TEST_EXPECT_MSG_EQ(a->Connect(b), ConnectionStatus::CONNECTED, "Two free ends connect");
        NS_TEST_EXPECT_MSG_EQ(b->GetConnectionStatus(),
                              ConnectionStatus::CONNECTED,
                              "Connecting one end connects the other one, too");
        NS_TEST_EXPECT_MSG_EQ(a->Connect(third),
                              ConnectionStatus::CONNECTED,
                              "A connected end keeps its connection");
        NS_TEST_EXPECT_MSG_EQ(a->GetPeer(), b, "The peer stays the same");
        NS_TEST_EXPECT_MSG_EQ(third->Connect(a),
                              ConnectionStatus::DISCONNECTED,
                              "A free end does not connect with a connected one");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief A datagram from another address is not a message.
 */
class UdpForeignTestCase : public TestCase
{
  public:
    UdpForeignTestCase()
        : TestCase("Foreign datagrams")
    {
    }

  private:
    void DoRun() override
    {
        ChainTopology topology;
        const auto a = topology.MakeChannel(0, "10.1.1.1", UDP);
        const InetSocketAddress addressOfB(Ipv4Address("10.1.1.2"), 4000);
        const auto b = CreateObject<SocketChannelInterface>(topology.nodes.Get(1), addressOfB, UDP);
        ChannelRecorder atB(b);
        a->Connect(b);
        const auto stranger = Socket::CreateSocket(topology.nodes.Get(0), UDP);
        stranger->Connect(addressOfB);
        Simulator::Schedule(Seconds(1), [stranger] { stranger->Send(Create<Packet>(10)); });
        Simulator::Schedule(Seconds(2), [a] { a->Send(MakeNumberMessage(1)); });
        Simulator::Run();

        NS_TEST_EXPECT_MSG_EQ(atB.messages.size(), 1, "Only the peer's message is delivered");
        NS_TEST_ASSERT_MSG_EQ(atB.drops.size(), 1, "The foreign one is traced as dropped");
        NS_TEST_EXPECT_MSG_EQ(atB.drops[0].reason, ChannelDropReason::FOREIGN, "with reason");
        NS_TEST_EXPECT_MSG_EQ(atB.drops[0].payloadBytes, 10, "and size");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief Disconnect with a datagram in flight; connect again with the same port and another peer.
 */
class UdpReconnectTestCase : public TestCase
{
  public:
    UdpReconnectTestCase()
        : TestCase("Reconnect over UDP")
    {
    }

  private:
    void DoRun() override
    {
        ChainTopology topology;
        const InetSocketAddress addressOfA(Ipv4Address("10.1.1.1"), 4000);
        const auto a = CreateObject<SocketChannelInterface>(topology.nodes.Get(0), addressOfA, UDP);
        const auto b = topology.MakeChannel(1, "10.1.1.2", UDP);
        const auto c = topology.MakeChannel(1, "10.1.1.2", UDP);
        ChannelRecorder atA(a);
        ChannelRecorder atB(b);
        ChannelRecorder atC(c);
        a->Connect(b);
        Simulator::Schedule(MilliSeconds(1), [a, b] {
            a->Send(MakeNumberMessage(1));
            b->Send(MakeNumberMessage(2));
        });
        Simulator::Schedule(MilliSeconds(2), [a, c] {
            a->Disconnect();
            a->Send(MakeNumberMessage(3));
            c->Connect(a);
        });
        Simulator::Schedule(Seconds(1), [a, c] {
            a->Send(MakeNumberMessage(4));
            c->Send(MakeNumberMessage(5));
        });
        Simulator::Run();

        NS_TEST_EXPECT_MSG_EQ(atB.messages.size(), 0, "The datagram in flight does not arrive");
        NS_TEST_ASSERT_MSG_EQ(atA.drops.size(), 2, "Two messages are traced as dropped");
        NS_TEST_EXPECT_MSG_EQ(atA.drops[0].reason,
                              ChannelDropReason::NOT_CONNECTED,
                              "The message that was sent without a connection");
        NS_TEST_EXPECT_MSG_EQ(atA.drops[1].reason,
                              ChannelDropReason::FOREIGN,
                              "The message of the first peer to the reused port");
        NS_TEST_ASSERT_MSG_EQ(atC.messages.size(), 1, "The new peer receives");
        NS_TEST_EXPECT_MSG_EQ(GetNumber(atC.messages[0]), 4, "the message to it");
        NS_TEST_ASSERT_MSG_EQ(atA.messages.size(), 1, "The reused port receives");
        NS_TEST_EXPECT_MSG_EQ(GetNumber(atA.messages[0]), 5, "the message of the new peer");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief Misuse aborts with a message that names the remedy.
 */
class SocketMisuseTestCase : public TestCase
{
  public:
    SocketMisuseTestCase()
        : TestCase("Misuse of socket channels")
    {
    }

  private:
    void DoRun() override
    {
        ChainTopology topology;
        const auto a = topology.MakeChannel(0, "10.1.1.1", UDP);
        const auto wrong = topology.MakeChannel(1, "10.9.9.9", UDP);
        NS_TEST_EXPECT_MSG_EQ(AbortsWith([&] { a->Connect(wrong); }, "10.9.9.9, which is not"),
                              true,
                              "A wrong address aborts");
        const auto bare = CreateObject<Node>();
        const auto stackless =
            CreateObject<SocketChannelInterface>(bare, Ipv4Address("10.1.1.3"), UDP);
        NS_TEST_EXPECT_MSG_EQ(AbortsWith([&] { stackless->Connect(a); }, "Internet stack"),
                              true,
                              "A node without Internet stack aborts");
        NS_TEST_EXPECT_MSG_EQ(
            AbortsWith([&] { CreateObject<SocketChannelInterface>(bare, Address(), UDP); },
                       "IPv4 or IPv6 address"),
            true,
            "No address aborts");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief Test suite of SocketChannelInterface: rules for connections.
 */
class SocketChannelTestSuite : public TestSuite
{
  public:
    SocketChannelTestSuite()
        : TestSuite("defiance-socket-channel", Type::UNIT)
    {
        AddTestCase(new SocketConnectTestCase);
        AddTestCase(new UdpForeignTestCase);
        AddTestCase(new UdpReconnectTestCase);
        AddTestCase(new SocketMisuseTestCase);
    }
};

static SocketChannelTestSuite g_socketChannelTestSuite; //!< Registers the suite
