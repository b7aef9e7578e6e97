// SPDX-License-Identifier: GPL-2.0-only

#include "channel-test-support.h"

#include "ns3/history-container.h"
#include "ns3/test.h"

#include <cmath>
#include <sstream>

using namespace ns3;

/**
 * @ingroup defiance-tests
 * @brief Minimum, maximum and mean.
 */
class AggregatedInfoTestCase : public TestCase
{
  public:
    AggregatedInfoTestCase()
        : TestCase("Aggregated numbers")
    {
    }

  private:
    void DoRun() override
    {
        AggregatedInfo info;
        NS_TEST_EXPECT_MSG_EQ(std::isnan(info.GetMin()) && std::isnan(info.GetMax()) &&
                                  std::isnan(info.GetAvg()),
                              true,
                              "Without numbers, there is no result");
        for (const double decibel : {-90.5, -70.0, -100.0})
        {
            info.UpdateStatistics(decibel);
        }
        NS_TEST_EXPECT_MSG_EQ(info.GetMax(), -70, "A maximum may be negative");
        NS_TEST_EXPECT_MSG_EQ(info.GetMin(), -100, "A minimum may be negative");
        NS_TEST_EXPECT_MSG_EQ_TOL(info.GetAvg(), -260.5 / 3, 1e-12, "The mean is exact");
        AggregatedInfo sum;
        sum.UpdateStatistics(5);
        sum.UpdateStatistics(info);
        NS_TEST_EXPECT_MSG_EQ(sum.GetMax(), 5, "Aggregates can be joined");
        NS_TEST_EXPECT_MSG_EQ(sum.GetMin(), -100, "Aggregates can be joined");
        NS_TEST_EXPECT_MSG_EQ_TOL(sum.GetAvg(), -255.5 / 4, 1e-12, "Each number has its weight");
        NS_TEST_EXPECT_MSG_EQ(sum.GetCount(), 4, "and counts");
    }
};

/**
 * @ingroup defiance-tests
 * @brief The newest messages are kept, for each source and in total.
 */
class HistoryOrderTestCase : public TestCase
{
  public:
    HistoryOrderTestCase()
        : TestCase("Order and length of histories")
    {
    }

  private:
    /**
     * @brief Get the numbers of messages.
     * @param entries the messages
     * @return their numbers
     */
    static std::vector<int32_t> GetNumbers(const std::vector<TimestampedDataPtr>& entries)
    {
        std::vector<int32_t> numbers;
        for (const auto& entry : entries)
        {
            numbers.push_back(GetNumber(entry->data));
        }
        return numbers;
    }

    void DoRun() override
    {
        using Numbers = std::vector<int32_t>;
        HistoryContainer history(3);
        history.Push(MakeNumberMessage(1), 10);
        for (int32_t i = 2; i <= 8; ++i)
        {
            history.Push(MakeNumberMessage(i), 20);
        }
        NS_TEST_EXPECT_MSG_EQ((GetNumbers(history.GetNewestByID(20, 2)) == Numbers{8, 7}),
                              true,
                              "The newest comes first");
        NS_TEST_EXPECT_MSG_EQ((GetNumbers(history.GetNewestByID(20, 9)) == Numbers{8, 7, 6}),
                              true,
                              "No more are kept than the length says");
        NS_TEST_EXPECT_MSG_EQ(GetNumber(history.GetNewestByID(10)->data),
                              1,
                              "Messages of a slow source stay");
        NS_TEST_EXPECT_MSG_EQ(
            (GetNumbers(history.GetNewestOfCombinedHistory(9)) == Numbers{8, 7, 6, 5, 4, 3}),
            true,
            "The combined history has room for 3 of each of 2 sources");
        NS_TEST_EXPECT_MSG_EQ(GetNumber(history.GetNewestOfCombinedHistory()->data), 8, "Newest");
        NS_TEST_EXPECT_MSG_EQ(history.GetHistoryCount(), 2, "There are two sources");
        NS_TEST_EXPECT_MSG_EQ(history.GetSize(20), 3, "One source is full");
        NS_TEST_EXPECT_MSG_EQ(history.GetSize(30), 0, "An unknown source has no message");
        NS_TEST_EXPECT_MSG_EQ(history.GetNewestByID(30, 1).size(), 0, "not even one message");
        history.SetHistoryLength(1);
        NS_TEST_EXPECT_MSG_EQ((GetNumbers(history.GetNewestOfCombinedHistory(9)) == Numbers{8, 7}),
                              true,
                              "A smaller length takes effect immediately");
        NS_TEST_EXPECT_MSG_EQ(AbortsWith([&] { history.GetNewestByID(30); }, "no message from 30"),
                              true,
                              "An unknown source has no newest message");
        NS_TEST_EXPECT_MSG_EQ(
            AbortsWith([] { HistoryContainer(1).GetNewestOfCombinedHistory(); }, "no message yet"),
            true,
            "There is no newest message at the beginning");
        NS_TEST_EXPECT_MSG_EQ(AbortsWith([] { HistoryContainer(0); }, "at least one message"),
                              true,
                              "A history needs room");
    }
};

/**
 * @ingroup defiance-tests
 * @brief A deleted source is also gone from the combined history.
 */
class HistoryDeleteTestCase : public TestCase
{
  public:
    HistoryDeleteTestCase()
        : TestCase("Deleted histories")
    {
    }

