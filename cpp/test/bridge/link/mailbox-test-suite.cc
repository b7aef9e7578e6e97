// SPDX-License-Identifier: GPL-2.0-only

#include "doorbell.h"
#include "mailbox.h"

#include "ns3/test.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

using namespace ns3;

/** Sleeping readers and the writers that wake them. */
class MailboxTestCase : public TestCase
{
  public:
    MailboxTestCase()
        : TestCase("A reader without a message announces its sleep, and is woken once")
    {
    }

  private:
    void DoRun() override
    {
        const auto box = std::make_unique<Mailbox>();
        NS_TEST_EXPECT_MSG_EQ(box->Post(3), false, "No reader sleeps");
        NS_TEST_EXPECT_MSG_EQ(box->SpinWait(1000), true, "One message");
        NS_TEST_EXPECT_MSG_EQ(box->length, 3, "and its length");
        NS_TEST_EXPECT_MSG_EQ(box->PrepareToSleep(),
                              false,
                              "No reader sleeps while there is a message");
        ++box->read;
        NS_TEST_EXPECT_MSG_EQ(box->SpinWait(10), false, "but not two");
        NS_TEST_EXPECT_MSG_EQ(box->PrepareToSleep(), true, "The reader sleeps");
        NS_TEST_EXPECT_MSG_EQ(box->Post(4), true, "and has to be woken");
        NS_TEST_EXPECT_MSG_EQ(box->SpinWait(0), true, "The second message");
        ++box->read;
        NS_TEST_EXPECT_MSG_EQ(box->Post(5), false, "No reader sleeps now");
        NS_TEST_EXPECT_MSG_EQ(box->Close(), false, "nor when the mailbox is closed");
        NS_TEST_EXPECT_MSG_EQ(box->HasMessage(), true, "The last message can still be read");
        ++box->read;
        NS_TEST_EXPECT_MSG_EQ(box->PrepareToSleep(),
                              false,
                              "A reader does not sleep if it would never be woken");
    }
};

/** Two threads in place of two processes. */
class PingPongTestCase : public TestCase
{
  public:
    PingPongTestCase()
        : TestCase("Every message arrives, however long both sides poll before they sleep")
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
        double microseconds;   //!< Polling time of this side
        bool abandoned{false}; //!< Whether a message never came

        /** @param number Number to post. */
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
            while (!abandoned && !in.SpinWait(microseconds))
            {
                if (!in.PrepareToSleep())
                {
                    continue;
                }
                pollfd item{reader, POLLIN, 0};
                char byte;
                abandoned = poll(&item, 1, 10'000) != 1 || ::read(reader, &byte, 1) != 1;
            }
            ++in.read;
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
                                  "No thread waits for ever");
            NS_TEST_EXPECT_MSG_EQ(number, 2 * MESSAGES, "Each message was counted on both sides");
            for (const int descriptor : {one[0], one[1], two[0], two[1]})
            {
                close(descriptor);
            }
        }
    }
};

/** Threads that sleep until a doorbell rings, in place of processes. */
class BellTestCase : public TestCase
{
  public:
    BellTestCase()
        : TestCase("A bell wakes its waiting listeners, and the sender once for many arrivals")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t LISTENERS = 4;
        constexpr uint64_t ROUNDS = 2000;
        const auto doorbell = std::make_unique<Doorbell>();
        std::array<std::unique_ptr<Mailbox>, LISTENERS> boxes;
        std::vector<std::thread> listeners;
        std::atomic<uint64_t> wakes{0};
        for (uint32_t i = 0; i < LISTENERS; ++i)
        {
            boxes[i] = std::make_unique<Mailbox>();
            listeners.emplace_back(
                [&, i] { wakes += Listen(*boxes[i], *doorbell, 1U << i, ROUNDS); });
        }
        for (uint64_t round = 1; round <= ROUNDS; ++round)
        {
            doorbell->awaited = round * LISTENERS;
            for (uint32_t i = 0; i < LISTENERS; ++i)
            {
                doorbell->due |= boxes[i]->Post(1) ? 1U << i : 0;
            }
            doorbell->Ring();
            while (doorbell->awaited != 0)
            {
                std::this_thread::yield();
            }
        }
        for (auto& each : listeners)
        {
            each.join();
        }
        NS_TEST_EXPECT_MSG_EQ(doorbell->arrivals, ROUNDS * LISTENERS, "Every message arrived");
        NS_TEST_EXPECT_MSG_EQ(wakes, ROUNDS, "In each round, one of them wakes the sender");
        NS_TEST_EXPECT_MSG_EQ(doorbell->Arrive(), false, "No thread waits for later messages");
    }

    /**
     * Read messages, and sleep between them.
     *
     * @param box Mailbox of the messages.
     * @param doorbell Doorbell of the listener.
     * @param listener Bit of the listener.
     * @param count Number of messages.
     * @return how often the sender has to be woken
     */
    static uint64_t Listen(Mailbox& box, Doorbell& doorbell, uint32_t listener, uint64_t count)
    {
        uint64_t wakes = 0;
        for (uint64_t i = 0; i < count; ++i)
        {
            while (!box.SpinWait(0))
            {
                const auto rung = doorbell.rings.load();
                if (box.PrepareToSleep())
                {
                    doorbell.Sleep(rung, listener);
                }
            }
            ++box.read;
            wakes += doorbell.Arrive() ? 1 : 0;
        }
        return wakes;
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
        AddTestCase(new BellTestCase);
    }
};

static MailboxTestSuite g_mailboxTestSuite; //!< Registers the suite
