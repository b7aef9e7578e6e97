// SPDX-License-Identifier: GPL-2.0-only

#ifndef PROGRESS_REPORT_H
#define PROGRESS_REPORT_H

namespace ns3
{

/**
 * Have a signal of Python's, SIGRTMIN + 9, write one line to standard error: the simulated time in
 * nanoseconds, and the number of events until then. Python sends the signal when it has waited too
 * long for a message. What handled the signal before handles it, too: in a scenario in Python, the
 * traceback of what runs.
 */
void ReportProgressOnSignal();

} // namespace ns3

#endif /* PROGRESS_REPORT_H */
