// SPDX-License-Identifier: GPL-2.0-only

#ifndef DISTRIBUTIONS_H
#define DISTRIBUTIONS_H

#include "ns3/attribute.h"
#include "ns3/type-id.h"

#include <map>
#include <string>

namespace ns3
{

/**
 * Raise ValueError for a value without a distribution, such as a negative variance. ns-3 does not
 * check these values, and some let it draw for ever, because it repeats draws beyond the bound.
 *
 * @param tid A class, of random numbers or another one.
 * @param name Name of an attribute.
 * @param value The value.
 */
void CheckParameter(TypeId tid, const std::string& name, const AttributeValue& value);

/**
 * Raise ValueError for values without a distribution, such as a least number above the largest.
 *
 * @param tid A class, of random numbers or another one.
 * @param values Values by attribute; other attributes have their defaults.
 */
void CheckDistribution(TypeId tid, const std::map<std::string, Ptr<AttributeValue>>& values);

} // namespace ns3

#endif /* DISTRIBUTIONS_H */
