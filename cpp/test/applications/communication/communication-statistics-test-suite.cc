// SPDX-License-Identifier: GPL-2.0-only

#include "communication-test-support.h"

#include "ns3/boolean.h"
#include "ns3/communication-statistics.h"
#include "ns3/global-value.h"
#include "ns3/opengym-serialization.h"
#include "ns3/test.h"

using namespace ns3;

/**
 * @ingroup defiance-tests
 * @brief Messages between two applications over two channels are counted by pair and kind.
 */
class StatisticsTestCase : public HelperTestCase
{
  public:
    StatisticsTestCase()
        : HelperTestCase("Messages are counted")
    {
    }

  private:
    void DoRun() override
    {
        GlobalValue::Bind("CommunicationInfos", BooleanValue(true));
        Install();
        communication.SetIds();
        communication.AddCommunication(
            {{observers.GetId(0), agents.GetId(0), CommunicationAttributes{MilliSeconds(10)}},
             {observers.GetId(0),
              agents.GetId(0),
              SocketCommunicationAttributes{.protocol = TcpSocketFactory::GetTypeId()}},
             {rewards.GetId(0), agents.GetId(0), CommunicationAttributes{MilliSeconds(10), 1}}});
        communication.Configure();
        const auto observer = Get<ManualObservation>(observers);
        const auto reward = Get<ManualReward>(rewards);
        At(Seconds(1), [&] { observer->Send(MakeNumberMessage(1)); });
        At(Seconds(2), [&] { reward->Send(MakeNumberMessage(1)); });
        At(Seconds(3),
           [&] { communication.DeleteCommunication(observers.GetId(0), agents.GetId(0)); });
        At(Seconds(4), [&] { observer->Send(MakeNumberMessage(1)); });
        // Still in flight at the end.
        At(Seconds(4.999), [&] { observer->Send(MakeNumberMessage(1)); });
        Simulator::Stop(Seconds(5));
        Simulator::Run();
        Check();
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(CommunicationStatistics::Get()->GetFlows().empty(),
                              true,
                              "The next simulation starts at zero");
        Simulator::Destroy();
        GlobalValue::Bind("CommunicationInfos", BooleanValue(false));
    }

    /// Compare with numbers computed by hand.
    void Check()
    {
        const auto size = SerializeContainer(MakeNumberMessage(1)).size();
        const auto statistics = CommunicationStatistics::Get();
        const auto sent =
            statistics->GetFlows().at({observers.GetId(0), agents.GetId(0), "observation"});
        NS_TEST_EXPECT_MSG_EQ(sent.txMessages, 4, "Two channels, then one: 2 + 1 + 1");
        NS_TEST_EXPECT_MSG_EQ(sent.txPayloadBytes, 4 * size, "Contents");
        NS_TEST_EXPECT_MSG_EQ(sent.rxPayloadBytes, 3 * size, "Contents");
        NS_TEST_EXPECT_MSG_EQ(sent.latencies.GetQuantile(1), MilliSeconds(10), "Distribution");
        NS_TEST_EXPECT_MSG_EQ(sent.txBytes, size + 3 * (size + 4), "TCP has a header of 4 bytes");
        NS_TEST_EXPECT_MSG_EQ(sent.rxMessages, 3, "The last message is in flight");
        NS_TEST_EXPECT_MSG_EQ(sent.rxBytes, size + 2 * (size + 4), "and so are its bytes");
        NS_TEST_EXPECT_MSG_EQ(sent.droppedMessages, 0, "Nothing is lost");
        NS_TEST_EXPECT_MSG_EQ(sent.maxLatency, MilliSeconds(10), "The simple channel is slowest");
        // 5 Mbit/s and 2 ms, 1 ns before TCP sends; PPP 2, IPv4 20, TCP 20 + 12 bytes.
        const auto latency =
            NanoSeconds(1) + MilliSeconds(2) + NanoSeconds(1600) * (size + 4 + 2 + 20 + 32);
        NS_TEST_EXPECT_MSG_EQ(sent.minLatency, latency, "TCP's latency by hand");
        NS_TEST_EXPECT_MSG_EQ(sent.GetMeanLatency(),
                              (MilliSeconds(10) + 2 * latency) / 3,
                              "The mean over all messages that arrived");
        const auto lost = statistics->GetFlows().at({rewards.GetId(0), agents.GetId(0), "reward"});
        NS_TEST_EXPECT_MSG_EQ(lost.txMessages, 1, "A lost message counts as sent");
        NS_TEST_EXPECT_MSG_EQ(lost.droppedMessages, 1, "and as dropped");
        NS_TEST_EXPECT_MSG_EQ(lost.droppedBytes, size, "with its bytes");
        const auto info = statistics->GetInfo(agents.GetId(0));
        const auto find = [&info](const std::string& key) {
            return std::get<int64_t>(info.at("communication/" + key));
        };
        NS_TEST_EXPECT_MSG_EQ(find("observation_0/agent_0/observation/rx_messages"), 3, "As info");
        NS_TEST_EXPECT_MSG_EQ(find("reward_0/agent_0/reward/dropped_messages"), 1, "As info");
        NS_TEST_EXPECT_MSG_EQ(info.size(), 18, "Nine quantities for each of two flows");
        NS_TEST_EXPECT_MSG_EQ(statistics->GetInfo(agents.GetId(1)).size(),
                              0,
                              "Not its own messages");
    }
};

/**
 * @ingroup defiance-tests
 * @brief Messages are counted on request only.
 */
class NoStatisticsTestCase : public HelperTestCase
{
  public:
    NoStatisticsTestCase()
        : HelperTestCase("Messages are not counted without request")
    {
    }

  private:
    void DoRun() override
    {
        Install();
        communication.SetIds();
        communication.AddCommunication({{observers.GetId(0), agents.GetId(0), {}}});
        communication.Configure();
        At(Seconds(1), [&] { Get<ManualObservation>(observers)->Send(MakeNumberMessage(1)); });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(CommunicationStatistics::Get()->GetFlows().size(), 0, "No flows");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief Test suite of CommunicationStatistics.
 */
class CommunicationStatisticsTestSuite : public TestSuite
{
  public:
    CommunicationStatisticsTestSuite()
        : TestSuite("defiance-communication-statistics", Type::UNIT)
    {
        AddTestCase(new StatisticsTestCase);
        AddTestCase(new NoStatisticsTestCase);
    }
};

static CommunicationStatisticsTestSuite g_communicationStatisticsTestSuite; //!< Registers the suite
