// SPDX-License-Identifier: GPL-2.0-only

#include "rl-application-id.h"

#include <array>

namespace ns3
{

std::string
ApplicationTypeToString(ApplicationType type)
{
    static constexpr std::array names{"observation", "reward", "agent", "action", "server"};
    return names.at(type);
}

std::ostream&
operator<<(std::ostream& os, const RlApplicationId& id)
{
    return os << id.ToString();
}

} // namespace ns3
