// SPDX-License-Identifier: GPL-2.0-only

#ifndef MAILBOX_H
#define MAILBOX_H

#include <sched.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace ns3
{

/**
 * @brief One direction of a conversation through shared memory: room for one message at a time.
 *
 * A waiting process may poll for a while. Before it sleeps it says so, and whoever posts then has
 * to wake it by other means.
 */
struct Mailbox
{
    static constexpr std::size_t CAPACITY = 64 * 1024; //!< Longest message, in bytes

    alignas(64) std::atomic<uint64_t> posted; //!< Number of messages so far
    uint64_t length;                          //!< Of the last message, in bytes
    std::atomic<uint32_t> closed;             //!< Whether there will be no further message
    alignas(64) std::atomic<uint32_t> asleep; //!< Whether somebody sleeps until he is woken
    uint64_t read;                            //!< Number of messages that have been read
    alignas(64) char bytes[CAPACITY];         //!< The last message

    /**
     * Post the message that stands in `bytes`.
     *
     * @param size Its length.
     * @return whether somebody is to be woken
     */
    bool Post(uint64_t size)
    {
        length = size;
        posted.store(posted.load(std::memory_order_relaxed) + 1, std::memory_order_seq_cst);
        return asleep.exchange(0, std::memory_order_seq_cst) != 0;
    }

    /**
     * Post nothing any more.
     *
     * @return whether somebody is to be woken
     */
    bool Close()
    {
        closed.store(1, std::memory_order_seq_cst);
        return asleep.exchange(0, std::memory_order_seq_cst) != 0;
    }

    /** @return the length of the message, which the other side has written; to be asked for once */
    uint64_t GetLength()
    {
        return std::atomic_ref(length).load(std::memory_order_relaxed);
    }

    /** @return whether there is a message that has not been read */
    bool HasMessage() const
    {
        return posted.load(std::memory_order_seq_cst) != read;
    }

    /**
     * Look for a message again and again.
     *
     * @param microseconds How long, at least once.
     * @return whether there is one
     */
    bool SpinWait(double microseconds) const
    {
        using Clock = std::chrono::steady_clock;
        constexpr int CHECKS = 128; // between two readings of the clock, a microsecond or two
        if (HasMessage() || microseconds <= 0)
        {
            return HasMessage();
        }
        const auto end = Clock::now() + std::chrono::duration<double, std::micro>(microseconds);
        do
        {
            for (int i = 0; i < CHECKS; ++i)
            {
                if (posted.load(std::memory_order_acquire) != read)
                {
                    return true;
                }
                Pause();
            }
            sched_yield(); // the other side may be waiting for this very core
        } while (Clock::now() < end);
        return false;
    }

    /**
     * Say that the caller is about to sleep.
     *
     * @return whether it may; if not, there is a message, or the mailbox is closed
     */
    bool PrepareToSleep()
    {
        asleep.store(1, std::memory_order_seq_cst);
        if (!HasMessage() && closed.load(std::memory_order_seq_cst) == 0)
        {
            return true;
        }
        asleep.store(0, std::memory_order_relaxed);
        return false;
    }

  private:
    /** Give way to the other thread of this core. */
    static void Pause()
    {
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#endif
    }
};

/**
 * @brief Both directions of a conversation.
 */
struct Mailboxes
{
    Mailbox toPython;     //!< From the simulation
    Mailbox toSimulation; //!< From Python
    uint32_t listener;    //!< Bit of the simulation, when the doorbell rings
};

static_assert(std::atomic<uint64_t>::is_always_lock_free, "Shared between processes");

} // namespace ns3

#endif /* MAILBOX_H */
