// SPDX-License-Identifier: GPL-2.0-only

#ifndef OPENGYM_INFO_H
#define OPENGYM_INFO_H

#include "ns3/opengym-tensor-container.h"

#include <cstdint>
#include <map>
#include <string>
#include <variant>

namespace ns3
{

/**
 * @ingroup defiance
 *
 * A value beside an observation, on which no policy depends.
 */
using OpenGymInfoValue = std::variant<double, int64_t, std::string, Ptr<OpenGymBoxContainerBase>>;

/**
 * @ingroup defiance
 *
 * Values beside an observation, by key.
 */
using OpenGymInfo = std::map<std::string, OpenGymInfoValue>;

} // namespace ns3

#endif /* OPENGYM_INFO_H */
