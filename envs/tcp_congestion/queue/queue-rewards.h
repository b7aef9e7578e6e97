// SPDX-License-Identifier: GPL-2.0-only

#ifndef QUEUE_REWARDS_H
#define QUEUE_REWARDS_H

#include "bottleneck-queue.h"
#include "flow-rewards.h"

#include "ns3/nstime.h"

namespace ns3
{

/**
 * @brief The reward of an interval of a queue: `throughputWeight x - delayWeight d - lossWeight l`
 * with x = throughput / capacity, d = mean time in the queue / propagation time of its shortest
 * flow, and l = packets dropped / packets arrived.
 */
struct QueueRewards
{
    RewardParameters weights; //!< The weights of rewards
    double capacity{1};       //!< Capacity in bit/s
    Time propagation{};       //!< Round trip time without queues

    /**
     * @param sample Sample of an interval.
     * @return the reward
     */
    double Get(const QueueSample& sample) const;
};

} // namespace ns3

#endif // QUEUE_REWARDS_H
