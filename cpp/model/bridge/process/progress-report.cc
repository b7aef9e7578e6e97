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
constexpr long GRACE_NS = 200'000'000;    //!< Processor time until C++ ends a standstill itself

volatile std::sig_atomic_t g_isStill{0}; //!< Whether the watch has found a standstill

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
StoodStill()
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
 * @param prefix Text before the error.
 * @return the line of the error about simulated time that stands still
 */
Line
FormatStandstill(const char* prefix)
{
    Line line{};
    std::snprintf(line.data(),
                  line.size(),
                  "%sthe simulated time stands still at %.9g s, where events without delay follow "
                  "each other endlessly: give them a delay\n",
                  prefix,
                  Simulator::Now().GetSeconds());
    return line;
}

/**
 * Let the scenario's next function end the episode, which names its line; C++ does so after a
 * while.
 *
 * @param timer The timer of the watch.
 */
void
AwaitFunction(timer_t timer)
{
    g_isStill = 1;
    const itimerspec grace{{PERIOD_S, 0}, {0, GRACE_NS}};
    timer_settime(timer, 0, &grace, nullptr);
}

/**
 * Write the running lines of Python, if there are any, and a line of this process.
 *
 * @param line The line.
 * @param signal The signal.
 * @param info The kernel's text.
 * @param context Interrupted context.
 */
void
WriteLines(const Line& line, int signal, siginfo_t* info, void* context)
{
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
}

/**
 * Report the progress, or end the process if its own timer finds that simulated time stands still.
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
    if (info->si_code != SI_TIMER)
    {
        WriteLines(FormatProgress(), signal, info, context);
    }
    else if (g_isStill)
    {
        WriteLines(FormatStandstill("defiance: "), signal, info, context);
        _exit(1);
    }
    else if (StoodStill())
    {
        AwaitFunction(*static_cast<timer_t*>(info->si_value.sival_ptr));
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

bool
StandsStill()
{
    return g_isStill;
}

std::string
DescribeStandstill()
{
    return FormatStandstill("").data();
}

StandstillWatch::StandstillWatch()
{
    ReportProgressOnSignal();
    sigevent event{};
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGRTMIN + 9;
    event.sigev_value.sival_ptr = &m_timer;
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
