// SPDX-License-Identifier: GPL-2.0-only

#ifndef PROGRESS_REPORT_H
#define PROGRESS_REPORT_H

#include <ctime>
#include <string>

namespace ns3
{

/**
 * On Python's signal SIGRTMIN + 9, write one line to standard error: the simulated time in
 * nanoseconds, and the number of events so far. Python sends the signal after waiting too long for
 * a message. The previous handler of the signal runs, too: in a scenario in Python, it prints the
 * traceback.
 */
void ReportProgressOnSignal();

/** @return whether a StandstillWatch has found that simulated time stands still */
bool StandsStill();

/** @return the line of the error about simulated time that stands still */
std::string DescribeStandstill();

/**
 * @brief Ends the process with an error when simulated time stands still for seconds of processor
 * time, though events happen. The next function of a scenario in Python may end it before, to name
 * its own line. While Python decides, Python's own timeout applies.
 */
class StandstillWatch
{
  public:
    /** Begin to watch. */
    StandstillWatch();

    /** End watching: a simulation with a clock may no longer exist. */
    ~StandstillWatch();

    StandstillWatch(const StandstillWatch&) = delete;
    StandstillWatch& operator=(const StandstillWatch&) = delete;

  private:
    timer_t m_timer{};   //!< Timer of progress reports
    bool m_armed{false}; //!< Whether there is a timer
};

} // namespace ns3

#endif /* PROGRESS_REPORT_H */
