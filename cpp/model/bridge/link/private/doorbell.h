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
 * A process reports its sleep before it sleeps, where the waking process reads it; see Mailbox.
 */
struct Doorbell
{
    alignas(64) std::atomic<uint32_t> rings;    //!< Number of rings so far
    uint32_t due;                               //!< Bits to wake at the next ring; Python's alone
    alignas(64) std::atomic<uint64_t> arrivals; //!< Number of messages to Python so far
    std::atomic<uint64_t> awaited;              //!< Number at which Python is to be woken, or 0

    /**
     * Sleep until the doorbell rings.
     *
     * @param rung Number of rings at the caller's last check for work.
     * @param listeners Bits of the caller, one of which is enough.
     */
    void Sleep(uint32_t rung, uint32_t listeners)
    {
        syscall(SYS_futex, &rings, FUTEX_WAIT_BITSET, rung, nullptr, nullptr, listeners);
    }

    /** Wake the due processes. */
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
     * Count a message posted to Python.
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
