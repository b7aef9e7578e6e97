// SPDX-License-Identifier: GPL-2.0-only

#include "channel-test-support.h"

#include "ns3/opengym-serialization.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <utility>

using namespace ns3;

/**
 * @ingroup defiance-tests
 * @brief A broken connection is reopened after the reconnect delay, unless it is disconnected.
 */
class TcpReconnectDelayTestCase : public TestCase
{
  public:
    TcpReconnectDelayTestCase()
        : TestCase("Automatic reconnection over TCP")
    {
    }

  private:
    /**
     * @brief Let a connection break at 1 s, and the link recover shortly before it is given up.
     * @param inBetween code that runs between the end of the connection and the next one
     * @return the numbers that arrive afterwards, in order, and the final status
     */
    std::pair<std::vector<int32_t>, ConnectionStatus> Run(
        std::function<void(Ptr<ChannelInterface>)> inBetween)
    {
        ChainTopology topology;
        const auto a = topology.MakeChannel(0, "10.1.1.1", TCP);
        const auto b = topology.MakeChannel(1, "10.1.1.2", TCP);
        a->SetAttribute("ReconnectDelay", TimeValue(Seconds(5)));
        ChannelRecorder atA(a);
        ChannelRecorder atB(b);
        a->Connect(b);
        Simulator::Schedule(Seconds(1), [&] {
            topology.LosePackets(0, 1);
            topology.LosePackets(1, 1);
            a->Send(MakeNumberMessage(1));
        });
        a->TraceConnectWithoutContext(
            "Drop",
            Callback<void, const ChannelMessage&>([&](const ChannelMessage&) {
                topology.LosePackets(0, 0);
                topology.LosePackets(1, 0);
                Simulator::Schedule(Seconds(1), [&] { inBetween(b); });
                Simulator::Schedule(Seconds(4.9), [&] {
                    NS_TEST_EXPECT_MSG_EQ(a->GetConnectionStatus(),
                                          ConnectionStatus::DISCONNECTED,
                                          "It is not opened before the delay has passed");
                });
                Simulator::Schedule(Seconds(5.1), [&] { a->Send(MakeNumberMessage(2)); });
            }));
        Simulator::Stop(Seconds(3000));
        Simulator::Run();
        std::vector<int32_t> numbers;
        for (const auto& message : atB.messages)
        {
            numbers.push_back(GetNumber(message));
        }
        const auto status = b->GetConnectionStatus();
        Simulator::Destroy();
        return {numbers, status};
    }

    void DoRun() override
    {
        const auto again = Run([](Ptr<ChannelInterface>) {});
        NS_TEST_EXPECT_MSG_EQ((again.first == std::vector<int32_t>{2}),
                              true,
                              "The lost message is lost, the next one arrives");
        NS_TEST_EXPECT_MSG_EQ(again.second, ConnectionStatus::CONNECTED, "Both ends are connected");
        const auto given = Run([](Ptr<ChannelInterface> b) { b->Disconnect(); });
        NS_TEST_EXPECT_MSG_EQ(given.second,
                              ConnectionStatus::DISCONNECTED,
                              "Disconnect() at either end gives the connection up");
    }
};

/**
 * @ingroup defiance-tests
 * @brief Only a message that would wait beyond the largest queue size is refused.
 */
class TcpQueueTestCase : public TestCase
{
  public:
    TcpQueueTestCase()
        : TestCase("Limited queue over TCP")
    {
    }

  private:
    void DoRun() override
    {
        ChainTopology topology;
        const auto a = topology.MakeChannel(0, "10.1.1.1", TCP);
        const auto b = topology.MakeChannel(1, "10.1.1.2", TCP);
        const auto message = MakeBytesMessage(100000);
        const auto frame = SerializeContainer(message).size() + 4;
        a->SetAttribute("MaxQueueSize", UintegerValue(2 * frame));
        ChannelRecorder atA(a);
        ChannelRecorder atB(b);
        a->Connect(b);
        // Before the handshake, all messages wait.
        a->Send(message);
        a->Send(message);
        NS_TEST_EXPECT_MSG_EQ(a->GetQueueSize(), 2 * frame, "Two messages wait");
        NS_TEST_EXPECT_MSG_EQ(a->Send(message), -1, "There is no room for a third");
        NS_TEST_ASSERT_MSG_EQ(atA.drops.size(), 1, "It is traced as dropped");
        NS_TEST_EXPECT_MSG_EQ(atA.drops[0].reason, ChannelDropReason::QUEUE_FULL, "as refused");
        Simulator::Schedule(Seconds(1), [&] {
            NS_TEST_EXPECT_MSG_EQ(a->GetQueueSize(), 0, "The queue is empty");
            std::size_t accepted = 0;
            while (a->Send(message) > 0)
            {
                ++accepted;
            }
            // The send buffer of ns-3's TCP has 131072 bytes.
            NS_TEST_EXPECT_MSG_EQ(accepted,
                                  (131072 + 2 * frame) / frame,
                                  "Buffer and queue fill up");
        });
        Simulator::Run();
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(atB.messages.size(), 5, "All accepted messages arrive");
        for (const auto& received : atB.messages)
        {
            NS_TEST_EXPECT_MSG_EQ((GetBytes(received) == GetBytes(message)), true, "intact");
        }
    }
};

/**
 * @ingroup defiance-tests
 * @brief Test suite of SocketChannelInterface: attributes for TCP.
 */
class TcpAttributesTestSuite : public TestSuite
{
  public:
    TcpAttributesTestSuite()
        : TestSuite("defiance-tcp-attributes", Type::UNIT)
    {
        AddTestCase(new TcpReconnectDelayTestCase);
        AddTestCase(new TcpQueueTestCase);
    }
};

static TcpAttributesTestSuite g_tcpAttributesTestSuite; //!< Registers the suite
