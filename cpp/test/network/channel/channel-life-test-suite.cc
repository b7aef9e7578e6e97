// SPDX-License-Identifier: GPL-2.0-only

#include "channel-test-support.h"

#include "ns3/double.h"
#include "ns3/simple-channel-interface.h"
#include "ns3/test.h"

using namespace ns3;

/**
 * @ingroup defiance-tests
 * @brief Messages in flight are dropped when the connection ends.
 */
class SimpleDisconnectTestCase : public TestCase
{
  public:
    SimpleDisconnectTestCase()
        : TestCase("Simple channels disconnect with messages in flight")
    {
    }

  private:
    void DoRun() override
    {
        const auto a = CreateObject<SimpleChannelInterface>();
        const auto b = CreateObject<SimpleChannelInterface>();
        const auto c = CreateObject<SimpleChannelInterface>();
        a->SetPropagationDelay(MilliSeconds(10));
        ChannelRecorder atA(a);
        ChannelRecorder atB(b);
        ChannelRecorder atC(c);
        a->Connect(b);
        a->Send(MakeNumberMessage(1));
        b->Send(MakeNumberMessage(2));
        b->Send(MakeNumberMessage(3));
        Simulator::Schedule(MilliSeconds(5), [a, c] {
            a->Disconnect();
            a->Connect(c);
            a->Send(MakeNumberMessage(4));
        });
        Simulator::Run();

        NS_TEST_EXPECT_MSG_EQ(atB.messages.size(), 0, "Nothing arrives at the first peer");
        NS_TEST_EXPECT_MSG_EQ(atA.messages.size(), 0, "or from it");
        NS_TEST_ASSERT_MSG_EQ(atA.drops.size(), 1, "The message of a is traced as dropped at a");
        NS_TEST_EXPECT_MSG_EQ(atA.drops[0].reason,
                              ChannelDropReason::CONNECTION_CLOSED,
                              "because of the disconnection");
        NS_TEST_EXPECT_MSG_EQ(atB.drops.size(), 2, "those of b at b");
        NS_TEST_ASSERT_MSG_EQ(atC.messages.size(), 1, "The new peer gets only the new message");
        NS_TEST_EXPECT_MSG_EQ(GetNumber(atC.messages[0]), 4, "of the new connection");
        NS_TEST_EXPECT_MSG_EQ(atC.times[0], MilliSeconds(15), "after the delay");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief An end may be destroyed at any time, also in a receive callback.
 */
class SimpleDeathTestCase : public TestCase
{
  public:
    SimpleDeathTestCase()
        : TestCase("A simple channel with a destroyed end")
    {
    }

  private:
    void DoRun() override
    {
        const auto a = CreateObject<SimpleChannelInterface>();
        auto b = CreateObject<SimpleChannelInterface>();
        a->SetPropagationDelay(MilliSeconds(10));
        ChannelRecorder atA(a);
        a->Connect(b);
        a->Send(MakeNumberMessage(1));
        b->AddRecvCallback(
            ChannelInterface::RecvCallback([&b](Ptr<OpenGymDictContainer>) { b = nullptr; }));
        Simulator::Schedule(MilliSeconds(5), [a] { a->Send(MakeNumberMessage(2)); });
        Simulator::Run();

        NS_TEST_EXPECT_MSG_EQ(a->GetConnectionStatus(),
                              ConnectionStatus::DISCONNECTED,
                              "The survivor is disconnected");
        NS_TEST_ASSERT_MSG_EQ(atA.drops.size(), 1, "Its message to the destroyed end is dropped");
        NS_TEST_EXPECT_MSG_EQ(a->Send(MakeNumberMessage(3)), -1, "It refuses more messages");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief A fraction of the messages is lost, reproducibly.
 */
class SimpleLossTestCase : public TestCase
{
  public:
    SimpleLossTestCase()
        : TestCase("Loss on simple channels")
    {
    }

  private:
    /**
     * @brief Send 1000 messages.
     * @param rate loss rate
     * @param stream random stream
     * @return the numbers of the messages that arrive
     */
    std::vector<int32_t> GetArrivals(double rate, int64_t stream)
    {
        const auto a = CreateObject<SimpleChannelInterface>();
        const auto b = CreateObject<SimpleChannelInterface>();
        a->SetAttribute("LossRate", DoubleValue(rate));
        NS_TEST_EXPECT_MSG_EQ(a->AssignStreams(stream), 2, "Loss and jitter have streams");
        ChannelRecorder atA(a);
        ChannelRecorder atB(b);
        a->Connect(b);
        for (int32_t i = 0; i < 1000; ++i)
        {
            NS_TEST_EXPECT_MSG_GT(a->Send(MakeNumberMessage(i)),
                                  0,
                                  "A lost message counts as sent");
            b->Send(MakeNumberMessage(i));
        }
        Simulator::Run();
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(atA.messages.size(), 1000, "The other direction loses nothing");
        NS_TEST_EXPECT_MSG_EQ(atA.drops.size() + atB.messages.size(),
                              1000,
                              "Each message either arrives or is traced as dropped");
        std::vector<int32_t> numbers;
        for (const auto& message : atB.messages)
        {
            numbers.push_back(GetNumber(message));
        }
        return numbers;
    }

    void DoRun() override
    {
        const auto arrivals = GetArrivals(0.3, 5);
        NS_TEST_EXPECT_MSG_EQ_TOL(arrivals.size(), 700, 60, "About 70 % arrive");
        NS_TEST_EXPECT_MSG_EQ((GetArrivals(0.3, 5) == arrivals),
                              true,
                              "Equal streams lose equal messages");
        NS_TEST_EXPECT_MSG_EQ((GetArrivals(0.3, 6) == arrivals),
                              false,
                              "Another stream loses others");
        NS_TEST_EXPECT_MSG_EQ(GetArrivals(0, 5).size(), 1000, "Rate 0 loses nothing");
        NS_TEST_EXPECT_MSG_EQ(GetArrivals(1, 5).size(), 0, "Rate 1 loses everything");
    }
};

/**
 * @ingroup defiance-tests
 * @brief Jitter changes arrival times and order, and each direction has its own.
 */
class SimpleJitterTestCase : public TestCase
{
  public:
    SimpleJitterTestCase()
        : TestCase("Jitter on simple channels")
    {
    }

  private:
    void DoRun() override
    {
        const auto a = CreateObject<SimpleChannelInterface>();
        const auto b = CreateObject<SimpleChannelInterface>();
        a->SetPropagationDelay(MilliSeconds(10));
        const auto jitter = CreateObject<DeterministicRandomVariable>();
        jitter->SetValueArray(std::vector<double>{0.003, -0.01, 0});
        a->SetAttribute("Jitter", PointerValue(jitter));
        ChannelRecorder atA(a);
        ChannelRecorder atB(b);
        a->Connect(b);
        for (int32_t i = 0; i < 3; ++i)
        {
            a->Send(MakeNumberMessage(i));
            b->Send(MakeNumberMessage(i));
        }
        Simulator::Run();
        Simulator::Destroy();

        const std::vector<Time> expected{Time{}, MilliSeconds(10), MilliSeconds(13)};
        NS_TEST_ASSERT_MSG_EQ((atB.times == expected), true, "Delay and jitter add up");
        NS_TEST_EXPECT_MSG_EQ(GetNumber(atB.messages[0]), 1, "The second message arrives first");
        NS_TEST_EXPECT_MSG_EQ(GetNumber(atB.messages[2]), 0, "The first message is overtaken");
        NS_TEST_EXPECT_MSG_EQ((atA.times == std::vector<Time>(3, MilliSeconds(10))),
                              true,
                              "The other direction has no jitter");
        jitter->SetValueArray(std::vector<double>{-0.011});
        NS_TEST_EXPECT_MSG_EQ(
            AbortsWith([&] { a->Send(MakeNumberMessage(3)); }, "would arrive before it is sent"),
            true,
            "Nothing arrives before it is sent");
    }
};

/**
 * @ingroup defiance-tests
 * @brief Test suite of SimpleChannelInterface: the fates of messages that do not arrive.
 */
class ChannelLifeTestSuite : public TestSuite
{
  public:
    ChannelLifeTestSuite()
        : TestSuite("defiance-channel-life", Type::UNIT)
    {
        AddTestCase(new SimpleDisconnectTestCase);
        AddTestCase(new SimpleDeathTestCase);
        AddTestCase(new SimpleLossTestCase);
        AddTestCase(new SimpleJitterTestCase);
    }
};

static ChannelLifeTestSuite g_channelLifeTestSuite; //!< Registers the suite
