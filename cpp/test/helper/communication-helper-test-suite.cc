// SPDX-License-Identifier: GPL-2.0-only

#include "communication-test-support.h"

using namespace ns3;

/**
 * @ingroup defiance-tests
 * @brief A scenario is connected as documented, over UDP, TCP and simple channels.
 */
class WiringTestCase : public HelperTestCase
{
  public:
    WiringTestCase()
        : HelperTestCase("A connected scenario")
    {
    }

  private:
    void DoRun() override
    {
        Install();
        communication.SetIds();
        communication.AddCommunication(
            {{observers.GetId(0), agents.GetId(0), SocketCommunicationAttributes{}},
             {observers.GetId(0), agents.GetId(1), {}},
             {rewards.GetId(0), agents.GetId(0), {}},
             {agents.GetId(0),
              actions.GetId(1),
              SocketCommunicationAttributes{.protocol = TcpSocketFactory::GetTypeId()}},
             {agents.GetId(0), agents.GetId(1), SocketCommunicationAttributes{}}});
        communication.AddCommunication(
            {{rewards.GetId(0), agents.GetId(1), CommunicationAttributes{MilliSeconds(7)}}});
        communication.Configure();
        ChannelRecorder fromObserver(agents.Get(0)->GetInterface(observers.GetId(0)));
        ChannelRecorder fromReward(agents.Get(1)->GetInterface(rewards.GetId(0)));
        At(Seconds(1), [&] {
            Get<ManualObservation>(observers)->Send(MakeNumberMessage(1));
            Get<ManualReward>(rewards)->Send(MakeNumberMessage(2));
            Get<RecordingAgent>(agents, 1)->SendToAgent(MakeNumberMessage(3));
        });
        At(Seconds(2), [&] { Get<RecordingAgent>(agents)->InferAction(); });
        Simulator::Stop(Seconds(3));
        Simulator::Run();

        const auto agent = Get<RecordingAgent>(agents);
        const auto other = Get<RecordingAgent>(agents, 1);
        NS_TEST_EXPECT_MSG_EQ((agent->observations == Receipts{{0, 1}}), true, "Over UDP");
        NS_TEST_EXPECT_MSG_EQ((other->observations == Receipts{{0, 1}}), true, "To both agents");
        NS_TEST_EXPECT_MSG_EQ((agent->rewards == Receipts{{0, 2}}), true, "Over a simple channel");
        NS_TEST_EXPECT_MSG_EQ((other->rewards == Receipts{{0, 2}}), true, "with a delay");
        NS_TEST_EXPECT_MSG_EQ((agent->messages == Receipts{{1, 3}}), true, "From server to client");
        NS_TEST_EXPECT_MSG_EQ((Get<RecordingAction>(actions, 1)->actions == Receipts{{0, 5}}),
                              true,
                              "Over TCP and two links");
        NS_TEST_ASSERT_MSG_EQ(fromObserver.rx.size(), 1, "Default addresses reach the agent");
        NS_TEST_EXPECT_MSG_GT(fromObserver.rx[0].latency, MilliSeconds(2), "over the link");
        NS_TEST_EXPECT_MSG_EQ(fromObserver.rx[0].kind, "observation", "with their kind");
        NS_TEST_EXPECT_MSG_EQ(fromReward.rx[0].latency, MilliSeconds(7), "The delay is as given");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief Pairs are values, which keep their attributes however they are stored.
 */
class ValueSemanticsTestCase : public HelperTestCase
{
  public:
    ValueSemanticsTestCase()
        : HelperTestCase("Pairs keep their attributes")
    {
    }

  private:
    /**
     * @brief Make pairs from attributes that do not outlive this method.
     * @return the pairs
     */
    std::vector<CommunicationPair> MakePairs() const
    {
        std::vector<CommunicationPair> pairs;
        for (uint32_t i = 0; i < agents.GetN(); ++i)
        {
            SocketCommunicationAttributes attributes{Ipv4Address("10.1.1.1"),
                                                     Ipv4Address("10.1.2.1"),
                                                     TcpSocketFactory::GetTypeId()};
            const CommunicationPair pair{observers.GetId(0), agents.GetId(i), attributes};
            pairs.push_back(pair);
        }
        return pairs;
    }

    void DoRun() override
    {
        Install();
        communication.SetIds();
        const auto pairs = MakePairs();
        communication.AddCommunication(pairs);
        communication.Configure();
        At(Seconds(1), [&] { Get<ManualObservation>(observers)->Send(MakeNumberMessage(1)); });
        Simulator::Stop(Seconds(2));
        Simulator::Run();

        for (uint32_t i = 0; i < agents.GetN(); ++i)
        {
            const auto channel = agents.Get(i)->GetInterface(observers.GetId(0));
            NS_TEST_EXPECT_MSG_EQ((DynamicCast<SocketChannelInterface>(channel) != nullptr),
                                  true,
                                  "The channel is a socket channel");
            NS_TEST_EXPECT_MSG_EQ(Get<RecordingAgent>(agents, i)->observations.size(),
                                  1,
                                  "and works with the given addresses");
        }
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief Channels are added and deleted while the simulation runs.
 */
class DynamicCommunicationTestCase : public HelperTestCase
{
  public:
    DynamicCommunicationTestCase()
        : HelperTestCase("Channels added and deleted while the simulation runs")
    {
    }

  private:
    void DoRun() override
    {
        Install();
        communication.SetIds();
        const auto observerId = observers.GetId(0);
        const auto agentId = agents.GetId(0);
        const auto observer = Get<ManualObservation>(observers);
        communication.AddCommunication({{observerId, agentId, SocketCommunicationAttributes{}},
                                        {observerId, agents.GetId(1), {}}});
        communication.Configure();
        At(Seconds(1), [&] { communication.AddCommunication({{observerId, agentId, {}}}); });
        At(Seconds(2), [&] { observer->Send(MakeNumberMessage(1), 0, 1); });
        At(Seconds(3), [&] { observer->Send(MakeNumberMessage(2), 0); });
        At(Seconds(4), [&] { communication.DeleteCommunication(observerId, agentId); });
        At(Seconds(5), [&] { observer->Send(MakeNumberMessage(3), 0); });
        At(Seconds(6), [&] { communication.DeleteCommunication(agentId, observerId, 1, 1); });
        At(Seconds(7), [&] { observer->Send(MakeNumberMessage(4)); });
        At(Seconds(8), [&] {
            communication.AddCommunication(
                {{agentId, observerId, SocketCommunicationAttributes{}}});
        });
        At(Seconds(9), [&] { observer->Send(MakeNumberMessage(5), 0, 0); });
        Simulator::Stop(Seconds(10));
        Simulator::Run();

        NS_TEST_EXPECT_MSG_EQ((Get<RecordingAgent>(agents)->observations ==
                               Receipts{{0, 1}, {0, 2}, {0, 2}, {0, 3}, {0, 5}}),
                              true,
                              "Messages take the existing channels");
        NS_TEST_EXPECT_MSG_EQ((Get<RecordingAgent>(agents, 1)->observations == Receipts{{0, 4}}),
                              true,
                              "A broadcast reaches the remaining agent");
        communication.AddCommunication({{observerId, agentId, {}}});
        NS_TEST_EXPECT_MSG_EQ(
            AbortsWith([&] { communication.DeleteCommunication(observerId, agentId, 0, 1); },
                       "not the ends of one channel"),
            true,
            "Ends of different channels are not deleted");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief Test suite of CommunicationHelper and RlApplicationHelper.
 */
class CommunicationHelperTestSuite : public TestSuite
{
  public:
    CommunicationHelperTestSuite()
        : TestSuite("defiance-communication-helper", Type::UNIT)
    {
        AddTestCase(new WiringTestCase);
        AddTestCase(new ValueSemanticsTestCase);
        AddTestCase(new DynamicCommunicationTestCase);
    }
};

static CommunicationHelperTestSuite g_communicationHelperTestSuite; //!< Registers the suite
