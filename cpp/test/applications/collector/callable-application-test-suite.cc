// SPDX-License-Identifier: GPL-2.0-only

#include "application-test-support.h"

#include "ns3/callable-action-application.h"
#include "ns3/callable-collector.h"
#include "ns3/drop-tail-queue.h"
#include "ns3/packet.h"
#include "ns3/test.h"

#include <sstream>

using namespace ns3;

/**
 * @ingroup defiance-tests
 * @brief Applications made from functions, and their messages to an agent.
 */
class CallableTestCase : public TestCase
{
  public:
    using TestCase::TestCase;

  protected:
    /**
     * @brief Connect a data collector with an end that records messages.
     * @param applications one data collector
     * @return the application
     */
    Ptr<RlApplication> Listen(const RlApplicationContainer& applications)
    {
        const auto application = applications.Get(0);
        const auto near = CreateObject<SimpleChannelInterface>();
        end = CreateObject<SimpleChannelInterface>();
        near->Connect(end);
        application->AddInterface({AGENT, 0}, near);
        end->AddRecvCallback(MakeCallback(&CallableTestCase::Note, this));
        return application;
    }

    /**
     * @brief Check the messages that arrived.
     * @param expected times in ms and messages
     * @param words description of the check
     */
    void Expect(const std::vector<std::string>& expected, const std::string& words)
    {
        std::string all;
        for (const auto& each : received)
        {
            all += "'" + each + "' ";
        }
        NS_TEST_EXPECT_MSG_EQ((received == expected), true, words << ", but: " << all);
    }

    RlApplicationHelper helper;        //!< Installs the applications
    Ptr<SimpleChannelInterface> end;   //!< End at which messages arrive
    std::vector<std::string> received; //!< Time and contents of messages
    NodeContainer nodes;               //!< Nodes of the applications

  private:
    /**
     * @brief Note a message.
     * @param message the message
     */
    void Note(Ptr<OpenGymDictContainer> message)
    {
        std::ostringstream text;
        text << Simulator::Now().GetMilliSeconds() << " " << message;
        received.push_back(text.str());
    }
};

/**
 * @ingroup defiance-tests
 * @brief A function is called at an interval between start and stop, not while paused.
 */
class IntervalFunctionTestCase : public CallableTestCase
{
  public:
    IntervalFunctionTestCase()
        : CallableTestCase("Functions called at an interval")
    {
    }

