// SPDX-License-Identifier: GPL-2.0-only

#ifndef FLATTEN_VALUES_H
#define FLATTEN_VALUES_H

#include "ns3/opengym-data-container.h"
#include "ns3/opengym-space.h"

#include <optional>
#include <vector>

namespace ns3
{

/**
 * @param space A space.
 * @return the size of AppendFlat()'s output for its values; nothing when it contains a text
 */
std::optional<std::size_t> GetFlatSize(const OpenGymSpace& space);

/**
 * Write a value as gymnasium.spaces.flatten does: arrays in C order, a discrete number as one of n
 * that is 1, the parts of tuples and dicts in order.
 *
 * @param space A space without a text.
 * @param value A value of the space's kind and shape; abort otherwise.
 * @param flat Vector to extend.
 */
void AppendFlat(const OpenGymSpace& space,
                const OpenGymDataContainer& value,
                std::vector<float>& flat);

/**
 * @param space A space.
 * @return the size of MakeAction()'s input; nothing when the space is not supported
 */
std::optional<std::size_t> GetActionSize(const OpenGymSpace& space);

/**
 * Make an action from the output of a policy.
 *
 * @param space A discrete, multi-discrete, multi-binary or floating-point box space.
 * @param numbers GetActionSize() numbers.
 * @return the action, within the bounds of a box
 */
Ptr<OpenGymDataContainer> MakeAction(const OpenGymSpace& space, const std::vector<double>& numbers);

} // namespace ns3

#endif /* FLATTEN_VALUES_H */
