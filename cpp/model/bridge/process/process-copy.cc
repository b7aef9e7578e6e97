// SPDX-License-Identifier: GPL-2.0-only

#include "private/process-copy.h"

#include <linux/sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <iterator>
#include <thread>

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

/** Time for which a joined thread may still be listed. */
constexpr std::chrono::milliseconds PATIENCE{100};

/** Time between two reads of the list. */
constexpr std::chrono::microseconds PAUSE{50};

/**
 * @return number of threads of this process
 */
std::ptrdiff_t
CountThreads()
{
    const std::filesystem::directory_iterator threads("/proc/self/task");
    return std::distance(begin(threads), end(threads));
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

bool
AwaitSingleThread()
{
    const auto deadline = std::chrono::steady_clock::now() + PATIENCE;
    while (CountThreads() > 1)
    {
        if (std::chrono::steady_clock::now() > deadline)
        {
            return false;
        }
        std::this_thread::sleep_for(PAUSE);
    }
    return true;
}

pid_t
ForkSibling(int& descriptor)
{
    // glibc's fork() has no flags. The following lines replace its work for the only thread: they
    // set the thread's id at glibc's address, which the kernel knows from the start of the thread.
    auto flags = static_cast<unsigned long>(CLONE_PARENT | CLONE_PIDFD | SIGCHLD);
    int* threadId = nullptr;
    if (prctl(PR_GET_TID_ADDRESS, &threadId) == 0)
    {
        flags |= CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID;
    }
    // The last two arguments are the address for the thread's id and the thread's storage, in a
    // machine-dependent order; without CLONE_SETTLS the storage is ignored.
    const auto pid = syscall(SYS_clone, flags, nullptr, &descriptor, threadId, threadId);
    return static_cast<pid_t>(pid);
}

} // namespace ns3
