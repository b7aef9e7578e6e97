// SPDX-License-Identifier: GPL-2.0-only

#include "replica-protocol.h"

#include <algorithm>

namespace ns3
{

void
ReplicaProtocol::Declare(RlSimulation& /* simulation */)
{
}

std::string
ReplicaProtocol::FindContradiction(bool /* chosen */, Time /* tick */) const
{
    return "";
}

bool
ReplicaProtocol::ToleratesByzantine() const
{
    return false;
}

std::vector<std::string>
ReplicaProtocol::GetBugs() const
{
    return {};
}

bool
ReplicaProtocol::AnswersClients() const
{
    return false;
}

bool
ReplicaProtocol::IsSeenByClientsAlone(const std::string& /* bug */) const
{
    return false;
}

ReplicaTraffic
ReplicaProtocol::GetTraffic() const
{
    return {.bytes = 500, .datagrams = 3};
}

int64_t
ReplicaProtocol::GetProgress(const ReplicaGroup& /* group */) const
{
    return 0;
}

bool
ReplicaProtocol::IsDone(const ReplicaGroup& /* group */) const
{
    return true;
}

std::optional<std::size_t>
ReplicaProtocol::CountCommitted(const ReplicaState& state) const
{
    const auto& fields = GetFields();
    const auto commit = std::find_if(fields.begin(), fields.end(), [](const ReplicaField& field) {
        return field.name == "commit";
    });
    if (commit == fields.end())
    {
        return {};
    }
    return state.values.at(commit - fields.begin());
}

std::string
ReplicaProtocol::FindHealingContradiction(bool /* byzantine */) const
{
    return "";
}

std::vector<std::string>
ReplicaProtocol::CheckHealed(const ReplicaGroup& /* group */)
{
    return {};
}

uint32_t
ReplicaProtocol::GetHealingTicks(const ReplicaGroup& /* group */, Time /* tick */) const
{
    return 1000;
}

} // namespace ns3