  private:
    void DoRun() override
    {
        HistoryContainer history(2);
        for (int32_t i = 1; i <= 2; ++i)
        {
            history.Push(MakeNumberMessage(i), 10);
            history.Push(MakeNumberMessage(-i), 20);
        }
        history.DeleteHistory(20);
        history.DeleteHistory(99);
        NS_TEST_EXPECT_MSG_EQ(history.HistoryExists(20), false, "It does not exist any more");
        NS_TEST_EXPECT_MSG_EQ(history.GetHistoryCount(), 1, "One source is left");
        NS_TEST_ASSERT_MSG_EQ(history.GetSizeOfHistory(),
                              2,
                              "The combined history has only its messages");
        for (const auto& entry : history.GetNewestOfCombinedHistory(9))
        {
            NS_TEST_EXPECT_MSG_EQ(entry->id, 10, "All are of the remaining source");
        }
        std::ostringstream all;
        history.Print(all);
        NS_TEST_EXPECT_MSG_EQ(all.str(), "history 10: 2 of 2 messages\n", "Sizes can be printed");
        std::ostringstream one;
        history.PrintHistory(one, 10);
        NS_TEST_EXPECT_MSG_LT(one.str().find("[1]"),
                              one.str().find("[2]"),
                              "Messages can be printed, oldest first");
    }
};

/**
 * @ingroup defiance-tests
 * @brief Numbers of all kinds and nestings are aggregated over all messages.
 */
class AggregateTestCase : public TestCase
{
  public:
    AggregateTestCase()
        : TestCase("Aggregated messages")
    {
    }

  private:
    /**
     * @brief Aggregate one box of a type.
     * @tparam T its element type
     */
    template <typename T>
    void CheckType()
    {
        HistoryContainer history(1);
        history.Push(MakeDictContainer("x", MakeBoxContainer<T>(2, 3, 8)), 0);
        const auto info = history.AggregateNewest(0).at("x");
        NS_TEST_EXPECT_MSG_EQ(info.GetMin(), 3, "Each element type is aggregated");
        NS_TEST_EXPECT_MSG_EQ(info.GetMax(), 8, "Each element type is aggregated");
        NS_TEST_EXPECT_MSG_EQ(info.GetAvg(), 5.5, "Each element type is aggregated");
    }

    void DoRun() override
    {
        CheckType<float>();
        CheckType<double>();
        CheckType<int8_t>();
        CheckType<int16_t>();
        CheckType<int32_t>();
        CheckType<int64_t>();
        CheckType<uint8_t>();
        CheckType<uint16_t>();
        CheckType<uint32_t>();
        CheckType<uint64_t>();

        HistoryContainer history(5);
        const auto push = [&history](std::vector<double> box, int64_t discrete, int32_t nested) {
            const auto inner = MakeDictContainer("length", MakeBoxContainer<int32_t>(1, nested));
            history.Push(MakeDictContainer("box",
                                           MakeBoxContainer(std::move(box)),
                                           "discrete",
                                           MakeDiscreteContainer(discrete),
                                           "queues",
                                           MakeTupleContainer(inner, MakeDiscreteContainer(1))),
                         7);
        };
        push({1000}, 1000, 1000);
        push({-1, -2, -3}, -4, 10);
        push({-10}, -6, 20);
        auto info = history.AggregateNewest(7, 2);
        NS_TEST_EXPECT_MSG_EQ(info.at("box").GetAvg(), -4, "Each element has the same weight");
        NS_TEST_EXPECT_MSG_EQ(info.at("box").GetMax(), -1, "over both messages");
        NS_TEST_EXPECT_MSG_EQ(info.at("box").GetMin(), -10, "over both messages");
        NS_TEST_EXPECT_MSG_EQ(info.at("discrete").GetMax(), -4, "Discrete values are included");
        NS_TEST_EXPECT_MSG_EQ(info.at("queues/0/length").GetAvg(),
                              15,
                              "Nested values are included");
        NS_TEST_EXPECT_MSG_EQ(info.at("queues/1").GetCount(), 2, "Elements of tuples are included");
        NS_TEST_EXPECT_MSG_EQ(info.size(), 4, "Nothing else is included");
        NS_TEST_EXPECT_MSG_EQ(history.AggregateNewest(7, 9).at("box").GetMax(),
                              1000,
                              "If there are fewer messages, all are included");
        NS_TEST_EXPECT_MSG_EQ(history.AggregateNewest(7).at("box").GetCount(), 1, "One by default");
        NS_TEST_EXPECT_MSG_EQ(history.AggregateNewest(8).size(),
                              0,
                              "Without a source there are no numbers");
    }
};

/**
 * @ingroup defiance-tests
 * @brief Time stamps have the full resolution, if requested.
 */
class HistoryTimeTestCase : public TestCase
{
  public:
    HistoryTimeTestCase()
        : TestCase("Time stamps of histories")
    {
    }

  private:
    void DoRun() override
    {
        HistoryContainer history(3, true);
        HistoryContainer timeless(3);
        Simulator::Schedule(NanoSeconds(1234567), [&] {
            history.Push(MakeNumberMessage(1), 0);
            timeless.Push(MakeNumberMessage(1), 0);
        });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(history.GetNewestByID(0)->timestamp.value_or(Time{}),
                              NanoSeconds(1234567),
                              "The time of arrival, to the nanosecond");
        NS_TEST_EXPECT_MSG_EQ(timeless.GetNewestByID(0)->timestamp.has_value(), false, "None");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief Test suite of HistoryContainer and AggregatedInfo.
 */
class HistoryContainerTestSuite : public TestSuite
{
  public:
    HistoryContainerTestSuite()
        : TestSuite("defiance-history-container", Type::UNIT)
    {
        AddTestCase(new AggregatedInfoTestCase);
        AddTestCase(new HistoryOrderTestCase);
        AddTestCase(new HistoryDeleteTestCase);
        AddTestCase(new AggregateTestCase);
        AddTestCase(new HistoryTimeTestCase);
    }
};

static HistoryContainerTestSuite g_historyContainerTestSuite; //!< Registers the suite
