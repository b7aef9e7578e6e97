// SPDX-License-Identifier: GPL-2.0-only

#ifndef FLOW_ACTIONS_H
#define FLOW_ACTIONS_H

#include "interval-control.h"

#include "ns3/opengym-containers.h"

namespace ns3
{

/**
 * @brief Changes the window of a sender, or its pacing rate if it is paced.
 *
 * | Discrete | window | pacing rate |
 * |---|---|---|
 * | 0 | half | half |
 * | 1 | a segment less | 5 % less |
 * | 2 | as it is | as it is |
 * | 3 | a segment more | 5 % more |
 * | 4 | double | double |
 *
 * Proportional: Discrete(9) multiplies window or pacing rate by 2^a, where a is -1, -1/2, -1/4,
 * -1/8, 0, 1/8, 1/4, 1/2 or 1. Continuous: a is the number of a Box of 1 x float32, from -1 to 1.
 */
struct FlowActions
{
    static constexpr int64_t STEPS = 5;        //!< Number of discrete actions
    static constexpr int64_t PROPORTIONAL = 9; //!< Number of proportional actions

    /**
     * Execute an action.
     *
     * @param action The action.
     * @param proportional Whether a Discrete is a proportional action.
     * @param control The control to change.
     * @param segmentSize Size in bytes.
     */
    static void Execute(Ptr<OpenGymDataContainer> action,
                        bool proportional,
                        IntervalControl& control,
                        uint32_t segmentSize);
};

} // namespace ns3

#endif // FLOW_ACTIONS_H
