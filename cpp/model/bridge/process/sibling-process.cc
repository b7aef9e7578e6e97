// SPDX-License-Identifier: GPL-2.0-only

#include "private/sibling-process.h"

#include <linux/sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <iterator>
#include <thread>

namespace ns3
{

namespace
{

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
