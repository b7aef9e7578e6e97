// SPDX-License-Identifier: GPL-2.0-only

#ifndef LIFELINE_H
#define LIFELINE_H

namespace ns3
{

/**
 * Let the kernel end this process with SIGKILL when the last write end of a pipe is closed, at the
 * latest when the process that holds it dies. The process ends even while it computes, or is
 * stopped.
 *
 * @param descriptor Read end of the pipe, inherited; the process replaces it with its own.
 */
void ArmLifeline(int descriptor);

/** Release the lifeline, which another process also has, without reacting to its end any more. */
void DropLifeline();

} // namespace ns3

#endif /* LIFELINE_H */
