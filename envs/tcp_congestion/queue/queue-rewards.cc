// SPDX-License-Identifier: GPL-2.0-only

#include "queue-rewards.h"

#include <algorithm>

namespace ns3
{

double
QueueRewards::Get(const QueueSample& sample) const
{
    const auto delay = sample.delay.GetSeconds() / std::max(propagation.GetSeconds(), 1e-4);
    const auto loss = sample.arrived > 0 ? std::min(1.0, sample.dropped / sample.arrived) : 0;
    return weights.GetScale(sample.duration) *
           (weights.throughputWeight * sample.throughput / capacity - weights.delayWeight * delay -
            weights.lossWeight * loss);
}

} // namespace ns3
