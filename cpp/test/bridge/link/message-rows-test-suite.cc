// SPDX-License-Identifier: GPL-2.0-only

#include "message-rows.h"

#include "ns3/test.h"

#include <array>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

/** Messages of one layout. */
class TemplateTestCase : public TestCase
{
  public:
    TemplateTestCase()
        : TestCase("A message may differ from the template in its fields only")
    {
    }

  private:
    void DoRun() override
    {
        std::string blank(50, '\0');
        std::iota(blank.begin(), blank.end(), '\1');
        const MessageTemplate form(blank, {{3, 8}, {12, 8}, {21, 6}, {30, 8}});
        NS_TEST_EXPECT_MSG_EQ(form.IsValid(), true, "Its fields follow each other");
        NS_TEST_EXPECT_MSG_EQ(form.Fits(blank.data()), true, "The same message");
        for (std::size_t i = 0; i < blank.size(); ++i)
        {
            const bool varies = (i >= 3 && i < 11) || (i >= 12 && i < 20) || (i >= 21 && i < 27) ||
                                (i >= 30 && i < 38);
            auto other = blank;
            other[i] ^= 1;
            NS_TEST_EXPECT_MSG_EQ(form.Fits(other.data()), varies, "Byte " << i);
        }
    }
};

/** The fields that a message can have. */
class FieldsTestCase : public TestCase
{
  public:
    FieldsTestCase()
        : TestCase("Fields are inside of the message, and do not overlap")
    {
    }

  private:
    void DoRun() override
    {
        const auto isValid = [](std::vector<MessageField> fields) {
            return MessageTemplate(std::string(40, '\0'), std::move(fields)).IsValid();
        };
        const auto huge = ~std::size_t{0} - 4;
        NS_TEST_EXPECT_MSG_EQ(isValid({}), true, "None");
        NS_TEST_EXPECT_MSG_EQ(isValid({{0, 8}, {8, 32}}), true, "Neighbours");
        NS_TEST_EXPECT_MSG_EQ(isValid({{0, 8}, {7, 8}}),
                              false,
                              "The second field begins too early");
        NS_TEST_EXPECT_MSG_EQ(isValid({{33, 8}}), false, "A field ends too late");
        NS_TEST_EXPECT_MSG_EQ(isValid({{huge, 8}}), false, "A field is outside");
        NS_TEST_EXPECT_MSG_EQ(isValid({{0, huge}}), false, "A field is too long");
        NS_TEST_EXPECT_MSG_EQ(isValid({{8, huge}, {0, 8}}), false, "A field is out of order");
    }
};

/** The messages that are played by rows. */
class RowsTestCase : public TestCase
{
  public:
    RowsTestCase()
        : TestCase("Requests and answers of rows fit a mailbox, and have the fields of one agent")
    {
    }

  private:
    void DoRun() override
    {
        using Fields = std::vector<MessageField>;
        const auto requests = [](std::size_t length,
                                 const Fields& fields,
                                 std::size_t columns = 2) {
            return RequestRows(MessageTemplate(std::string(length, '\0'), fields)).IsValid(columns);
        };
        const auto answers = [](std::size_t length, const Fields& fields) {
            return AnswerRows(MessageTemplate(std::string(length, '\0'), fields)).IsValid();
        };
        const Fields four{{0, 8}, {8, 8}, {16, 16}, {32, 8}};
        const Fields two{{0, 8}, {8, 32}};
        NS_TEST_EXPECT_MSG_EQ(requests(Mailbox::CAPACITY, four), true, "A request");
        NS_TEST_EXPECT_MSG_EQ(requests(Mailbox::CAPACITY + 1, four),
                              false,
                              "The request is too long");
        NS_TEST_EXPECT_MSG_EQ(requests(40, two), false, "An answer in place of a request");
        NS_TEST_EXPECT_MSG_EQ(requests(40, four, 3), false, "An array without a field");
        NS_TEST_EXPECT_MSG_EQ(requests(40, four, 1), false, "A field without an array");
        NS_TEST_EXPECT_MSG_EQ(requests(40, {{0, 8}, {8, 4}, {16, 16}, {32, 8}}), false, "A time");
        NS_TEST_EXPECT_MSG_EQ(requests(40, {{0, 4}, {8, 8}, {16, 16}, {32, 8}}), false, "A number");
        NS_TEST_EXPECT_MSG_EQ(answers(Mailbox::CAPACITY, two), true, "An answer");
        NS_TEST_EXPECT_MSG_EQ(answers(Mailbox::CAPACITY + 1, two), false, "The answer is too long");
        NS_TEST_EXPECT_MSG_EQ(answers(40, four), false, "A request in place of an answer");
        NS_TEST_EXPECT_MSG_EQ(answers(40, {{0, 4}, {8, 32}}), false, "A number");
    }
};