  private:
    void DoRun() override
    {
        nodes.Create(2);
        const auto observe = [count = 0]() mutable -> Ptr<OpenGymDataContainer> {
            ++count;
            return count == 2 ? nullptr : MakeBoxContainer<int32_t>(1, count);
        };
        const auto observer =
            Listen(helper.Install<CallableObservationApplication>(nodes.Get(0),
                                                                  MilliSeconds(10),
                                                                  observe));
        observer->SetStartTime(MilliSeconds(5));
        observer->SetStopTime(MilliSeconds(70));
        At(MilliSeconds(40), [&] { observer->Pause(); });
        At(MilliSeconds(50), [&] { observer->Resume(); });
        ChannelRecorder recorder(end);
        Simulator::Run();
        Expect({"15 {observation: [1]}",
                "35 {observation: [3]}",
                "55 {observation: [4]}",
                "65 {observation: [5]}"},
               "One interval after the start, and no message for null");
        NS_TEST_EXPECT_MSG_EQ(recorder.rx[0].kind, "observation", "Messages have their kind");
        NS_TEST_EXPECT_MSG_EQ(
            AbortsWith(
                [&] {
                    helper.Install<CallableObservationApplication>(nodes.Get(0), Time(), observe);
                },
                "give a positive interval"),
            true,
            "An interval must be positive");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief A function is called when a trace source fires, while the application runs.
 */
class TraceFunctionTestCase : public CallableTestCase
{
  public:
    TraceFunctionTestCase()
        : CallableTestCase("Functions called by a trace source")
    {
    }

  private:
    void DoRun() override
    {
        nodes.Create(2);
        const auto queue = CreateObject<DropTailQueue<Packet>>();
        const auto rewarder = Listen(helper.Install<CallableRewardApplication>(
            nodes.Get(0),
            queue,
            "Enqueue",
            [](Ptr<const Packet> packet) { return packet->GetSize() / 2.0; }));
        rewarder->SetStartTime(MilliSeconds(2));
        rewarder->SetStopTime(MilliSeconds(6));
        for (const uint32_t ms : {1, 3, 5, 7})
        {
            At(MilliSeconds(ms), [=] { queue->Enqueue(Create<Packet>(ms)); });
        }
        At(MilliSeconds(4), [=, this] { rewarder->MoveTo(nodes.Get(1)); });
        Simulator::Run();
        Expect({"3 {reward: [1.5]}", "5 {reward: [2.5]}"},
               "Between start and stop, also after a move");
        Simulator::Destroy();
        queue->Enqueue(Create<Packet>(1));
        NS_TEST_EXPECT_MSG_EQ(received.size(), 2, "A deleted application is not called");
        const auto refused =
            helper.Install<CallableRewardApplication>(NodeContainer(1), queue, "Nothing", [] {
                return 1;
            });
        NS_TEST_EXPECT_MSG_EQ(
            AbortsWith([&] { refused.Get(0)->Setup(); },
                       "ns3::DropTailQueue<Packet> has no trace source 'Nothing'"),
            true,
            "The trace source must exist");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief A path that begins at the node follows the application to another node.
 */
class PathFunctionTestCase : public CallableTestCase
{
  public:
    PathFunctionTestCase()
        : CallableTestCase("Functions called by the trace sources of a path")
    {
    }

  private:
    void DoRun() override
    {
        nodes.Create(2);
        PointToPointHelper().Install(nodes);
        const auto queueOf = [this](uint32_t node) {
            PointerValue queue;
            nodes.Get(node)->GetDevice(0)->GetAttribute("TxQueue", queue);
            return queue.Get<Queue<Packet>>();
        };
        const std::string path = "DeviceList/0/$ns3::PointToPointNetDevice/TxQueue/PacketsInQueue";
        const auto told = [](uint32_t before, uint32_t now) {
            return MakeDictContainer("before",
                                     MakeDiscreteContainer(before),
                                     "now",
                                     MakeDiscreteContainer(now));
        };
        const auto observer =
            Listen(helper.Install<CallableObservationApplication>(nodes.Get(0), path, told));
        const auto enqueueAll = [=] {
            queueOf(0)->Enqueue(Create<Packet>(1));
            queueOf(1)->Enqueue(Create<Packet>(1));
        };
        At(MilliSeconds(1), enqueueAll);
        At(MilliSeconds(2), [=, this] { observer->MoveTo(nodes.Get(1)); });
        At(MilliSeconds(3), enqueueAll);
        Simulator::Run();
        Expect({"1 {before: 0, now: 1}", "3 {before: 1, now: 2}"}, "A dict is the message itself");

        for (const auto& [wrong, words] :
             {std::pair{"DeviceList/7/TxQueue/Drop", "no object is at /NodeList/"},
              std::pair{"/NodeList/*/DeviceList/7/TxQueue/Drop", "no object is at /NodeList/*/"},
              std::pair{"Drop", "has no '/'"}})
        {
            const auto install = [&] {
                helper.Install<CallableObservationApplication>(nodes.Get(0), wrong, told)
                    .Get(0)
                    ->Setup();
            };
            NS_TEST_EXPECT_MSG_EQ(AbortsWith(install, words), true, "Should abort with: " << words);
        }
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief The function of an action application receives the contents of a message.
 */
class CallableActionTestCase : public CallableTestCase
{
  public:
    CallableActionTestCase()
        : CallableTestCase("Functions that execute actions")
    {
    }

  private:
    void DoRun() override
    {
        nodes.Create(2);
        const auto number = [](int64_t value) { return MakeDiscreteContainer(value); };
        const auto act = [this](Ptr<OpenGymDataContainer> action) {
            std::ostringstream text;
            text << action;
            received.push_back(text.str());
        };
        Listen(helper.Install<CallableActionApplication>(nodes.Get(0), act));
        At(MilliSeconds(1), [&] {
            end->Send(MakeDictContainer("default", number(1), "other", number(2)));
            end->Send(MakeDictContainer("other", number(3)));
            end->Send(MakeDictContainer("a", number(4), "b", number(5)));
        });
        Simulator::Run();
        Expect({"1", "3", "{a: 4, b: 5}"}, "The default entry, the only one, or the message");
        NS_TEST_EXPECT_MSG_EQ(AbortsWith([] { CreateObject<CallableActionApplication>(nullptr); },
                                         "needs a function"),
                              true,
                              "A function is required");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief Test suite of applications made from functions.
 */
class CallableApplicationTestSuite : public TestSuite
{
  public:
    CallableApplicationTestSuite()
        : TestSuite("defiance-callable-application", Type::UNIT)
    {
        AddTestCase(new IntervalFunctionTestCase);
        AddTestCase(new TraceFunctionTestCase);
        AddTestCase(new PathFunctionTestCase);
        AddTestCase(new CallableActionTestCase);
    }
};

static CallableApplicationTestSuite g_callableApplicationTestSuite; //!< Registers the suite
