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
 * @return how many numbers AppendFlat() writes for a value of it; nothing when it holds a text
 */
std::optional<std::size_t> GetFlatSize(const OpenGymSpace& space);

/**
 * Write a value as gymnasium.spaces.flatten does: arrays in C order, a discrete number as one of n
 * that is 1, the parts of tuples and dicts one after the other.
 *
 * @param space A space without a text.
 * @param value A value of the kind and shape that the space has; abort otherwise.
 * @param flat Where to append the numbers.
 */
void AppendFlat(const OpenGymSpace& space,
                const OpenGymDataContainer& value,
                std::vector<float>& flat);

/**
 * @param space A space.
 * @return how many numbers MakeAction() takes; nothing when it makes no values of this space
 */
std::optional<std::size_t> GetActionSize(const OpenGymSpace& space);

/**
 * Make an action of the numbers that a policy gives.
 *
 * @param space A discrete, multi-discrete, multi-binary or floating-point box space.
 * @param numbers As many as GetActionSize() says.
 * @return the action, within the bounds of a box
 */
Ptr<OpenGymDataContainer> MakeAction(const OpenGymSpace& space, const std::vector<double>& numbers);

} // namespace ns3

#endif /* FLATTEN_VALUES_H */