/** The time of requests increases. */
class RequestTimeTestCase : public TestCase
{
  public:
    RequestTimeTestCase()
        : TestCase("A request of an earlier time, or one that is too long, stays in the mailbox")
    {
    }

  private:
    /**
     * @param length Length in the mailbox.
     * @param now Time of the request.
     * @param request Number that the request should have; it has 0.
     * @return whether the request is accepted after one of time 20
     */
    bool Takes(uint64_t length, int64_t now, uint64_t request = 0)
    {
        const std::string blank(40, '\0');
        const MessageTemplate form(blank, {{0, 8}, {8, 8}, {16, 8}, {32, 8}});
        const auto box = std::make_unique<Mailbox>();
        form.Write(box->bytes, 1, &now);
        form.Write(box->bytes, 3, "a reward");
        box->Post(length);
        int64_t time = 20;
        std::array<char, 16> observations{};
        std::array<char, 16> rewards{};
        const bool taken =
            RequestRows(form).Take(*box, request, time, 1, {observations.data(), rewards.data()});
        const std::string expected(8, '\0');
        NS_TEST_EXPECT_MSG_EQ(std::string(rewards.data(), rewards.size()),
                              expected + (taken ? "a reward" : expected),
                              "Only this row is written");
        NS_TEST_EXPECT_MSG_EQ(time,
                              (taken ? now : 20),
                              "The time is written if the request is accepted");
        NS_TEST_EXPECT_MSG_EQ(box->HasMessage(), !taken, "and then the message is removed");
        return taken;
    }

    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(Takes(40, 21), true, "Later");
        NS_TEST_EXPECT_MSG_EQ(Takes(40, 20), true, "At the same time");
        NS_TEST_EXPECT_MSG_EQ(Takes(40, 19), false, "Earlier");
        NS_TEST_EXPECT_MSG_EQ(Takes(41, 21), false, "Longer");
        NS_TEST_EXPECT_MSG_EQ(Takes(~uint64_t{0}, 21), false, "Endless");
        NS_TEST_EXPECT_MSG_EQ(Takes(40, 21, 1), false, "Of another number");
    }
};

/** The contents of answers. */
class AnswerTestCase : public TestCase
{
  public:
    AnswerTestCase()
        : TestCase("An answer contains the number and the action, and wakes a sleeping reader")
    {
    }

  private:
    void DoRun() override
    {
        const auto boxes = std::make_unique<Mailboxes>();
        const std::string blank = "<________-___>";
        const MessageTemplate form(blank, {{1, 8}, {10, 3}});
        const AnswerRows answers(form);
        auto& box = boxes->toSimulation;
        NS_TEST_EXPECT_MSG_EQ(answers.Post(*boxes, 0x4142434445464748, "xyz"),
                              false,
                              "No reader sleeps");
        NS_TEST_EXPECT_MSG_EQ(std::string(box.bytes, box.length), "<HGFEDCBA-xyz>", "The answer");
        ++box.read;
        NS_TEST_EXPECT_MSG_EQ(box.PrepareToSleep(), true, "The reader sleeps");
        NS_TEST_EXPECT_MSG_EQ(answers.Post(*boxes, 0, "xyz"), true, "and has to be woken");
    }
};

/** Messages in which only numbers of fixed size vary. */
class MessageRowsTestSuite : public TestSuite
{
  public:
    MessageRowsTestSuite()
        : TestSuite("defiance-message-rows")
    {
        AddTestCase(new TemplateTestCase);
        AddTestCase(new FieldsTestCase);
        AddTestCase(new RowsTestCase);
        AddTestCase(new RequestTimeTestCase);
        AddTestCase(new AnswerTestCase);
    }
};

static MessageRowsTestSuite g_messageRowsTestSuite; //!< Registers the suite
