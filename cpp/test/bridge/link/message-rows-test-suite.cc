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

/** Which messages look like others. */
class TemplateTestCase : public TestCase
{
  public:
    TemplateTestCase()
        : TestCase("A message may differ from the blank one in its fields alone")
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

/** Which fields a message can have. */
class FieldsTestCase : public TestCase
{
  public:
    FieldsTestCase()
        : TestCase("Fields lie in the message, and do not overlap")
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
        NS_TEST_EXPECT_MSG_EQ(isValid({{0, 8}, {7, 8}}), false, "The second one begins too early");
        NS_TEST_EXPECT_MSG_EQ(isValid({{33, 8}}), false, "One ends too late");
        NS_TEST_EXPECT_MSG_EQ(isValid({{huge, 8}}), false, "One is elsewhere");
        NS_TEST_EXPECT_MSG_EQ(isValid({{0, huge}}), false, "One is too long");
        NS_TEST_EXPECT_MSG_EQ(isValid({{8, huge}, {0, 8}}), false, "One is not in its turn");
    }
};

/** Which messages are played by rows. */
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
        const auto requests = [](std::size_t length, const Fields& fields) {
            return RequestRows(MessageTemplate(std::string(length, '\0'), fields)).IsValid();
        };
        const auto answers = [](std::size_t length, const Fields& fields) {
            return AnswerRows(MessageTemplate(std::string(length, '\0'), fields)).IsValid();
        };
        const Fields four{{0, 8}, {8, 8}, {16, 16}, {32, 8}};
        const Fields two{{0, 8}, {8, 32}};
        NS_TEST_EXPECT_MSG_EQ(requests(Mailbox::CAPACITY, four), true, "A request");
        NS_TEST_EXPECT_MSG_EQ(requests(Mailbox::CAPACITY + 1, four), false, "It is too long");
        NS_TEST_EXPECT_MSG_EQ(requests(40, two), false, "It is an answer");
        NS_TEST_EXPECT_MSG_EQ(requests(40, {{0, 8}, {8, 8}, {16, 16}, {32, 4}}), false, "A reward");
        NS_TEST_EXPECT_MSG_EQ(requests(40, {{0, 8}, {8, 4}, {16, 16}, {32, 8}}), false, "A time");
        NS_TEST_EXPECT_MSG_EQ(requests(40, {{0, 4}, {8, 8}, {16, 16}, {32, 8}}), false, "A number");
        NS_TEST_EXPECT_MSG_EQ(answers(Mailbox::CAPACITY, two), true, "An answer");
        NS_TEST_EXPECT_MSG_EQ(answers(Mailbox::CAPACITY + 1, two), false, "It is too long");
        NS_TEST_EXPECT_MSG_EQ(answers(40, four), false, "It is a request");
        NS_TEST_EXPECT_MSG_EQ(answers(40, {{0, 4}, {8, 32}}), false, "A number");
    }
};

/** Time goes on. */
class RequestTimeTestCase : public TestCase
{
  public:
    RequestTimeTestCase()
        : TestCase("A request of a time that is past stays where it is, and so does one too long")
    {
    }

  private:
    /**
     * @param length What the mailbox says.
     * @param now Time of the request.
     * @param request Number that it should have; it has 0.
     * @return whether it is taken after one of time 20
     */
    bool Takes(uint64_t length, int64_t now, uint64_t request = 0)
    {
        const std::string blank(40, '\0');
        const MessageTemplate form(blank, {{0, 8}, {8, 8}, {16, 8}, {32, 8}});
        const auto box = std::make_unique<Mailbox>();
        form.Write(box->bytes, 1, &now);
        box->Post(length);
        int64_t time = 20;
        std::array<char, 8> observation{};
        std::array<char, 8> reward{};
        const bool taken = RequestRows(form).Take(*box,
                                                  request,
                                                  reinterpret_cast<char*>(&time),
                                                  observation.data(),
                                                  reward.data());
        NS_TEST_EXPECT_MSG_EQ(time, (taken ? now : 20), "The time is written if it is taken");
        NS_TEST_EXPECT_MSG_EQ(box->HasMessage(), !taken, "and then the message is gone");
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

/** What is written into answers. */
class AnswerTestCase : public TestCase
{
  public:
    AnswerTestCase()
        : TestCase("An answer holds the number and the action, and wakes whoever sleeps")
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
                              "Nobody sleeps");
        NS_TEST_EXPECT_MSG_EQ(std::string(box.bytes, box.length), "<HGFEDCBA-xyz>", "The answer");
        ++box.read;
        NS_TEST_EXPECT_MSG_EQ(box.PrepareToSleep(), true, "Now somebody sleeps");
        NS_TEST_EXPECT_MSG_EQ(answers.Post(*boxes, 0, "xyz"), true, "and is to be woken");
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
