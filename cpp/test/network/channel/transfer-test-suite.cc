// SPDX-License-Identifier: GPL-2.0-only

#include "channel-test-support.h"

#include "ns3/channel.h"
#include "ns3/simple-channel-interface.h"
#include "ns3/test.h"

#include <utility>

using namespace ns3;

namespace
{

/**
 * @param bytes Bytes on the link.
 * @return their transmission time at 5 Mbit/s
 */
Time
OnTheLink(uint32_t bytes)
{
    return DataRate("5Mbps").CalculateBytesTxTime(bytes);
}

/** Records the transfers reported at one end of a channel. */
class TransferRecorder
{
  public:
    /** @param channel The end. */
    explicit TransferRecorder(Ptr<ChannelInterface> channel)
        : all(channel)
    {
        channel->SetTransferCallback(MakeCallback(&TransferRecorder::Note, this));
    }

    ChannelRecorder all;                  //!< Everything else that happens
    std::vector<ChannelMessage> finished; //!< Transfers
    std::vector<Time> times;              //!< Times of these reports

  private:
    /** @param message A transfer. */
    void Note(const ChannelMessage& message)
    {
        finished.push_back(message);
        times.push_back(Simulator::Now());
    }
};

/** A link of 5 Mbit/s and 2 ms, with a channel. */
class TransferLink
{
  public:
    /** @param protocol Socket factory. */
    explicit TransferLink(TypeId protocol)
        : a(topology.MakeChannel(0, "10.1.1.1", protocol)),
          b(topology.MakeChannel(1, "10.1.1.2", protocol)),
          atA(a),
          atB(b)
    {
        a->Connect(b);
    }

    /**
     * @param time Time of the change of the link's delay.
     * @param delay The new delay.
     */
    void ChangeDelay(Time time, Time delay)
    {
        Simulator::Schedule(time, [this, delay] {
            topology.devices.Get(0)->GetChannel()->SetAttribute("Delay", TimeValue(delay));
        });
    }

    /**
     * @param time Time of sending.
     * @param number Number of the transfer.
     * @param bytes Its size.
     */
    void SendAt(Time time, uint64_t number, uint64_t bytes)
    {
        Simulator::Schedule(time,
                            [this, number, bytes] { a->SendTransfer(number, "update", bytes); });
    }

    ChainTopology topology;        //!< Two nodes
    Ptr<SocketChannelInterface> a; //!< One end
    Ptr<SocketChannelInterface> b; //!< The other end
    TransferRecorder atA;          //!< Events at the first end
    TransferRecorder atB;          //!< Events at the second end
};

} // namespace

/** A transfer over UDP is a sequence of datagrams. */
class DatagramTransferTestCase : public TestCase
{
  public:
    DatagramTransferTestCase()
        : TestCase("A transfer over UDP is cut into datagrams, and arrives with the last one")
    {
    }

  private:
    void DoRun() override
    {
        TransferLink link(UDP);
        link.SendAt(Seconds(1), 4, 2801);
        Simulator::Run();
        const auto travel = OnTheLink(2801 + 3 * UDP_IPV4_PPP_BYTES) + MilliSeconds(2);
        NS_TEST_ASSERT_MSG_EQ(link.atB.finished.size(), 1, "It arrives once");
        NS_TEST_EXPECT_MSG_EQ(link.atB.times[0], Seconds(1) + travel, "after its last datagram");
        const auto& told = link.atB.finished[0];
        NS_TEST_EXPECT_MSG_EQ(told.transfer, 4, "with its number");
        NS_TEST_EXPECT_MSG_EQ(told.kind, "update", "and kind");
        NS_TEST_EXPECT_MSG_EQ(told.payloadBytes, 2801, "and size");
        NS_TEST_EXPECT_MSG_EQ(told.latency, travel, "and latency");
        NS_TEST_EXPECT_MSG_EQ(link.atA.finished.size(), 0, "Its sender gets no report");
        NS_TEST_ASSERT_MSG_EQ(link.atA.all.tx.size(), 1, "One message is sent");
        NS_TEST_EXPECT_MSG_EQ(link.atA.all.tx[0].wireBytes, 2801, "with its size");
        NS_TEST_ASSERT_MSG_EQ(link.atB.all.rx.size(), 1, "One message is received");
        NS_TEST_EXPECT_MSG_EQ(link.atB.all.rx[0].wireBytes, 2801, "with its size");
        NS_TEST_EXPECT_MSG_EQ(link.atB.all.messages.size(), 0, "but no message with contents");
        Simulator::Destroy();
    }
};

/** Datagrams of one transfer overtake each other. */
class ReorderedTransferTestCase : public TestCase
{
  public:
    ReorderedTransferTestCase()
        : TestCase("Datagrams of a transfer may arrive in any order")
    {
    }

