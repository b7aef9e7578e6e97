// SPDX-License-Identifier: GPL-2.0-only

#include "private/fork-hooks.h"

#include <cerrno>

namespace ns3
{

namespace
{

/**
 * @param hook A hook, which may do nothing.
 */
void
Call(const std::function<void()>& hook)
{
    if (hook)
    {
        const int error = errno; // which says why there is no copy
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
