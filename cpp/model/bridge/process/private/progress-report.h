// SPDX-License-Identifier: GPL-2.0-only

#ifndef PROGRESS_REPORT_H
#define PROGRESS_REPORT_H

#include <ctime>

namespace ns3
{

/**
 * Have a signal of Python's, SIGRTMIN + 9, write one line to standard error: the simulated time in
 * nanoseconds, and the number of events until then. Python sends the signal when it has waited too
 * long for a message. The previous handler of the signal runs, too: in a scenario in Python, it
 * prints the traceback.
 */
void ReportProgressOnSignal();

/**
 * @brief Ends the process with an error when simulated time stands still for seconds of processor
 * time, though events happen. Where Python decides, Python notices, as it waits for a message.
 */
class StandstillWatch
{
  public:
    /** Begin to watch. */
    StandstillWatch();

    /** Watch no more: there may be no simulation, whose clock could be read. */
    ~StandstillWatch();

    StandstillWatch(const StandstillWatch&) = delete;
    StandstillWatch& operator=(const StandstillWatch&) = delete;

  private:
    timer_t m_timer{};   //!< Sends the signal of progress reports
    bool m_armed{false}; //!< Whether there is a timer
};

} // namespace ns3

#endif /* PROGRESS_REPORT_H */
