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
 * @brief One direction of a connection through shared memory, with room for one message.
 *
 * A waiting process may poll for a while. It reports its sleep before it sleeps; the sender of the
 * next message then wakes it by other means.
 */
struct Mailbox
{
    static constexpr std::size_t CAPACITY = 64 * 1024; //!< Longest message, in bytes

    alignas(64) std::atomic<uint64_t> posted; //!< Number of messages so far
    uint64_t length;                          //!< Bytes of the last message
    std::atomic<uint32_t> closed;             //!< Whether there will be no further message
    alignas(64) std::atomic<uint32_t> asleep; //!< Whether a process sleeps until it is woken
    uint64_t read;                            //!< Number of messages read
    alignas(64) char bytes[CAPACITY];         //!< The last message

    /**
     * Post the message in `bytes`.
     *
     * @param size Length of the message.
     * @return whether the other side must be woken
     */
    bool Post(uint64_t size)
    {
        length = size;
        posted.store(posted.load(std::memory_order_relaxed) + 1, std::memory_order_seq_cst);
        return asleep.exchange(0, std::memory_order_seq_cst) != 0;
    }

    /**
     * End posting.
     *
     * @return whether the other side must be woken
     */
    bool Close()
    {
        closed.store(1, std::memory_order_seq_cst);
        return asleep.exchange(0, std::memory_order_seq_cst) != 0;
    }

    /** @return the length of the message, from the other side; call this once */
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
     * Poll for a message.
     *
     * @param microseconds Time to poll; at least one check.
     * @return whether there is a message
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
     * Announce that the caller is about to sleep.
     *
     * @return whether it may sleep; if not, there is a message, or the mailbox is closed
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
    /** Yield to the other thread of this core. */
    static void Pause()
    {
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#endif
    }
};

/**
 * @brief Both directions of a connection.
 */
struct Mailboxes
{
    Mailbox toPython;     //!< Messages from the simulation
    Mailbox toSimulation; //!< Messages from Python
    uint32_t listener;    //!< The simulation's bit for the doorbell
};

static_assert(std::atomic<uint64_t>::is_always_lock_free, "Shared between processes");

} // namespace ns3

#endif /* MAILBOX_H */
