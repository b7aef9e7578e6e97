// SPDX-License-Identifier: GPL-2.0-only

#ifndef QUEUE_CONTROL_H
#define QUEUE_CONTROL_H

#include "bottleneck-queue.h"

#include "ns3/opengym-containers.h"
#include "ns3/opengym-space.h"

namespace ns3
{

/**
 * @brief The observations and actions of an agent at a BottleneckQueue.
 *
 * Observation: {"state": Box of 6 x float32}: packets in the queue, mean time in the queue (ms),
 * throughput (Mb/s), packets dropped, packets marked, probability of a drop or mark. Action: the
 * probability, as a Box of 1 x float32 from 0 to 1, or as Discrete(7), one of seven values.
 */
struct QueueControl
{
    /**
     * @return the space of observations
     */
    static Ptr<OpenGymSpace> MakeObservationSpace();

    /**
     * @param continuous Whether all probabilities are available.
     * @return the space of actions
     */
    static Ptr<OpenGymSpace> MakeActionSpace(bool continuous);

    /**
     * @param sample Sample of an interval.
     * @return the message to the agent
     */
    static Ptr<OpenGymDictContainer> MakeObservation(const QueueSample& sample);

    /**
     * @param action Action of an agent.
     * @return the chosen probability
     */
    static double GetProbability(Ptr<OpenGymDataContainer> action);
};

} // namespace ns3

#endif // QUEUE_CONTROL_H
