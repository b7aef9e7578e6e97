// SPDX-License-Identifier: GPL-2.0-only

#include "raft-protocol.h"

#include "raft-replica.h"

#include "ns3/uinteger.h"

namespace ns3
{

Ptr<ReplicaApplication>
RaftProtocol::MakeReplica() const
{
    auto replica = CreateObject<RaftReplica>();
    replica->SetAttribute("ElectionTicks", UintegerValue(electionTicks));
    replica->SetAttribute("HeartbeatTicks", UintegerValue(heartbeatTicks));
    return replica;
}

const std::vector<ReplicaField>&
RaftProtocol::GetFields() const
{
    static const std::vector<ReplicaField> fields{
        {"state", ReplicaField::CHOICE, static_cast<int64_t>(RaftRole::LEADER)},
        {"term"},
        {"vote", ReplicaField::REPLICA},
        {"leader", ReplicaField::REPLICA},
        {"commit"},
        {"index"},
        {"led_term"},
    };
    return fields;
}

uint32_t
RaftProtocol::FindTaker(const std::vector<ReplicaState>& states) const
{
    uint32_t found = 0;
    int64_t term = 0;
    for (uint32_t id = 1; id <= states.size(); id++)
    {
        const auto& [active, values, log, internals] = states[id - 1];
        const bool leads = values[RaftReplica::ROLE] == static_cast<int64_t>(RaftRole::LEADER);
        if (active && leads && values[RaftReplica::TERM] > term)
        {
            found = id;
            term = values[RaftReplica::TERM];
        }
    }
    return found;
}

std::vector<std::string>
RaftProtocol::Check(const std::vector<ReplicaState>& states)
{
    return m_oracles.Check(states);
}

} // namespace ns3
