// SPDX-License-Identifier: GPL-2.0-only

// Python's side of a pair of mailboxes, for ctypes.

#include "mailbox.h"

#include <unistd.h>

using ns3::Mailbox;
using ns3::Mailboxes;

namespace
{

/**
 * Post the message that has been written to the outbox.
 *
 * @param memory Shared memory.
 * @param length Length of the message.
 * @param pipe Pipe to the simulation, which an empty message wakes; a broken one is found by
 * whoever reads from it.
 */
void
Post(Mailboxes& memory, uint64_t length, int pipe)
{
    const uint64_t none = 0;
    if (memory.toSimulation.Post(length) && write(pipe, &none, sizeof(none)) < 0)
    {
        return;
    }
}

/**
 * @param inbox Mailbox.
 * @param seen Number of messages that have been read.
 * @param microseconds How long to look for a further one.
 * @return its length; -1 if there is none, and the simulation will wake this process
 */
int64_t
Wait(Mailbox& inbox, uint64_t seen, double microseconds)
{
    return inbox.Wait(seen, microseconds) ? static_cast<int64_t>(inbox.length) : -1;
}

} // namespace

extern "C"
{
    /**
     * @param [out] size Bytes of shared memory.
     * @param [out] capacity Bytes of the longest message.
     * @param [out] outbox Where messages to the simulation are written.
     * @param [out] inbox Where messages of the simulation are read.
     */
    void defiance_mailbox_layout(uint64_t* size,
                                 uint64_t* capacity,
                                 uint64_t* outbox,
                                 uint64_t* inbox)
    {
        *size = sizeof(Mailboxes);
        *capacity = Mailbox::CAPACITY;
        *outbox = offsetof(Mailboxes, toSimulation) + offsetof(Mailbox, bytes);
        *inbox = offsetof(Mailboxes, toPython) + offsetof(Mailbox, bytes);
    }

    /** See Post(). */
    void defiance_mailbox_post(Mailboxes* memory, uint64_t length, int pipe)
    {
        Post(*memory, length, pipe);
    }

    /** See Wait(). */
    int64_t defiance_mailbox_wait(Mailboxes* memory, uint64_t seen, double microseconds)
    {
        return Wait(memory->toPython, seen, microseconds);
    }

    /** Both in one call. */
    int64_t defiance_mailbox_exchange(Mailboxes* memory,
                                      uint64_t length,
                                      int pipe,
                                      uint64_t seen,
                                      double microseconds)
    {
        Post(*memory, length, pipe);
        return Wait(memory->toPython, seen, microseconds);
    }
}
