// SPDX-License-Identifier: GPL-2.0-only

#include "channel-test-support.h"

#include "ns3/opengym-serialization.h"
#include "ns3/test.h"

using namespace ns3;

/**
 * @ingroup defiance-tests
 * @brief Messages arrive in both directions at the computed times.
 */
class UdpArrivalTestCase : public TestCase
{
  public:
    UdpArrivalTestCase()
        : TestCase("Arrival times over UDP")
    {
    }

  private:
    void DoRun() override
    {
        ChainTopology topology;
        const auto a = topology.MakeChannel(0, "10.1.1.1", UDP);
        const auto b = topology.MakeChannel(1, "10.1.1.2", UDP);
        b->SetMessageKind("action");
        ChannelRecorder atA(a);
        ChannelRecorder atB(b);
        a->Connect(b);
        const auto small = MakeNumberMessage(7);
        const auto large = MakeBytesMessage(1000);
        Simulator::Schedule(Seconds(1), [a, small] { a->Send(small); });
        Simulator::Schedule(Seconds(2), [b, large] { b->Send(large); });
        Simulator::Run();

        const DataRate rate("5Mbps");
        const auto smallBytes = SerializeContainer(small).size();
        const auto largeBytes = SerializeContainer(large).size();
        NS_TEST_ASSERT_MSG_EQ(atB.times.size(), 1, "The small message arrives");
        NS_TEST_ASSERT_MSG_EQ(atA.times.size(), 1, "The large message arrives");
        NS_TEST_EXPECT_MSG_EQ(atB.times[0],
                              Seconds(1) + MilliSeconds(2) +
                                  rate.CalculateBytesTxTime(smallBytes + UDP_IPV4_PPP_BYTES),
                              "t + delay + (payload + headers) / rate");
        NS_TEST_EXPECT_MSG_EQ(atA.times[0],
                              Seconds(2) + MilliSeconds(2) +
                                  rate.CalculateBytesTxTime(largeBytes + UDP_IPV4_PPP_BYTES),
                              "t + delay + (payload + headers) / rate");
        NS_TEST_EXPECT_MSG_EQ(GetNumber(atB.messages[0]), 7, "The small message is intact");
        NS_TEST_EXPECT_MSG_EQ((GetBytes(atA.messages[0]) == GetBytes(large)),
                              true,
                              "The large message is intact");
        NS_TEST_EXPECT_MSG_EQ(atA.rx[0].latency, atA.times[0] - Seconds(2), "Rx has the latency");
        NS_TEST_EXPECT_MSG_EQ(atA.rx[0].kind, "action", "Rx has the sender's kind");
        NS_TEST_EXPECT_MSG_EQ(atB.tx[0].wireBytes, largeBytes, "A datagram has no framing header");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief A message fits into a datagram, or is refused.
 */
class UdpSizeTestCase : public TestCase
{
  public:
    UdpSizeTestCase()
        : TestCase("Largest message over UDP")
    {
    }

  private:
    void DoRun() override
    {
        ChainTopology topology(2, "1Gbps");
        const auto a = topology.MakeChannel(0, "10.1.1.1", UDP);
        const auto b = topology.MakeChannel(1, "10.1.1.2", UDP);
        ChannelRecorder atA(a);
        ChannelRecorder atB(b);
        a->Connect(b);
        const auto overhead = SerializeContainer(MakeBytesMessage(65000)).size() - 65000;
        const auto largest = 65507 - overhead;
        NS_TEST_EXPECT_MSG_EQ(a->Send(MakeBytesMessage(1)), -1, "Nothing leaves before the start");
        Simulator::Schedule(Seconds(1), [&] {
            NS_TEST_EXPECT_MSG_EQ(a->Send(MakeBytesMessage(largest)),
                                  65507,
                                  "65507 bytes may be sent");
            NS_TEST_EXPECT_MSG_EQ(a->Send(MakeBytesMessage(largest + 1)), -1, "One more may not");
        });
        Simulator::Run();

        NS_TEST_ASSERT_MSG_EQ(atB.messages.size(), 1, "The largest message arrives");
        NS_TEST_EXPECT_MSG_EQ((GetBytes(atB.messages[0]) == GetBytes(MakeBytesMessage(largest))),
                              true,
                              "intact, although it is fragmented");
        NS_TEST_ASSERT_MSG_EQ(atA.drops.size(), 2, "Refused messages are traced as dropped");
        NS_TEST_EXPECT_MSG_EQ(atA.drops[0].reason, ChannelDropReason::NOT_CONNECTED, "with reason");
        NS_TEST_EXPECT_MSG_EQ(atA.drops[1].reason, ChannelDropReason::TOO_LARGE, "with reason");
        NS_TEST_EXPECT_MSG_EQ(atA.drops[1].payloadBytes, 65508, "and size");
        NS_TEST_EXPECT_MSG_EQ(atA.tx.size(), 1, "and not as sent");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief Lost datagrams are lost, the others arrive.
 */
class UdpLossTestCase : public TestCase
{
  public:
    UdpLossTestCase()
        : TestCase("Loss over UDP")
    {
    }

  private:
    void DoRun() override
    {
        ChainTopology topology;
        topology.LosePackets(1, 0.5);
        const auto a = topology.MakeChannel(0, "10.1.1.1", UDP);
        const auto b = topology.MakeChannel(1, "10.1.1.2", UDP);
        ChannelRecorder atA(a);
        ChannelRecorder atB(b);
        a->Connect(b);
        for (int32_t i = 0; i < 200; ++i)
        {
            Simulator::Schedule(MilliSeconds(10 * i), [a, i] { a->Send(MakeNumberMessage(i)); });
        }
        Simulator::Run();

        NS_TEST_EXPECT_MSG_EQ(atA.tx.size(), 200, "All are traced as sent");
        NS_TEST_EXPECT_MSG_EQ_TOL(atB.messages.size(), 100, 30, "About half of them arrive");
        NS_TEST_EXPECT_MSG_EQ(atB.messages.size(),
                              atB.rx.size(),
                              "and only they are traced as such");
        for (std::size_t i = 1; i < atB.messages.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_GT(GetNumber(atB.messages[i]),
                                  GetNumber(atB.messages[i - 1]),
                                  "in the order in which they were sent");
        }
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief UDP over IPv6, and a connect time.
 */
class UdpIpv6TestCase : public TestCase
{
  public:
    UdpIpv6TestCase()
        : TestCase("UDP over IPv6 with a connect time")
    {
    }

  private:
    void DoRun() override
    {
        ChainTopology topology;
        const auto a = topology.MakeIpv6Channel(0, UDP);
        const auto b = topology.MakeIpv6Channel(1, UDP);
        ChannelRecorder atA(a);
        ChannelRecorder atB(b);
        a->SetAttribute("ConnectTime", TimeValue(Seconds(5)));
        NS_TEST_EXPECT_MSG_EQ(a->Connect(b), ConnectionStatus::CONNECTING, "It is not time yet");
        NS_TEST_EXPECT_MSG_EQ(a->Send(MakeNumberMessage(1)), -1, "Datagrams do not wait");
        const auto large = MakeBytesMessage(3000);
        Simulator::Schedule(Seconds(5), [a] { a->Send(MakeNumberMessage(2)); });
        Simulator::Schedule(Seconds(6), [b, large] { b->Send(large); });
        Simulator::Run();

        NS_TEST_ASSERT_MSG_EQ(atB.messages.size(), 1, "After the connect time, messages arrive");
        NS_TEST_EXPECT_MSG_EQ(GetNumber(atB.messages[0]), 2, "and no earlier ones");
        NS_TEST_ASSERT_MSG_EQ(atA.messages.size(), 1, "Fragmented ones, too");
        NS_TEST_EXPECT_MSG_EQ((GetBytes(atA.messages[0]) == GetBytes(large)), true, "intact");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief Test suite of SocketChannelInterface with UDP.
 */
class UdpChannelTestSuite : public TestSuite
{
  public:
    UdpChannelTestSuite()
        : TestSuite("defiance-udp-channel", Type::UNIT)
    {
        AddTestCase(new UdpArrivalTestCase);
        AddTestCase(new UdpSizeTestCase);
        AddTestCase(new UdpLossTestCase);
        AddTestCase(new UdpIpv6TestCase);
    }
};

static UdpChannelTestSuite g_udpChannelTestSuite; //!< Registers the suite
