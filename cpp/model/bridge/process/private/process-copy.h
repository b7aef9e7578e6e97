// SPDX-License-Identifier: GPL-2.0-only

#ifndef PROCESS_COPY_H
#define PROCESS_COPY_H

#include <sys/types.h>

#include <functional>

namespace ns3
{

/**
 * @brief Work of a language runtime in this process, such as Python's, before and after forks.
 *
 * Hooks that are not set do nothing.
 */
struct ForkHooks
{
    std::function<bool()> isCurrent;  //!< Returns whether the program is unchanged on disk
    std::function<void()> prepare;    //!< Called before each fork
    std::function<void()> inOriginal; //!< Called after a fork, or a failed fork, in the original
    std::function<void()> inCopy;     //!< Called after a fork, in the copy
};

/** @return the hooks of this process */
ForkHooks& GetForkHooks();

/**
 * Copy this process, and call its hooks.
 *
 * @param copy Copies the process: returns fork()'s result, and in the original a pidfd.
 * @param [out] descriptor In the original: a pidfd of the copy.
 * @return fork()'s result
 */
pid_t CopyProcess(pid_t (*copy)(int& descriptor), int& descriptor);

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

#endif /* PROCESS_COPY_H */
