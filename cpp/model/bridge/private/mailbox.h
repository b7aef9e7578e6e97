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
 * Whoever waits looks for a while. Before it sleeps it says so, and whoever posts then has to wake
 * it by other means.
 */
struct Mailbox
{
    static constexpr std::size_t CAPACITY = 64 * 1024; //!< Longest message, in bytes

    alignas(64) std::atomic<uint64_t> posted; //!< Number of messages so far
    uint64_t length;                          //!< Of the last message, in bytes
    alignas(64) std::atomic<uint32_t> asleep; //!< Whether somebody sleeps until he is woken
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
     * Look for a message.
     *
     * @param seen Number of messages that have been read.
     * @param microseconds How long.
     * @return whether there is one; if not, whoever posts it will wake the caller
     */
    bool Wait(uint64_t seen, double microseconds)
    {
        using Clock = std::chrono::steady_clock;
        constexpr int LOOKS = 128; // between two readings of the clock, a microsecond or two
        const auto end = Clock::now() + std::chrono::duration<double, std::micro>(microseconds);
        do
        {
            for (int i = 0; i < LOOKS; ++i)
            {
                if (posted.load(std::memory_order_acquire) != seen)
                {
                    return true;
                }
                Pause();
            }
            sched_yield(); // the other side may be waiting for this very core
        } while (Clock::now() < end);
        asleep.store(1, std::memory_order_seq_cst);
        if (posted.load(std::memory_order_seq_cst) == seen)
        {
            return false;
        }
        asleep.store(0, std::memory_order_relaxed);
        return true;
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
};

static_assert(std::atomic<uint64_t>::is_always_lock_free, "Shared between processes");

} // namespace ns3

#endif /* MAILBOX_H */
