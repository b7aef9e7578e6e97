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

bool
RlApplicationId::IsAssigned() const
{
    return applicationId != UNASSIGNED;
}

std::string
RlApplicationId::ToString() const
{
    return ApplicationTypeToString(applicationType) + "_" +
           (IsAssigned() ? std::to_string(applicationId) : "unassigned");
}

std::ostream&
operator<<(std::ostream& os, const RlApplicationId& id)
{
    return os << id.ToString();
}

} // namespace ns3
