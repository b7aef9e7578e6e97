// SPDX-License-Identifier: GPL-2.0-only

#include "partition-controller.h"
#include "raft-protocol.h"
#include "raft-replica.h"
#include "replica-network.h"
#include "replica-observation-app.h"

#include "ns3/simple-channel-interface.h"
#include "ns3/simulator.h"
#include "ns3/test.h"

#include <numeric>
#include <utility>
#include <vector>

using namespace ns3;

/**
 * @ingroup defiance-tests
 * @brief Commands reach the replicas with the next tick, and once.
 */
class ControllerTestCase : public TestCase
{
  public:
    ControllerTestCase()
        : TestCase("In each tick each replica gets one command")
    {
    }

  private:
    /**
     * Let all replicas report.
     *
     * @param controller Receives the reports.
     * @param tick Number of the tick.
     * @param leader Number of the leader.
     * @param pending Held messages.
     * @param refuses Whether the replicas have refused a request.
     */
    void Report(PartitionController& controller,
                uint64_t tick,
                uint32_t leader,
                const std::vector<PendingMessage>& pending = {},
                bool refuses = false)
    {
        for (const uint32_t id : {2, 1, 3})
        {
            ReplicaReport report{.tick = tick, .replica = id};
            report.events = {{id, 1, 2, 3, 4}};
            report.messages = {{MessageEvent::SENT, id, 1, 5, 600 + id % 3, "hello"}};
            report.failure = id == 2 ? "it" : "";
            report.refused = refuses;
            report.delivered = id;
            report.cut = 1;
            report.state.values = {id == leader ? 2 : 0, 4, 0, 0, 0, 0, 0};
            for (const auto& message : pending)
            {
                if (message.to == id)
                {
                    report.pending.push_back(message);
                }
            }
            const auto copy = ReplicaReport::Decode(report.Encode());
            NS_TEST_EXPECT_MSG_EQ((copy == report), true, "A report is equal after the channel");
            NS_TEST_EXPECT_MSG_EQ(controller.TakeReport(report),
                                  (id == 3),
                                  "The last report is that of 3");
        }
    }

    void DoRun() override
    {
        RaftProtocol protocol;
        std::vector<std::pair<uint32_t, ReplicaCommand>> sent;
        PartitionController controller(protocol, 3, 2, [&](uint32_t id, const auto& command) {
            const auto copy = ReplicaCommand::Decode(command.Encode());
            NS_TEST_EXPECT_MSG_EQ((copy == command), true, "A command is equal after the channel");
            sent.emplace_back(id, command);
        });
        controller.Reset();
        for (const auto& [id, command] : std::exchange(sent, {}))
        {
            NS_TEST_EXPECT_MSG_EQ(int(command.power), int(ReplicaCommand::RESET), "A new disk");
            NS_TEST_EXPECT_MSG_EQ(command.tick, 1, "The first report belongs to this tick");
        }
        const std::vector<PendingMessage> held{{7, 1, 2, 200, 5},
                                               {8, 3, 2, 100, 5},
                                               {7, 2, 3, 100, 6}};
        Report(controller, 1, 2, held);
        const auto pending = controller.GetPendingMessages();
        NS_TEST_ASSERT_MSG_EQ(pending.size(), 3, "All replicas are known");
        NS_TEST_EXPECT_MSG_EQ((std::vector(pending.begin(), pending.end()) ==
                               std::vector<PendingMessage>{held[1], held[2], held[0]}),
                              true,
                              "The oldest first, then by receiver");
        NS_TEST_EXPECT_MSG_EQ(controller.CanDeliverRequest(), true, "2 leads");
        controller.DeliverMessages({held[0], held[2]});
        controller.DropMessages({held[1]});
        controller.ReceiveRequest();
        controller.Cut(1, {2, 3});
        controller.Stop(3);
        NS_TEST_EXPECT_MSG_EQ(sent.size(), 0, "Nothing happens before the tick");
        controller.Tick();
        NS_TEST_ASSERT_MSG_EQ(sent.size(), 3, "Each replica gets a command");
        const std::vector<ReplicaCommand> expected{
            {2, ReplicaCommand::KEEP, 0, true, {2, 3}, {}, {}},
            {2, ReplicaCommand::KEEP, 1, false, {}, {8}, {7}},
            {2, ReplicaCommand::STOP, 0, false, {}, {}, {7}}};
        for (const auto& [id, command] : std::exchange(sent, {}))
        {
            NS_TEST_EXPECT_MSG_EQ((command == expected[id - 1]),
                                  true,
                                  "The ordered command, at " << id);
        }
        Report(controller, 2, 0);
        NS_TEST_EXPECT_MSG_EQ(controller.CanDeliverRequest(), false, "There is no leader");
        NS_TEST_EXPECT_MSG_EQ(controller.CountPendingRequests(), 1, "One of two requests is left");
        controller.Start(3);
        controller.Tick();
        NS_TEST_EXPECT_MSG_EQ(int(sent[2].second.power),
                              int(ReplicaCommand::START),
                              "The replica starts");
        NS_TEST_EXPECT_MSG_EQ(
            (sent[1].second == ReplicaCommand{.tick = 3, .cut = {}, .dropped = {}, .released = {}}),
            true,
            "The other commands were executed before");
        CheckWhatIsGathered(controller);
    }

