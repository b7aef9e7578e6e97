// SPDX-License-Identifier: GPL-2.0-only

#include "canonical-protocol.h"

#include "canonical-replica.h"

#include "ns3/rl-simulation.h"

#include <sstream>

namespace ns3
{

namespace
{

constexpr uint32_t LARGEST_MESSAGE = 2000; // bytes of a message with 32 entries
constexpr uint32_t MOST_AT_ONCE = 3;       // messages to one replica in a tick

} // namespace

std::string
CanonicalProtocol::GetName() const
{
    return "canonical_raft";
}

void
CanonicalProtocol::Declare(RlSimulation& simulation)
{
    simulation.AddValue("election_timeout",
                        "canonical/raft: shortest election timeout; timeouts are drawn from it to "
                        "twice its length.",
                        m_parameters.electionTimeout,
                        MilliSeconds(1),
                        Seconds(100));
    simulation.AddValue("heartbeat_timeout",
                        "canonical/raft: time between two heartbeats of a leader.",
                        m_parameters.heartbeatTimeout,
                        MilliSeconds(1),
                        Seconds(100));
    simulation.AddValue(
        "pre_vote",
        "canonical/raft: whether a candidate requests votes before it begins a term.",
        m_parameters.preVote);
}

std::string
CanonicalProtocol::FindContradiction(bool chosen, Time tick) const
{
    if (!chosen)
    {
        return m_parameters == CanonicalParameters{}
                   ? ""
                   : "election_timeout, heartbeat_timeout and pre_vote are parameters of "
                     "protocol=canonical_raft; leave them out";
    }
    std::ostringstream fault;
    if (tick < MilliSeconds(1))
    {
        fault << "tick_interval=" << tick.As(Time::MS) << " is shorter than 1ms, the unit of time "
              << "of canonical/raft";
    }
    else if (m_parameters.heartbeatTimeout >= m_parameters.electionTimeout)
    {
        fault << "heartbeat_timeout=" << m_parameters.heartbeatTimeout.As(Time::MS)
              << " is not less than election_timeout=" << m_parameters.electionTimeout.As(Time::MS)
              << ": no leader could remain leader";
    }
    return fault.str();
}

std::string
CanonicalProtocol::GetDefaultPainter() const
{
    return m_raft.GetDefaultPainter();
}

ReplicaTraffic
CanonicalProtocol::GetTraffic() const
{
    return {.bytes = LARGEST_MESSAGE, .datagrams = MOST_AT_ONCE};
}

Ptr<ReplicaApplication>
CanonicalProtocol::MakeReplica(Time /* tick */) const
{
    auto replica = CreateObject<CanonicalReplica>();
    replica->SetParameters(m_parameters);
    return replica;
}

const std::vector<ReplicaField>&
CanonicalProtocol::GetFields() const
{
    return m_raft.GetFields();
}

std::vector<uint32_t>
CanonicalProtocol::FindTakers(const std::vector<ReplicaState>& states) const
{
    return m_raft.FindTakers(states);
}

int64_t
CanonicalProtocol::GetProgress(const ReplicaGroup& group) const
{
    return m_raft.GetProgress(group);
}

bool
CanonicalProtocol::IsDone(const ReplicaGroup& group) const
{
    return m_raft.IsDone(group);
}

std::string
CanonicalProtocol::FindHealingContradiction(uint32_t /* replicas */,
                                            uint32_t /* byzantine */,
                                            Time tick) const
{
    if (m_parameters.electionTimeout >= RaftProtocol::LEAST_ELECTION * tick)
    {
        return "";
    }
    std::ostringstream fault;
    fault << "election_timeout=" << m_parameters.electionTimeout.As(Time::MS) << " is less than "
          << RaftProtocol::LEAST_ELECTION << " ticks of tick_interval=" << tick.As(Time::MS)
          << ", and messages take a tick: voters begin elections before their leader reaches "
             "them; give a longer timeout, a shorter tick, or healing=never";
    return fault.str();
}

uint32_t
CanonicalProtocol::GetHealingTicks(const ReplicaGroup& group, Time tick) const
{
    return RaftProtocol::CountHealingTicks(group,
                                           ToTicks(m_parameters.electionTimeout, tick),
                                           ToTicks(m_parameters.heartbeatTimeout, tick));
}

std::vector<std::string>
CanonicalProtocol::Check(const ReplicaGroup& group)
{
    return m_raft.Check(group);
}

} // namespace ns3
