// SPDX-License-Identifier: GPL-2.0-only

#ifndef DOORBELL_H
#define DOORBELL_H

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdint>

namespace ns3
{

/**
 * @brief Wakes processes that share memory with one Python process: any number of simulations with
 * one system call, and Python once for several messages.
 *
 * A sleeper says before it sleeps that it does, where whoever wakes it looks; see Mailbox.
 */
struct Doorbell
{
    alignas(64) std::atomic<uint32_t> rings;    //!< Number of times that it has rung
    uint32_t due;                               //!< For whom it is to ring next; Python's alone
    alignas(64) std::atomic<uint64_t> arrivals; //!< Number of messages to Python so far
    std::atomic<uint64_t> awaited;              //!< Number at which Python is to be woken, or 0

    /**
     * Sleep until the doorbell rings.
     *
     * @param heard Number of times that it had rung when the caller found no reason to be awake.
     * @param listeners Bits of the caller, of which one is enough.
     */
    void Sleep(uint32_t heard, uint32_t listeners)
    {
        syscall(SYS_futex, &rings, FUTEX_WAIT_BITSET, heard, nullptr, nullptr, listeners);
    }

    /** Wake those for whom it is due. */
    void Ring()
    {
        if (due != 0)
        {
            rings.fetch_add(1, std::memory_order_seq_cst);
            syscall(SYS_futex, &rings, FUTEX_WAKE_BITSET, INT_MAX, nullptr, nullptr, due);
            due = 0;
        }
    }

    /**
     * Note that a message to Python has been posted.
     *
     * @return whether Python is to be woken
     */
    bool Arrive()
    {
        const auto arrived = arrivals.fetch_add(1, std::memory_order_seq_cst) + 1;
        const auto goal = awaited.load(std::memory_order_seq_cst);
        return goal != 0 && arrived >= goal && awaited.exchange(0, std::memory_order_seq_cst) != 0;
    }
};

} // namespace ns3

#endif /* DOORBELL_H */