    /**
     * Check reports of the third tick, and a refused request.
     *
     * @param controller Waits for the reports.
     */
    void CheckWhatIsGathered(PartitionController& controller)
    {
        Report(controller, 3, 1);
        NS_TEST_EXPECT_MSG_EQ(controller.CountDelivered(), 6, "The sum over all replicas");
        NS_TEST_EXPECT_MSG_EQ(controller.CountCut(), 3, "The sum over all replicas");
        NS_TEST_ASSERT_MSG_EQ(controller.GetFailures().size(), 1, "One replica has crashed");
        NS_TEST_EXPECT_MSG_EQ(controller.GetFailures()[0],
                              "replica 2: it",
                              "The replica and the reason");
        const auto& events = controller.GetGroup().events;
        NS_TEST_ASSERT_MSG_EQ(events.size(), 3, "One event of each replica, of the last tick only");
        NS_TEST_EXPECT_MSG_EQ(events[2].replica, 3, "In the order of replicas");
        const auto& messages = controller.GetMessageEvents();
        NS_TEST_ASSERT_MSG_EQ(messages.size(), 3, "One event of each replica");
        NS_TEST_EXPECT_MSG_EQ(messages[0].from, 3, "In the order of time");
        controller.ReceiveRequest();
        NS_TEST_EXPECT_MSG_EQ(controller.CountPendingRequests(), 0, "The request is handed over");
        controller.BecomeByzantine(2);
        controller.Tick();
        Report(controller, 4, 1, {}, true);
        NS_TEST_EXPECT_MSG_EQ(controller.CountPendingRequests(), 1, "and returned");
    }
};

/**
 * @ingroup defiance-tests
 * @brief The work of a report does not grow with the messages that wait.
 */
class ReportTestCase : public TestCase
{
  public:
    ReportTestCase()
        : TestCase("A held message is hashed and reported once, however long it waits")
    {
    }

  private:
    void DoRun() override
    {
        const auto network = ReplicaTopology::GetAll().at("star").build(2, {});
        const auto node = network->nodes.Get(0);
        auto replica = CreateObject<RaftReplica>();
        replica->SetGroup(1, network->addresses);
        node->AddApplication(replica);
        auto app = CreateObject<ReplicaObservationApp>(replica, network->filters[0], false);
        const auto sender = CreateObject<SimpleChannelInterface>();
        const auto receiver = CreateObject<SimpleChannelInterface>();
        sender->Connect(receiver);
        app->AddInterface({ApplicationType::AGENT, 0}, sender);
        node->AddApplication(app);
        std::vector<uint64_t> reported;
        const auto take = [&](Ptr<OpenGymDictContainer> report) {
            for (const auto& message : ReplicaReport::Decode(report).pending)
            {
                reported.push_back(message.number);
            }
        };
        receiver->AddRecvCallback(Callback<void, Ptr<OpenGymDictContainer>>(take));
        const auto interceptor = replica->GetInterceptor();
        const auto tick = [&](uint64_t number) {
            interceptor->Hold(2, Create<Packet>(10));
            interceptor->Hold(2, Create<Packet>(10));
            interceptor->Release(number);
            app->Report(number, false);
        };
        for (uint64_t number = 1; number <= 100; number++)
        {
            Simulator::Schedule(MilliSeconds(number), [&tick, number] { tick(number); });
        }
        Simulator::Stop(Seconds(1));
        Simulator::Run();
        std::vector<uint64_t> all(200);
        std::iota(all.begin(), all.end(), 1);
        all.erase(all.begin()); // it is released before the first report
        NS_TEST_EXPECT_MSG_EQ(interceptor->GetHeld().size(), 100, "Half of the messages wait");
        NS_TEST_EXPECT_MSG_EQ((reported == all), true, "Each is in one report");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief The controller of the replicas.
 */
class PartitionControllerTestSuite : public TestSuite
{
  public:
    PartitionControllerTestSuite()
        : TestSuite("defiance-partition-controller", Type::UNIT)
    {
        AddTestCase(new ControllerTestCase, Duration::QUICK);
        AddTestCase(new ReportTestCase, Duration::QUICK);
    }
};

/// The one instance that registers the suite.
static PartitionControllerTestSuite g_partitionControllerTestSuite;
