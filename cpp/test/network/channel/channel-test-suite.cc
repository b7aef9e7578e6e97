// SPDX-License-Identifier: GPL-2.0-only

#include "channel-test-support.h"

#include "ns3/opengym-serialization.h"
#include "ns3/simple-channel-interface.h"
#include "ns3/string.h"
#include "ns3/test.h"

using namespace ns3;

/**
 * @ingroup defiance-tests
 * @brief Rules for the ends of a connection.
 */
class SimpleConnectTestCase : public TestCase
{
  public:
    SimpleConnectTestCase()
        : TestCase("Connect rules of simple channels")
    {
    }

  private:
    void DoRun() override
    {
        const auto a = CreateObject<SimpleChannelInterface>();
        const auto b = CreateObject<SimpleChannelInterface>();
        const auto third = CreateObject<SimpleChannelInterface>();
        ChainTopology topology;
        const auto socket = topology.MakeChannel(0, "10.1.1.1", UdpSocketFactory::GetTypeId());

        NS_TEST_EXPECT_MSG_EQ(a->Connect(a),
                              ConnectionStatus::DISCONNECTED,
                              "An end does not connect with itself");
        NS_TEST_EXPECT_MSG_EQ(a->Connect(socket),
                              ConnectionStatus::DISCONNECTED,
                              "A simple channel does not connect with a socket channel");
        NS_TEST_EXPECT_MSG_EQ(socket->Connect(a),
                              ConnectionStatus::DISCONNECTED,
                              "A socket channel does not connect with a simple channel");
        NS_TEST_EXPECT_MSG_EQ(a->Connect(b), ConnectionStatus::CONNECTED, "Two free ends connect");
        NS_TEST_EXPECT_MSG_EQ(b->GetConnectionStatus(),
                              ConnectionStatus::CONNECTED,
                              "Connecting one end connects the other one, too");
        NS_TEST_EXPECT_MSG_EQ(b->GetPeer(), a, "The other end has its peer");
        NS_TEST_EXPECT_MSG_EQ(a->Connect(third),
                              ConnectionStatus::CONNECTED,
                              "A connected end keeps its connection");
        NS_TEST_EXPECT_MSG_EQ(a->GetPeer(), b, "The peer stays the same");
        NS_TEST_EXPECT_MSG_EQ(third->Connect(a),
                              ConnectionStatus::DISCONNECTED,
                              "A free end does not connect with a connected one");
        b->Disconnect();
        NS_TEST_EXPECT_MSG_EQ(a->GetConnectionStatus(),
                              ConnectionStatus::DISCONNECTED,
                              "Disconnecting one end disconnects the other one, too");
        NS_TEST_EXPECT_MSG_EQ(a->Connect(third),
                              ConnectionStatus::CONNECTED,
                              "After that, another peer is possible");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief The delay holds in both directions and to the nanosecond.
 */
class SimpleDelayTestCase : public TestCase
{
  public:
    SimpleDelayTestCase()
        : TestCase("Delay of simple channels")
    {
    }

  private:
    void DoRun() override
    {
        const auto a = CreateObject<SimpleChannelInterface>();
        const auto b = CreateObject<SimpleChannelInterface>();
        ChannelRecorder atA(a);
        ChannelRecorder atB(b);
        a->SetAttribute("PropagationDelay", TimeValue(NanoSeconds(1234567)));
        b->Connect(a);
        Simulator::Schedule(Seconds(1), [a] { a->Send(MakeNumberMessage(1)); });
        Simulator::Schedule(Seconds(1), [b] { b->Send(MakeNumberMessage(2)); });
        Simulator::Schedule(Seconds(2), [b] {
            b->Send(MakeNumberMessage(3));
            b->SetPropagationDelay(NanoSeconds(1));
            b->Send(MakeNumberMessage(4));
        });
        Simulator::Schedule(Seconds(3), [a] { a->Send(MakeNumberMessage(5)); });
        Simulator::Run();

        NS_TEST_ASSERT_MSG_EQ(atB.times.size(), 2, "Both messages of a arrive");
        NS_TEST_ASSERT_MSG_EQ(atA.times.size(), 3, "All messages of b arrive");
        NS_TEST_EXPECT_MSG_EQ(atB.times[0], NanoSeconds(1001234567), "From a with the delay");
        NS_TEST_EXPECT_MSG_EQ(atA.times[0], NanoSeconds(1001234567), "From b with the same delay");
        NS_TEST_EXPECT_MSG_EQ(atA.times[1],
                              NanoSeconds(2000000001),
                              "A new delay takes effect immediately");
        NS_TEST_EXPECT_MSG_EQ(GetNumber(atA.messages[1]), 4, "and a message overtakes");
        NS_TEST_EXPECT_MSG_EQ(atA.times[2], NanoSeconds(2001234567), "one sent with the old delay");
        NS_TEST_EXPECT_MSG_EQ(atB.times[1],
                              NanoSeconds(3000000001),
                              "The new delay holds for both");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief Sender and receiver do not share a container.
 */
class SimpleCopyTestCase : public TestCase
{
  public:
    SimpleCopyTestCase()
        : TestCase("Simple channels copy messages")
    {
    }

  private:
    void DoRun() override
    {
        const auto a = CreateObject<SimpleChannelInterface>();
        const auto b = CreateObject<SimpleChannelInterface>();
        ChannelRecorder atB(b);
        a->Connect(b);
        const auto message = MakeNumberMessage(1);
        const auto bytes = static_cast<int>(SerializeContainer(message).size());
        NS_TEST_EXPECT_MSG_EQ(a->Send(message), bytes, "Send returns the serialized size");
        message->Get("value")->GetObject<OpenGymBoxContainer<int32_t>>()->SetValue(0, 99);
        Simulator::Run();

        NS_TEST_ASSERT_MSG_EQ(atB.messages.size(), 1, "The message arrives");
        NS_TEST_EXPECT_MSG_EQ(GetNumber(atB.messages[0]),
                              1,
                              "with its contents at the time of sending");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief Tx, Rx and Drop report sizes, kinds, latencies and reasons.
 */
class SimpleTraceTestCase : public TestCase
{
  public:
    SimpleTraceTestCase()
        : TestCase("Traces of simple channels")
    {
    }

  private:
    void DoRun() override
    {
        const auto a = CreateObject<SimpleChannelInterface>();
        const auto b = CreateObject<SimpleChannelInterface>();
        a->SetMessageKind("observation");
        ChannelRecorder atA(a);
        ChannelRecorder atB(b);
        NS_TEST_EXPECT_MSG_EQ(a->Send(MakeNumberMessage(1)), -1, "An unconnected end refuses");
        a->SetPropagationDelay(MilliSeconds(3));
        a->Connect(b);
        const auto bytes = static_cast<uint64_t>(a->Send(MakeBytesMessage(1000)));
        Simulator::Run();

        NS_TEST_ASSERT_MSG_EQ(atA.drops.size(), 1, "The refused message is traced as dropped");
        NS_TEST_EXPECT_MSG_EQ(atA.drops[0].reason, ChannelDropReason::NOT_CONNECTED, "with reason");
        NS_TEST_ASSERT_MSG_EQ(atA.tx.size(), 1, "Only the accepted one is traced as sent");
        NS_TEST_EXPECT_MSG_EQ(atA.tx[0].payloadBytes, bytes, "with its size");
        NS_TEST_EXPECT_MSG_EQ(atA.tx[0].wireBytes, bytes, "without any header");
        NS_TEST_ASSERT_MSG_EQ(atB.rx.size(), 1, "and as received at the other end");
        NS_TEST_EXPECT_MSG_EQ(atB.rx[0].payloadBytes, bytes, "with its size");
        NS_TEST_EXPECT_MSG_EQ(atB.rx[0].kind, "observation", "with the sender's kind");
        NS_TEST_EXPECT_MSG_EQ(atB.rx[0].latency, MilliSeconds(3), "and its latency");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief Receive callbacks can be removed, and misuse aborts.
 */
class ChannelCallbackTestCase : public TestCase
{
  public:
    ChannelCallbackTestCase()
        : TestCase("Receive callbacks of channels")
    {
    }

  private:
    /**
     * @brief Count a message.
     * @param weight its weight
     * @param message the message
     */
    void Count(uint32_t weight, Ptr<OpenGymDictContainer> message)
    {
        m_count += weight;
    }

    void DoRun() override
    {
        const auto a = CreateObject<SimpleChannelInterface>();
        const auto b = CreateObject<SimpleChannelInterface>();
        a->Connect(b);
        for (uint32_t weight : {1, 10, 100})
        {
            b->AddRecvCallback(MakeCallback(&ChannelCallbackTestCase::Count, this).Bind(weight));
        }
        b->RemoveRecvCallback(MakeCallback(&ChannelCallbackTestCase::Count, this).Bind(10U));
        a->Send(MakeNumberMessage(1));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_count, 101, "All callbacks except the removed one are called");
        NS_TEST_EXPECT_MSG_EQ(AbortsWith([a] { a->Send(nullptr); }, "must not be null"),
                              true,
                              "Sending null aborts");
        NS_TEST_EXPECT_MSG_EQ(AbortsWith([a] { a->Connect(nullptr); }, "null was passed"),
                              true,
                              "Connecting with null aborts");
        Simulator::Destroy();
    }

    uint32_t m_count{0}; //!< Weighted number of calls
};

/**
 * @ingroup defiance-tests
 * @brief Test suite of ChannelInterface and SimpleChannelInterface.
 */
class ChannelTestSuite : public TestSuite
{
  public:
    ChannelTestSuite()
        : TestSuite("defiance-channel", Type::UNIT)
    {
        AddTestCase(new SimpleConnectTestCase);
        AddTestCase(new SimpleDelayTestCase);
        AddTestCase(new SimpleCopyTestCase);
        AddTestCase(new SimpleTraceTestCase);
        AddTestCase(new ChannelCallbackTestCase);
    }
};

static ChannelTestSuite g_channelTestSuite; //!< Registers the suite
