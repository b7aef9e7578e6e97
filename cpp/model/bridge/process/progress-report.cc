// SPDX-License-Identifier: GPL-2.0-only

#include "private/progress-report.h"

#include "ns3/nstime.h"
#include "ns3/simulator.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <utility>

namespace ns3
{

namespace
{

constexpr time_t PERIOD_S = 5;            //!< Processor time between two checks
constexpr uint64_t MANY_EVENTS = 100'000; //!< Events at one instant in a period: endless

/** Former handler of the signal. */
struct sigaction g_formerHandler
{
};

/** Simulated time in ns, and the number of events until then. */
struct Progress
{
    int64_t time{-1};   //!< Simulated time
    uint64_t events{0}; //!< Number of events
};

/**
 * @return whether simulated time stands still since the last call, despite many events
 */
bool
StandsStill()
{
    static Progress s_last;
    const Progress now{Simulator::Now().GetNanoSeconds(), Simulator::GetEventCount()};
    const auto last = std::exchange(s_last, now);
    return now.time == last.time && now.events - last.events > MANY_EVENTS;
}

using Line = std::array<char, 256>; //!< Null-terminated line

/**
 * @return the line of a progress report
 */
Line
FormatProgress()
{
    Line line{};
    std::snprintf(line.data(),
                  line.size(),
                  "defiance: simulated time %lld ns, %llu events\n",
                  static_cast<long long>(Simulator::Now().GetNanoSeconds()),
                  static_cast<unsigned long long>(Simulator::GetEventCount()));
    return line;
}

/**
 * @return the line of the error about simulated time that stands still
 */
Line
FormatStandstill()
{
    Line line{};
    std::snprintf(line.data(),
                  line.size(),
                  "defiance: the simulated time stands still at %.9g s, where events without delay "
                  "follow each other endlessly: give them a delay\n",
                  Simulator::Now().GetSeconds());
    return line;
}

/**
 * Write a line, and end the process if its own timer finds that simulated time stands still.
 * Otherwise the interrupted code continues unchanged.
 *
 * @param signal The signal.
 * @param info The kernel's text.
 * @param context Interrupted context.
 */
void
HandleSignal(int signal, siginfo_t* info, void* context)
{
    const int error = errno;
    const bool isTimer = info->si_code == SI_TIMER;
    if (!isTimer || StandsStill())
    {
        const auto line = isTimer ? FormatStandstill() : FormatProgress();
        if (g_formerHandler.sa_flags & SA_SIGINFO)
        {
            g_formerHandler.sa_sigaction(signal, info, context);
        }
        else if (g_formerHandler.sa_handler != SIG_DFL && g_formerHandler.sa_handler != SIG_IGN)
        {
            g_formerHandler.sa_handler(signal);
        }
        // The line is last: a reader of the line has read all earlier output.
        [[maybe_unused]] const auto written =
            write(STDERR_FILENO, line.data(), std::strlen(line.data()));
        if (isTimer)
        {
            _exit(1);
        }
    }
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

        action.sa_sigaction = &HandleSignal;
        action.sa_flags = SA_SIGINFO | SA_RESTART;
        sigaction(SIGRTMIN + 9, &action, &g_formerHandler);
    }
}

StandstillWatch::StandstillWatch()
{
    ReportProgressOnSignal();
    sigevent event{};
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGRTMIN + 9;
    const itimerspec period{{PERIOD_S, 0}, {PERIOD_S, 0}};
    m_armed = timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &m_timer) == 0 &&
              timer_settime(m_timer, 0, &period, nullptr) == 0;
}

StandstillWatch::~StandstillWatch()
{
    if (m_armed)
    {
        timer_delete(m_timer);
    }
}

} // namespace ns3
