// SPDX-License-Identifier: GPL-2.0-only

#include "private/progress-report.h"

#include "ns3/nstime.h"
#include "ns3/simulator.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <utility>

namespace ns3
{

namespace
{

/** What handled the signal before. */
struct sigaction g_formerHandler
{
};

/**
 * Write the line. The process is about to be killed, so reading the clock of the simulation in the
 * middle of anything does no harm.
 *
 * @param signal The signal.
 * @param info What the kernel says of it.
 * @param context Where it has arrived.
 */
void
WriteProgress(int signal, siginfo_t* info, void* context)
{
    const int error = errno;
    std::array<char, 128> line{};
    const auto length = std::snprintf(line.data(),
                                      line.size(),
                                      "defiance: simulated time %lld ns, %llu events\n",
                                      static_cast<long long>(Simulator::Now().GetNanoSeconds()),
                                      static_cast<unsigned long long>(Simulator::GetEventCount()));
    if (g_formerHandler.sa_flags & SA_SIGINFO)
    {
        g_formerHandler.sa_sigaction(signal, info, context);
    }
    else if (g_formerHandler.sa_handler != SIG_DFL && g_formerHandler.sa_handler != SIG_IGN)
    {
        g_formerHandler.sa_handler(signal);
    }
    // The line comes last: whoever has read it has read everything.
    [[maybe_unused]] const auto written = write(STDERR_FILENO, line.data(), length);
    errno = error;
}

} // namespace

void
ReportProgressOnSignal()
{
    static bool installed = false; // copies of this process inherit the handler
    if (!std::exchange(installed, true))
    {
        struct sigaction action
        {
        };

        action.sa_sigaction = &WriteProgress;
        action.sa_flags = SA_SIGINFO | SA_RESTART;
        sigaction(SIGRTMIN + 9, &action, &g_formerHandler);
    }
}

} // namespace ns3
