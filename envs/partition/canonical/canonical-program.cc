// SPDX-License-Identifier: GPL-2.0-only

// The program of partition_v0 with canonical/raft, which some builds lack; see card.md.

#include "canonical-format.h"
#include "canonical-server.h"
#include "environment-program.h"
#include "numbers-header.h"
#include "partition-environment.h"
#include "raft-protocol.h"
#include "raft-replica.h"
#include "replica-application.h"
#include "tendermint-protocol.h"

#include "ns3/rl-simulation.h"
#include "ns3/rng-seed-manager.h"

#include <memory>
#include <sstream>

using namespace ns3;

namespace
{

/**
 * @brief A replica that runs canonical/raft. Its fields are those of RaftReplica.
 */
class CanonicalReplica : public ReplicaApplication
{
  public:
    /**
     * @param parameters Parameters; the number and the number of replicas are overwritten.
     */
    void SetParameters(const CanonicalParameters& parameters)
    {
        m_parameters = parameters;
    }

    std::string Describe(Ptr<const Packet> packet) const override
    {
        NumbersHeader header;
        packet->PeekHeader(header);
        return DescribeMessage(header.GetNumbers());
    }

  private:
    void Recover(Ptr<StableStorage> storage) override
    {
        m_parameters.id = GetId();
        m_parameters.replicas = GetGroupSize();
        m_parameters.seed = (uint64_t{RngSeedManager::GetSeed()} << 32) ^ RngSeedManager::GetRun();
        m_server = std::make_unique<CanonicalServer>(
            m_parameters,
            DynamicCast<CanonicalStorage>(storage),
            [this](uint32_t to, std::vector<uint32_t> numbers) {
                auto packet = Create<Packet>();
                packet->AddHeader(NumbersHeader(std::move(numbers)));
                Send(to, packet);
            });
    }

    void Forget() override
    {
        m_server.reset();
    }

    void OnTick() override
    {
        m_server->Tick();
        NoteLeadership();
    }

    bool OnSubmit(uint32_t request) override
    {
        return m_server->Submit(request);
    }

    void OnMessage(uint32_t from, Ptr<const Packet> packet) override
    {
        NumbersHeader header;
        packet->PeekHeader(header);
        m_server->Receive(from, header.GetNumbers());
        NoteLeadership();
    }

    ReplicaState DoSnapshot(Ptr<const StableStorage> storage) const override
    {
        const auto stored = DynamicCast<const CanonicalStorage>(storage);
        ReplicaState state;
        state.log = stored->GetLog();
        const auto last = static_cast<int64_t>(state.log.size());
        const auto term = static_cast<int64_t>(stored->term);
        const auto vote = static_cast<int64_t>(stored->vote);
        if (!m_server)
        {
            state.values = {0, term, vote, 0, 0, last, 0};
            return state;
        }
        const auto& raft = m_server->Get();
        state.values = {raft.state - RAFT_FOLLOWER,
                        term,
                        vote,
                        m_server->GetLeader(),
                        static_cast<int64_t>(raft.commit_index),
                        last,
                        0};
        state.internals = m_server->GetInternals();
        return state;
    }

    Ptr<StableStorage> MakeStorage() const override
    {
        return CreateObject<CanonicalStorage>();
    }

    /// Record leadership, once in a term
    void NoteLeadership()
    {
        const auto term = m_server->Get().current_term;
        if (m_server->Leads() && term != m_ledTerm)
        {
            m_ledTerm = term;
            Note({.kind = RaftReplica::BECAME_LEADER, .height = static_cast<int64_t>(term)});
        }
    }

    CanonicalParameters m_parameters;          //!< Parameters of the replica
    std::unique_ptr<CanonicalServer> m_server; //!< Server, while the process runs
    uint64_t m_ledTerm{0};                     //!< Last term as leader
};

constexpr uint32_t LARGEST_MESSAGE = 2000; // bytes of a message with 32 entries
constexpr uint32_t MOST_AT_ONCE = 3;       // messages to one replica in a tick

/**
 * @brief The facts of canonical/raft, the library under dqlite, for testers: its replicas run the
 * library's own code. Fields, guarantees and takers of requests are those of Raft.
 */
class CanonicalProtocol : public RaftProtocol
{
  public:
    std::string GetName() const override
    {
        return "canonical_raft";
    }

    void Declare(RlSimulation& simulation) override
    {
        simulation.AddValue("election_timeout",
                            "canonical/raft: shortest election timeout; timeouts are drawn from it "
                            "to twice its length.",
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

    std::string FindContradiction(bool chosen, Time tick) const override
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
            fault << "tick_interval=" << tick.As(Time::MS)
                  << " is shorter than 1ms, the unit of time "
                  << "of canonical/raft";
        }
        else if (m_canonical.heartbeatTimeout >= m_canonical.electionTimeout)
        {
            fault << "heartbeat_timeout=" << m_canonical.heartbeatTimeout.As(Time::MS)
                  << " is not less than election_timeout="
                  << m_canonical.electionTimeout.As(Time::MS) << ": no leader could remain leader";
        }
        return fault.str();
    }

    std::vector<std::string> GetBugs() const override
    {
        return {};
    }

    bool AnswersClients() const override
    {
        return false;
    }

    ReplicaTraffic GetTraffic() const override
    {
        return {.bytes = LARGEST_MESSAGE, .datagrams = MOST_AT_ONCE};
    }

    Ptr<ReplicaApplication> MakeReplica(Time /* tick */) const override
    {
        auto replica = CreateObject<CanonicalReplica>();
        replica->SetParameters(m_canonical);
        return replica;
    }

    std::string FindHealingContradiction(uint32_t /* replicas */,
                                         uint32_t /* byzantine */,
                                         Time tick) const override
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

    uint32_t GetHealingTicks(const ReplicaGroup& group, Time tick) const override
    {
        return CountHealingTicks(group,
                                 ToTicks(m_canonical.electionTimeout, tick),
                                 ToTicks(m_canonical.heartbeatTimeout, tick));
    }

  private:
    CanonicalParameters m_canonical; //!< Parameters of the protocol
};

} // namespace

int
main(int argc, char* argv[])
{
    PartitionEnvironment environment("partition",
                                     {std::make_shared<RaftProtocol>(),
                                      std::make_shared<TendermintProtocol>(),
                                      std::make_shared<CanonicalProtocol>()});
    return RunEnvironment(argc, argv, environment);
}
