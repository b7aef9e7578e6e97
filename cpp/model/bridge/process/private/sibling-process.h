// SPDX-License-Identifier: GPL-2.0-only

#ifndef SIBLING_PROCESS_H
#define SIBLING_PROCESS_H

#include <sys/types.h>

namespace ns3
{

/**
 * Wait for threads that are about to end, such as those of a closed ZeroMQ context.
 *
 * @return whether this thread is then the only one, so that a copy of the process is complete
 */
bool AwaitSingleThread();

/**
 * Copy this process as fork() does, but make the copy a child of this process's parent. The process
 * must have a single thread.
 *
 * @param [out] descriptor In the original: a pidfd of the copy.
 * @return the id of the copy; 0 in the copy; -1 on an error, with errno
 */
pid_t ForkSibling(int& descriptor);

} // namespace ns3

#endif /* SIBLING_PROCESS_H */
