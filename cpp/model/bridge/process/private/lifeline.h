// SPDX-License-Identifier: GPL-2.0-only

#ifndef LIFELINE_H
#define LIFELINE_H

namespace ns3
{

/**
 * Have the kernel end this process with SIGKILL when the last write end of a pipe is closed, which
 * happens at the latest when the process that holds it dies. The process ends even while it
 * computes, or is stopped.
 *
 * @param descriptor Read end of the pipe, inherited; it is replaced by one of this process's own.
 */
void ArmLifeline(int descriptor);

/** Let go of the lifeline, which another process has, too: its end is of no concern any more. */
void DropLifeline();

} // namespace ns3

#endif /* LIFELINE_H */