  private:
    void DoRun() override
    {
        TransferLink link(UDP);
        link.a->SetAttribute("TransferRate", StringValue("1Mbps"));
        link.a->SetAttribute("TransferDatagramSize", UintegerValue(1000));
        link.ChangeDelay(Seconds(1), MilliSeconds(100));
        link.SendAt(Seconds(1), 1, 2500);
        link.ChangeDelay(Seconds(1) + MilliSeconds(4), MilliSeconds(2));
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(link.atB.finished.size(), 1, "It arrives");
        NS_TEST_EXPECT_MSG_EQ(link.atB.times[0],
                              Seconds(1) + OnTheLink(1000 + UDP_IPV4_PPP_BYTES) + MilliSeconds(100),
                              "with its first datagram, which is the last one to arrive");
        Simulator::Destroy();
    }
};

/** A transfer overtakes another one. */
class OvertakenTransferTestCase : public TestCase
{
  public:
    OvertakenTransferTestCase()
        : TestCase("A transfer overtaken by a later transfer is lost, and remains lost")
    {
    }

  private:
    void DoRun() override
    {
        TransferLink link(UDP);
        link.ChangeDelay(Seconds(1), MilliSeconds(100));
        link.SendAt(Seconds(1), 1, 5000);
        link.SendAt(Seconds(1), 2, 100);
        link.ChangeDelay(Seconds(1) + MilliSeconds(20), MilliSeconds(2));
        link.SendAt(Seconds(1) + MilliSeconds(20), 3, 5000);
        Simulator::Run();
        const auto first = Seconds(1) + MilliSeconds(22) + OnTheLink(1400 + UDP_IPV4_PPP_BYTES);
        NS_TEST_ASSERT_MSG_EQ(link.atA.finished.size(), 2, "Two are lost");
        for (std::size_t i = 0; i < 2; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(link.atA.finished[i].transfer, i + 1, "The earlier transfers");
            NS_TEST_EXPECT_MSG_EQ(link.atA.finished[i].reason, ChannelDropReason::LOSS, "as loss");
            NS_TEST_EXPECT_MSG_EQ(link.atA.times[i], first, "with the first datagram of the third");
        }
        NS_TEST_EXPECT_MSG_EQ(link.atA.all.drops.size(), 2, "Drop reports it, too");
        NS_TEST_ASSERT_MSG_EQ(link.atB.finished.size(), 1, "One transfer arrives");
        NS_TEST_EXPECT_MSG_EQ(link.atB.finished[0].transfer, 3, "the last one");
        Simulator::Destroy();
    }
};

/** Messages with and without contents share a stream. */
class StreamTransferTestCase : public TestCase
{
  public:
    StreamTransferTestCase()
        : TestCase("Over TCP, transfers and messages are sent one after the other")
    {
    }

  private:
    void DoRun() override
    {
        TransferLink link(TCP);
        Simulator::Schedule(Seconds(1), [&] {
            link.a->Send(MakeNumberMessage(1));
            link.a->SendTransfer(1, "update", 5000000);
            link.a->Send(MakeNumberMessage(2));
            link.b->SendTransfer(2, "experience", 300);
        });
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(link.atB.all.messages.size(), 2, "Both messages arrive");
        NS_TEST_EXPECT_MSG_EQ(GetNumber(link.atB.all.messages[0]), 1, "intact");
        NS_TEST_EXPECT_MSG_EQ(GetNumber(link.atB.all.messages[1]), 2, "intact");
        NS_TEST_ASSERT_MSG_EQ(link.atB.finished.size(), 1, "The transfer arrives");
        NS_TEST_EXPECT_MSG_EQ(link.atB.finished[0].wireBytes, 5000004, "of its size");
        NS_TEST_EXPECT_MSG_GT(link.atB.all.times[1],
                              link.atB.times[0] - TimeStep(1),
                              "before the message behind it");
        NS_TEST_EXPECT_MSG_GT(link.atB.times[0],
                              Seconds(1) + OnTheLink(5000000),
                              "after the transmission time of its bytes");
        NS_TEST_ASSERT_MSG_EQ(link.atA.finished.size(),
                              1,
                              "And the transfer in the other direction");
        NS_TEST_EXPECT_MSG_EQ(link.atA.finished[0].transfer, 2, "with its number");
        Simulator::Destroy();
    }
};

/** A connection ends during a transfer. */
class BrokenTransferTestCase : public TestCase
{
  public:
    /**
     * @param name Description of the channel.
     * @param make Makes the ends of a channel.
     */
    BrokenTransferTestCase(
        const std::string& name,
        std::function<std::pair<Ptr<ChannelInterface>, Ptr<ChannelInterface>>()> make)
        : TestCase(name),
          m_make(std::move(make))
    {
    }

