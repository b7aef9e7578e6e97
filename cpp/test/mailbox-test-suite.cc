// SPDX-License-Identifier: GPL-2.0-only

#include "mailbox.h"

#include "ns3/test.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <memory>
#include <thread>

using namespace ns3;

/** Who waits and who is to be woken. */
class MailboxTestCase : public TestCase
{
  public:
    MailboxTestCase()
        : TestCase("Whoever found nothing has said that it sleeps, and is to be woken once")
    {
    }

  private:
    void DoRun() override
    {
        const auto box = std::make_unique<Mailbox>();
        NS_TEST_EXPECT_MSG_EQ(box->Post(3), false, "Nobody sleeps");
        NS_TEST_EXPECT_MSG_EQ(box->Wait(0, 1000), true, "One message");
        NS_TEST_EXPECT_MSG_EQ(box->length, 3, "and its length");
        NS_TEST_EXPECT_MSG_EQ(box->Wait(1, 10), false, "but not two");
        NS_TEST_EXPECT_MSG_EQ(box->Post(4), true, "Somebody sleeps");
        NS_TEST_EXPECT_MSG_EQ(box->Wait(1, 0), true, "The second message");
        NS_TEST_EXPECT_MSG_EQ(box->Post(5), false, "Nobody sleeps any more");
    }
};

/** Two threads, as two processes would. */
class PingPongTestCase : public TestCase
{
  public:
    PingPongTestCase()
        : TestCase("Every message arrives, however long both sides look before they sleep")
    {
    }

  private:
    /** One side of a conversation. */
    struct Side
    {
        Mailbox& in;           //!< Where messages come from
        Mailbox& out;          //!< Where they go
        int reader;            //!< Wakes this side
        int writer;            //!< Wakes the other side
        double microseconds;   //!< How long this side looks
        uint64_t read{0};      //!< Messages read
        bool abandoned{false}; //!< Whether a message never came

        /** @param number What to post. */
        void Post(uint64_t number)
        {
            std::memcpy(out.bytes, &number, sizeof(number));
            const char byte = 0;
            if (out.Post(sizeof(number)) && write(writer, &byte, 1) != 1)
            {
                abandoned = true;
            }
        }

        /** @return the next number */
        uint64_t Take()
        {
            while (!abandoned && !in.Wait(read, microseconds))
            {
                pollfd item{reader, POLLIN, 0};
                char byte;
                abandoned = poll(&item, 1, 10'000) != 1 || ::read(reader, &byte, 1) != 1;
            }
            ++read;
            uint64_t number = 0;
            std::memcpy(&number, in.bytes, sizeof(number));
            return number;
        }
    };

    void DoRun() override
    {
        for (const auto& [first, second] :
             std::array<std::pair<double, double>, 4>{{{0, 0}, {0, 30}, {30, 0}, {5, 5}}})
        {
            const auto boxes = std::make_unique<Mailboxes>();
            std::array<int, 2> one{};
            std::array<int, 2> two{};
            NS_TEST_ASSERT_MSG_EQ(pipe(one.data()), 0, "A pipe");
            NS_TEST_ASSERT_MSG_EQ(pipe(two.data()), 0, "Another one");
            Side here{boxes->toPython, boxes->toSimulation, one[0], two[1], first};
            Side there{boxes->toSimulation, boxes->toPython, two[0], one[1], second};
            constexpr uint64_t MESSAGES = 5000;
            std::thread other([&there] {
                for (uint64_t i = 0; i < MESSAGES; ++i)
                {
                    there.Post(there.Take() + 1);
                }
            });
            uint64_t number = 0;
            for (uint64_t i = 0; i < MESSAGES && !here.abandoned; ++i)
            {
                here.Post(number);
                number = here.Take() + 1;
            }
            other.join();
            NS_TEST_EXPECT_MSG_EQ(here.abandoned || there.abandoned,
                                  false,
                                  "Nobody waits for ever");
            NS_TEST_EXPECT_MSG_EQ(number, 2 * MESSAGES, "Each was counted on both sides");
            for (const int descriptor : {one[0], one[1], two[0], two[1]})
            {
                close(descriptor);
            }
        }
    }
};

/** Messages through shared memory. */
class MailboxTestSuite : public TestSuite
{
  public:
    MailboxTestSuite()
        : TestSuite("defiance-mailbox")
    {
        AddTestCase(new MailboxTestCase);
        AddTestCase(new PingPongTestCase);
    }
};

static MailboxTestSuite g_mailboxTestSuite; //!< Registers the suite
