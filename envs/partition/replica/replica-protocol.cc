// SPDX-License-Identifier: GPL-2.0-only

#include "replica-protocol.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr uint32_t MOST_TICKS = 2000; // without progress, for protocols of unknown timeouts
constexpr uint32_t TICKS_BACK = 2;    // for a leader that searches back by an entry
constexpr uint32_t STABLE_SHARE = 10; // divisor of the ticks for progress

/**
 * @param fields Fields of a protocol.
 * @param name Name of a field.
 * @return the field's position, or the number of fields
 */
std::size_t
FindField(const std::vector<ReplicaField>& fields, const std::string& name)
{
    return std::find_if(fields.begin(),
                        fields.end(),
                        [&](const ReplicaField& field) { return field.name == name; }) -
           fields.begin();
}

} // namespace

uint32_t
ReplicaGroup::CountTicksBack() const
{
    std::size_t longest = 0;
    for (const auto& state : states)
    {
        longest = std::max(longest, state.log.size());
    }
    return TICKS_BACK * longest;
}

uint32_t
ToTicks(Time time, Time tick)
{
    return (time.GetNanoSeconds() + tick.GetNanoSeconds() - 1) / tick.GetNanoSeconds();
}

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
    const auto commit = FindField(GetFields(), "commit");
    if (commit == GetFields().size())
    {
        return {};
    }
    return state.values.at(commit);
}

std::string
ReplicaProtocol::FindHealingContradiction(uint32_t /* replicas */,
                                          uint32_t /* byzantine */,
                                          Time /* tick */) const
{
    return "";
}

std::vector<std::string>
ReplicaProtocol::CheckHealed(const ReplicaGroup& /* group */)
{
    return {};
}

uint32_t
ReplicaProtocol::GetHealingTicks(const ReplicaGroup& group, Time /* tick */) const
{
    return MOST_TICKS + group.CountTicksBack();
}

uint32_t
ReplicaProtocol::GetStableTicks(const ReplicaGroup& group, Time tick) const
{
    return GetHealingTicks(group, tick) / STABLE_SHARE;
}

std::vector<int64_t>
ReplicaProtocol::GetLeadership(const ReplicaGroup& group) const
{
    const auto takers = FindTakers(group.states);
    std::vector<int64_t> leadership(takers.begin(), takers.end());
    const auto& fields = GetFields();
    const auto leader = FindField(fields, "leader");
    if (leader < fields.size() && fields[leader].kind == ReplicaField::REPLICA)
    {
        for (const auto& state : group.states)
        {
            leadership.push_back(state.byzantine ? 0 : state.values.at(leader));
        }
    }
    return leadership;
}

} // namespace ns3
