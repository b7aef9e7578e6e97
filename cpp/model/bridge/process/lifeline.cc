// SPDX-License-Identifier: GPL-2.0-only

#include "lifeline.h"

#include "bridge-options.h"
#include "progress-report.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <optional>
#include <string>

namespace ns3
{

namespace
{

int g_lifeline{-1}; //!< The lifeline of this process

std::optional<int> g_status; //!< The exit status of this process, at its end

/**
 * @param status The exit status of this process.
 */
void
RecordStatus(int status, void* /* argument */)
{
    g_status = status;
}

/**
 * End the process before the tear-down of ns3's libraries: the program's own tear-down is over
 * then, and the libraries' tear-down takes longer, without an effect.
 */
[[gnu::destructor]] void
SkipTearDown()
{
    if (g_status)
    {
        std::cout.flush();
        std::clog.flush();
        std::fflush(nullptr);
        // The next simulation may begin, while the kernel cleans up this process.
        close(STDOUT_FILENO);
        close(STDERR_FILENO);
        std::_Exit(*g_status);
    }
}

/**
 * @param descriptor Read end of a pipe.
 * @return whether the kernel will end this process on an event of the pipe, with the signal that no
 * process can ignore, and that also ends stopped processes
 */
bool
RequestSignal(int descriptor)
{
    const int flags = fcntl(descriptor, F_GETFL);
    return flags != -1 && fcntl(descriptor, F_SETOWN, getpid()) == 0 &&
           fcntl(descriptor, F_SETSIG, SIGKILL) == 0 &&
           fcntl(descriptor, F_SETFL, flags | O_ASYNC) == 0;
}

/**
 * @param descriptor Read end of a pipe.
 * @return whether no write end is left
 */
bool
IsCut(int descriptor)
{
    pollfd item{descriptor, POLLIN, 0};
    return poll(&item, 1, 0) == 1 && (item.revents & (POLLHUP | POLLNVAL | POLLERR)) != 0;
}

} // namespace

void
ArmLifeline(int descriptor)
{
    // Owner and signal belong to the open file, which other simulations may have inherited, too.
    const auto path = "/proc/self/fd/" + std::to_string(descriptor);
    const int own = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (own == -1 || !RequestSignal(own))
    {
        ReportError("the lifeline, file descriptor " + std::to_string(descriptor) +
                    ", is not the read end of a pipe: " + std::strerror(errno));
        EndProcess(2);
    }
    if (IsCut(descriptor))
    {
        ReportError("the Python process has ended");
        EndProcess(1);
    }
    close(descriptor);
    g_lifeline = own;
    ReportProgressOnSignal();
    on_exit(RecordStatus, nullptr);
}

void
DropLifeline()
{
    if (g_lifeline != -1)
    {
        close(g_lifeline);
        g_lifeline = -1;
    }
}

} // namespace ns3
