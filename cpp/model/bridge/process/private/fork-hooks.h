// SPDX-License-Identifier: GPL-2.0-only

#ifndef FORK_HOOKS_H
#define FORK_HOOKS_H

#include <sys/types.h>

#include <functional>

namespace ns3
{

/**
 * @brief Work of a language runtime in this process, such as Python's, before and after copies of
 * it.
 *
 * Hooks that are not set do nothing.
 */
struct ForkHooks
{
    std::function<bool()> isCurrent;  //!< Whether the program is still as this process has read it
    std::function<void()> prepare;    //!< Before a copy is made
    std::function<void()> inOriginal; //!< After it, in the original, whether there is a copy or not
    std::function<void()> inCopy;     //!< After it, in the copy
};

/** @return the hooks of this process */
ForkHooks& GetForkHooks();

/**
 * Copy this process, with its hooks.
 *
 * @param copy Makes the copy: returns what fork() does, and in the original gives a pidfd.
 * @param [out] descriptor In the original: a pidfd of the copy.
 * @return as fork() does
 */
pid_t CopyProcess(pid_t (*copy)(int& descriptor), int& descriptor);

} // namespace ns3

#endif /* FORK_HOOKS_H */
