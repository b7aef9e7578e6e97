// SPDX-License-Identifier: GPL-2.0-only

#include "channel-test-support.h"

#include "ns3/opengym-serialization.h"
#include "ns3/test.h"

using namespace ns3;

namespace
{

constexpr uint32_t FRAMING_BYTES{4};                     //!< Length before each message
constexpr uint32_t TCP_IPV4_PPP_BYTES{20 + 12 + 20 + 2}; //!< Headers of a segment on the link
const auto TCP_PAUSE = NanoSeconds(1); //!< ns-3's TCP takes this to turn data into segments

} // namespace

/**
 * @ingroup defiance-tests
 * @brief The connection is established when the handshake is finished; queued messages follow.
 */
class TcpHandshakeTestCase : public TestCase
{
  public:
    TcpHandshakeTestCase()
        : TestCase("Handshake over TCP")
    {
    }

  private:
    void DoRun() override
    {
        ChainTopology topology;
        const auto a = topology.MakeChannel(0, "10.1.1.1", TCP);
        const auto b = topology.MakeChannel(1, "10.1.1.2", TCP);
        ChannelRecorder atA(a);
        ChannelRecorder atB(b);
        NS_TEST_EXPECT_MSG_EQ(a->Connect(b),
                              ConnectionStatus::CONNECTING,
                              "There is no handshake yet");
        NS_TEST_EXPECT_MSG_GT(a->Send(MakeNumberMessage(1)), 0, "Messages may already be sent");
        NS_TEST_EXPECT_MSG_GT(b->Send(MakeNumberMessage(2)), 0, "at both ends");
        Simulator::Schedule(MilliSeconds(4), [&] {
            NS_TEST_EXPECT_MSG_EQ(a->GetConnectionStatus(),
                                  ConnectionStatus::CONNECTING,
                                  "A round trip of more than 4 ms is needed");
        });
        Simulator::Schedule(MilliSeconds(5), [&] {
            NS_TEST_EXPECT_MSG_EQ(a->GetConnectionStatus(),
                                  ConnectionStatus::CONNECTED,
                                  "After a round trip, the opening end is connected");
            NS_TEST_EXPECT_MSG_EQ(b->GetConnectionStatus(),
                                  ConnectionStatus::CONNECTING,
                                  "The accepting end needs half a round trip more");
        });
        Simulator::Run();

        NS_TEST_EXPECT_MSG_EQ(b->GetConnectionStatus(),
                              ConnectionStatus::CONNECTED,
                              "and is connected then");
        NS_TEST_ASSERT_MSG_EQ(atB.messages.size(), 1, "The queued message arrives");
        NS_TEST_EXPECT_MSG_EQ(GetNumber(atB.messages[0]), 1, "intact");
        NS_TEST_ASSERT_MSG_EQ(atA.messages.size(), 1, "The message of the accepting end, too");
        NS_TEST_EXPECT_MSG_EQ(GetNumber(atA.messages[0]), 2, "intact");
        NS_TEST_EXPECT_MSG_EQ(atB.rx[0].sent, Seconds(0), "Waiting counts into the latency");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief A message of one segment arrives at the computed time, in both directions.
 */
class TcpArrivalTestCase : public TestCase
{
  public:
    TcpArrivalTestCase()
        : TestCase("Arrival times over TCP")
    {
    }

  private:
    void DoRun() override
    {
        ChainTopology topology;
        const auto a = topology.MakeChannel(0, "10.1.1.1", TCP);
        const auto b = topology.MakeChannel(1, "10.1.1.2", TCP);
        ChannelRecorder atA(a);
        ChannelRecorder atB(b);
        a->Connect(b);
        const auto message = MakeNumberMessage(7);
        Simulator::Schedule(Seconds(1), [a, message] { a->Send(message); });
        Simulator::Schedule(Seconds(2), [b, message] { b->Send(message); });
        Simulator::Run();

        const auto bytes = SerializeContainer(message).size();
        const auto travel =
            TCP_PAUSE + MilliSeconds(2) +
            DataRate("5Mbps").CalculateBytesTxTime(bytes + FRAMING_BYTES + TCP_IPV4_PPP_BYTES);
        NS_TEST_ASSERT_MSG_EQ(atB.times.size(), 1, "The message from the opening end arrives");
        NS_TEST_ASSERT_MSG_EQ(atA.times.size(), 1, "The message from the accepting end arrives");
        NS_TEST_EXPECT_MSG_EQ(atB.times[0],
                              Seconds(1) + travel,
                              "t + 1 ns + delay + (payload + headers) / rate");
        NS_TEST_EXPECT_MSG_EQ(atA.times[0],
                              Seconds(2) + travel,
                              "t + 1 ns + delay + (payload + headers) / rate");
        NS_TEST_EXPECT_MSG_EQ(atA.tx[0].payloadBytes, bytes, "Tx has the size of the message");
        NS_TEST_EXPECT_MSG_EQ(atA.tx[0].wireBytes,
                              bytes + FRAMING_BYTES,
                              "and its size with framing");
        NS_TEST_EXPECT_MSG_EQ(atA.rx[0].latency, travel, "Rx has the latency");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief Messages of many sizes arrive completely and in order, however TCP segments them.
 */
class TcpSizesTestCase : public TestCase
{
  public:
    /**
     * @brief Create a case.
     * @param name description of the case
     * @param lossRate share of lost packets in each direction
     * @param sizes of the messages
     */
    TcpSizesTestCase(const std::string& name, double lossRate, std::vector<std::size_t> sizes)
        : TestCase(name),
          m_lossRate(lossRate),
          m_sizes(std::move(sizes))
    {
    }

  private:
    /**
     * @brief Check what arrived at one end.
     * @param recorder recorder of that end
     */
    void Check(const ChannelRecorder& recorder)
    {
        NS_TEST_ASSERT_MSG_EQ(recorder.messages.size(), m_sizes.size(), "All messages arrive");
        for (std::size_t i = 0; i < m_sizes.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(
                (GetBytes(recorder.messages[i]) == GetBytes(MakeBytesMessage(m_sizes[i]))),
                true,
                "Message " << i << " is intact and in order");
        }
    }

    void DoRun() override
    {
        ChainTopology topology(2, "1Gbps");
        topology.LosePackets(0, m_lossRate);
        topology.LosePackets(1, m_lossRate);
        const auto a = topology.MakeChannel(0, "10.1.1.1", TCP);
        const auto b = topology.MakeChannel(1, "10.1.1.2", TCP);
        ChannelRecorder atA(a);
        ChannelRecorder atB(b);
        a->Connect(b);
        for (const auto size : m_sizes)
        {
            const auto message = MakeBytesMessage(size);
            a->Send(message);
            b->Send(message);
        }
        Simulator::Run();
        Check(atA);
        Check(atB);
        NS_TEST_EXPECT_MSG_EQ(atA.drops.size(), 0, "Nothing is dropped");
        Simulator::Destroy();
    }

    double m_lossRate;                //!< Share of lost packets
    std::vector<std::size_t> m_sizes; //!< Sizes of the messages
};

/**
 * @ingroup defiance-tests
 * @brief TCP over IPv6, with an end that is destroyed in a receive callback.
 */
class TcpIpv6TestCase : public TestCase
{
  public:
    TcpIpv6TestCase()
        : TestCase("TCP over IPv6 until an end is destroyed")
    {
    }

  private:
    void DoRun() override
    {
        ChainTopology topology;
        const auto a = topology.MakeIpv6Channel(0, TCP);
        auto b = topology.MakeIpv6Channel(1, TCP);
        ChannelRecorder atA(a);
        std::vector<Ptr<OpenGymDictContainer>> received;
        Time arrival;
        b->AddRecvCallback(ChannelInterface::RecvCallback([&](Ptr<OpenGymDictContainer> message) {
            received.push_back(message);
            arrival = Simulator::Now();
            b = nullptr;
        }));
        b->SetAttribute("ConnectTime", TimeValue(Seconds(5)));
        a->Connect(b);
        const auto large = MakeBytesMessage(10000);
        a->Send(large);
        a->Send(MakeNumberMessage(1));
        Simulator::Run();

        NS_TEST_ASSERT_MSG_EQ(received.size(), 1, "The first message arrives");
        NS_TEST_EXPECT_MSG_EQ((GetBytes(received[0]) == GetBytes(large)), true, "intact");
        NS_TEST_EXPECT_MSG_GT(arrival, Seconds(5), "after the connect time of the accepting end");
        NS_TEST_EXPECT_MSG_EQ(a->GetConnectionStatus(),
                              ConnectionStatus::DISCONNECTED,
                              "The survivor is disconnected");
        NS_TEST_EXPECT_MSG_EQ(atA.drops.size(), 1, "Its other message is dropped");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief Test suite of SocketChannelInterface with TCP.
 */
class TcpChannelTestSuite : public TestSuite
{
  public:
    TcpChannelTestSuite()
        : TestSuite("defiance-tcp-channel", Type::UNIT)
    {
        AddTestCase(new TcpHandshakeTestCase);
        AddTestCase(new TcpArrivalTestCase);
        AddTestCase(new TcpSizesTestCase("Segmentation over TCP", 0, {1, 1000, 100000, 5000000}));
        AddTestCase(
            new TcpSizesTestCase("Coalescing over TCP", 0, std::vector<std::size_t>(2000, 3)));
        AddTestCase(
            new TcpSizesTestCase("Loss over TCP", 0.02, {1, 1000, 100000, 5000000, 3, 500}));
        AddTestCase(new TcpIpv6TestCase);
    }
};

static TcpChannelTestSuite g_tcpChannelTestSuite; //!< Registers the suite