  private:
    void DoRun() override
    {
        const auto [a, b] = m_make();
        TransferRecorder atA(a);
        TransferRecorder atB(b);
        a->SendTransfer(1, "update", 10);
        a->Connect(b);
        Simulator::Schedule(Seconds(1), [a = a] { a->SendTransfer(2, "update", 50000); });
        Simulator::Schedule(Seconds(1) + MilliSeconds(1), [b = b] { b->Disconnect(); });
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(atA.finished.size(), 2, "Both transfers fail");
        NS_TEST_EXPECT_MSG_EQ(atA.finished[0].reason, ChannelDropReason::NOT_CONNECTED, "Refused");
        NS_TEST_EXPECT_MSG_EQ(IsRefusal(atA.finished[0].reason), true, "which is a refusal");
        NS_TEST_EXPECT_MSG_EQ(atA.finished[1].reason,
                              ChannelDropReason::CONNECTION_CLOSED,
                              "Lost in flight");
        NS_TEST_EXPECT_MSG_EQ(IsRefusal(atA.finished[1].reason), false, "which is not a refusal");
        NS_TEST_EXPECT_MSG_EQ(atB.finished.size(), 0, "Nothing arrives");
        Simulator::Destroy();
    }

    /// Makes the ends of a channel.
    std::function<std::pair<Ptr<ChannelInterface>, Ptr<ChannelInterface>>()> m_make;
};

/** A user's channel. */
class OtherChannel : public ChannelInterface
{
  public:
    int Send(Ptr<OpenGymDictContainer> data) override
    {
        return -1;
    }

    ConnectionStatus Connect(Ptr<ChannelInterface> other) override
    {
        return ConnectionStatus::DISCONNECTED;
    }

    void Disconnect() override
    {
    }

    Ptr<ChannelInterface> GetPeer() const override
    {
        return nullptr;
    }
};

/** A channel without support for transfers. */
class UnsupportedTransferTestCase : public TestCase
{
  public:
    UnsupportedTransferTestCase()
        : TestCase("A channel without support for transfers refuses them")
    {
    }

  private:
    void DoRun() override
    {
        const auto channel = CreateObject<OtherChannel>();
        TransferRecorder recorder(channel);
        channel->SendTransfer(1, "update", 10);
        NS_TEST_ASSERT_MSG_EQ(recorder.finished.size(), 1, "The refusal is reported");
        NS_TEST_EXPECT_MSG_EQ(recorder.finished[0].reason, ChannelDropReason::NOT_SUPPORTED, "why");
        NS_TEST_EXPECT_MSG_EQ(recorder.all.tx.size(), 0, "Nothing is sent");
    }
};

/** Transfers that are too large. */
class LargeTransferTestCase : public TestCase
{
  public:
    LargeTransferTestCase()
        : TestCase("A transfer of 4 GiB is too large for TCP and UDP")
    {
    }

  private:
    void DoRun() override
    {
        for (const auto& protocol : {TCP, UDP})
        {
            TransferLink link(protocol);
            link.SendAt(Seconds(1), 1, 1ULL << 32);
            Simulator::Run();
            NS_TEST_ASSERT_MSG_EQ(link.atA.finished.size(), 1, "It is refused");
            NS_TEST_EXPECT_MSG_EQ(link.atA.finished[0].reason, ChannelDropReason::TOO_LARGE, "why");
            Simulator::Destroy();
        }
    }
};

/** Test suite of transfers through channels. */
class TransferTestSuite : public TestSuite
{
  public:
    TransferTestSuite()
        : TestSuite("defiance-transfer")
    {
        AddTestCase(new DatagramTransferTestCase);
        AddTestCase(new ReorderedTransferTestCase);
        AddTestCase(new OvertakenTransferTestCase);
        AddTestCase(new StreamTransferTestCase);
        for (const auto& [name, protocol] : {std::pair{"UDP", UDP}, {"TCP", TCP}})
        {
            AddTestCase(new BrokenTransferTestCase(
                std::string("A connection ends during a transfer over ") + name,
                [protocol = protocol] {
                    const ChainTopology topology;
                    return std::pair<Ptr<ChannelInterface>, Ptr<ChannelInterface>>(
                        topology.MakeChannel(0, "10.1.1.1", protocol),
                        topology.MakeChannel(1, "10.1.1.2", protocol));
                }));
        }
        AddTestCase(new BrokenTransferTestCase("A simple channel ends during a transfer", [] {
            const auto a = CreateObject<SimpleChannelInterface>();
            a->SetPropagationDelay(MilliSeconds(5));
            return std::pair<Ptr<ChannelInterface>, Ptr<ChannelInterface>>(
                a,
                CreateObject<SimpleChannelInterface>());
        }));
        AddTestCase(new UnsupportedTransferTestCase);
        AddTestCase(new LargeTransferTestCase);
    }
};

static TransferTestSuite g_transferTestSuite; //!< Registers the suite
