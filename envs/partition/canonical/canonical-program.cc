// SPDX-License-Identifier: GPL-2.0-only

// The program of partition_v0 with canonical/raft, which some builds lack; see card.md.

#include "canonical-replica.h"
#include "environment-program.h"
#include "partition-environment.h"
#include "raft-protocol.h"
#include "tendermint-protocol.h"

#include "ns3/rl-simulation.h"

#include <memory>
#include <sstream>

namespace ns3
{

namespace
{

constexpr uint32_t LARGEST_MESSAGE = 2000; // bytes of a message with 32 entries
constexpr uint32_t MOST_AT_ONCE = 3;       // messages to one replica in a tick

/**
 * @brief The facts of canonical/raft, the library under dqlite, for testers: its replicas run the
 * library's own code. Fields, guarantees and takers of requests are those of Raft.
 */
class CanonicalProtocol : public RaftProtocol
{
  public:
    std::string GetName() const override;
    void Declare(RlSimulation& simulation) override;
    std::string FindContradiction(bool chosen, Time tick) const override;
    std::vector<std::string> GetBugs() const override;
    bool AnswersClients() const override;
    ReplicaTraffic GetTraffic() const override;
    Ptr<ReplicaApplication> MakeReplica(Time tick) const override;
    std::string FindHealingContradiction(uint32_t replicas,
                                         uint32_t byzantine,
                                         Time tick) const override;
    uint32_t GetHealingTicks(const ReplicaGroup& group, Time tick) const override;

  private:
    CanonicalParameters m_canonical; //!< Parameters of the protocol
};

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
                        m_canonical.electionTimeout,
                        MilliSeconds(1),
                        Seconds(100));
    simulation.AddValue("heartbeat_timeout",
                        "canonical/raft: time between two heartbeats of a leader.",
                        m_canonical.heartbeatTimeout,
                        MilliSeconds(1),
                        Seconds(100));
    simulation.AddValue(
        "pre_vote",
        "canonical/raft: whether a candidate requests votes before it begins a term.",
        m_canonical.preVote);
}

std::string
CanonicalProtocol::FindContradiction(bool chosen, Time tick) const
{
    if (!chosen)
    {
        return m_canonical == CanonicalParameters{}
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
    else if (m_canonical.heartbeatTimeout >= m_canonical.electionTimeout)
    {
        fault << "heartbeat_timeout=" << m_canonical.heartbeatTimeout.As(Time::MS)
              << " is not less than election_timeout=" << m_canonical.electionTimeout.As(Time::MS)
              << ": no leader could remain leader";
    }
    return fault.str();
}

std::vector<std::string>
CanonicalProtocol::GetBugs() const
{
    return {};
}

bool
CanonicalProtocol::AnswersClients() const
{
    return false;
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
    replica->SetParameters(m_canonical);
    return replica;
}

std::string
CanonicalProtocol::FindHealingContradiction(uint32_t /* replicas */,
                                            uint32_t /* byzantine */,
                                            Time tick) const
{
    if (m_canonical.electionTimeout >= LEAST_ELECTION * tick)
    {
        return "";
    }
    std::ostringstream fault;
    fault << "election_timeout=" << m_canonical.electionTimeout.As(Time::MS) << " is less than "
          << LEAST_ELECTION << " ticks of tick_interval=" << tick.As(Time::MS)
          << ", and messages take a tick: voters begin elections before their leader reaches "
             "them; give a longer timeout, a shorter tick, or healing=never";
    return fault.str();
}

uint32_t
CanonicalProtocol::GetHealingTicks(const ReplicaGroup& group, Time tick) const
{
    return CountHealingTicks(group,
                             ToTicks(m_canonical.electionTimeout, tick),
                             ToTicks(m_canonical.heartbeatTimeout, tick));
}

} // namespace

} // namespace ns3

int
main(int argc, char* argv[])
{
    ns3::PartitionEnvironment environment("partition",
                                          {std::make_shared<ns3::RaftProtocol>(),
                                           std::make_shared<ns3::TendermintProtocol>(),
                                           std::make_shared<ns3::CanonicalProtocol>()});
    return ns3::RunEnvironment(argc, argv, environment);
}
