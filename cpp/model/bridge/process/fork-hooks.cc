// SPDX-License-Identifier: GPL-2.0-only

#include "private/fork-hooks.h"

#include <cerrno>

namespace ns3
{

namespace
{

/**
 * @param hook A hook, which may be empty.
 */
void
Call(const std::function<void()>& hook)
{
    if (hook)
    {
        const int error = errno; // the reason of a failed copy
        hook();
        errno = error;
    }
}

} // namespace

ForkHooks&
GetForkHooks()
{
    static ForkHooks hooks;
    return hooks;
}

pid_t
CopyProcess(pid_t (*copy)(int& descriptor), int& descriptor)
{
    const auto& hooks = GetForkHooks();
    Call(hooks.prepare);
    const auto pid = copy(descriptor);
    Call(pid == 0 ? hooks.inCopy : hooks.inOriginal);
    return pid;
}

} // namespace ns3
