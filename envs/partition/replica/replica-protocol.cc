// SPDX-License-Identifier: GPL-2.0-only

#include "replica-protocol.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr uint32_t TICKS_BACK = 2; // for a leader that searches back by an entry

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
