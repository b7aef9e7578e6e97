// SPDX-License-Identifier: GPL-2.0-only

#include "message-rows.h"

#include "ns3/test.h"

#include <array>
#include <cstring>
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
     * @return whether it is taken after one of time 20
     */
    bool Takes(uint64_t length, int64_t now)
    {
        const std::string blank(40, '\0');
        const RequestForm form{{blank.data(), blank.size()}, 0, 8, 16, 8, 32};
        const auto box = std::make_unique<Mailbox>();
        std::memcpy(box->bytes + form.time, &now, sizeof(now));
        box->Post(length);
        int64_t time = 20;
        std::array<char, 8> observation{};
        std::array<char, 8> reward{};
        const bool taken =
            form.Take(*box, 0, reinterpret_cast<char*>(&time), observation.data(), reward.data());
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
        NS_TEST_EXPECT_MSG_EQ(box.PrepareToSleep(), true, "Now somebody sleeps");
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
        AddTestCase(new RequestTimeTestCase);
        AddTestCase(new AnswerFormTestCase);
    }
};

static MessageRowsTestSuite g_messageRowsTestSuite; //!< Registers the suite
