// SPDX-License-Identifier: GPL-2.0-only

#include "message-rows.h"

#include "ns3/test.h"

#include <memory>
#include <numeric>
#include <string>

using namespace ns3;

/** Which messages look like others. */
class RequestFormTestCase : public TestCase
{
  public:
    RequestFormTestCase()
        : TestCase("A request may differ from the blank one in its values alone")
    {
    }

  private:
    void DoRun() override
    {
        std::string blank(50, '\0');
        std::iota(blank.begin(), blank.end(), '\1');
        const RequestForm form{{blank.data(), blank.size()}, 3, 12, 21, 6, 30};
        const uint64_t number = 258;
        auto message = blank;
        std::memcpy(message.data() + form.number, &number, sizeof(number));
        NS_TEST_EXPECT_MSG_EQ(form.Fits(message.data(), number), true, "The same message");
        NS_TEST_EXPECT_MSG_EQ(form.Fits(message.data(), number + 1), false, "of another number");
        for (std::size_t i = 0; i < message.size(); ++i)
        {
            const bool varies = (i >= 12 && i < 20) || (i >= 21 && i < 27) || (i >= 30 && i < 38);
            auto other = message;
            other[i] ^= 1;
            NS_TEST_EXPECT_MSG_EQ(form.Fits(other.data(), number), varies, "Byte " << i);
        }
    }
};

/** What is written into answers. */
class AnswerFormTestCase : public TestCase
{
  public:
    AnswerFormTestCase()
        : TestCase("An answer holds the number and the action, and wakes whoever sleeps")
    {
    }

  private:
    void DoRun() override
    {
        const auto boxes = std::make_unique<Mailboxes>();
        const std::string blank = "<________-___>";
        const AnswerForm form{{blank.data(), blank.size()}, 1, 10, 3};
        auto& box = boxes->toSimulation;
        NS_TEST_EXPECT_MSG_EQ(form.Post(*boxes, 0x4142434445464748, "xyz"), false, "Nobody sleeps");
        NS_TEST_EXPECT_MSG_EQ(std::string(box.bytes, box.length), "<HGFEDCBA-xyz>", "The answer");
        ++box.read;
        NS_TEST_EXPECT_MSG_EQ(box.Retire(), true, "Now somebody sleeps");
        NS_TEST_EXPECT_MSG_EQ(form.Post(*boxes, 0, "xyz"), true, "and is to be woken");
    }
};

/** Messages in which only numbers of fixed size vary. */
class MessageRowsTestSuite : public TestSuite
{
  public:
    MessageRowsTestSuite()
        : TestSuite("defiance-message-rows")
    {
        AddTestCase(new RequestFormTestCase);
        AddTestCase(new AnswerFormTestCase);
    }
};

static MessageRowsTestSuite g_messageRowsTestSuite; //!< Registers the suite
