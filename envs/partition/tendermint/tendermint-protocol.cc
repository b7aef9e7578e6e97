// SPDX-License-Identifier: GPL-2.0-only

#include "tendermint-protocol.h"

#include "tendermint-replica.h"

#include "ns3/rl-simulation.h"

#include <algorithm>
#include <limits>
#include <sstream>

namespace ns3
{

namespace
{

constexpr uint32_t TYPICAL_GOSSIP = 600; // bytes, with the votes of all in two rounds
constexpr uint32_t MOST_WORDS = 3;       // messages to one replica in a tick
constexpr int64_t TURNS = 3;             // rounds of one decision in which each replica proposes

} // namespace

TendermintProtocol::TendermintProtocol()
    : StandardProtocol(
          {.name = "tendermint",
           .parameters = "timeout_propose, timeout_prevote, timeout_precommit, "
                         "timeout_commit, timeout_delta and gossip_ticks",
           .painter = "height,round,step,have_proposal,prevotes,precommits",
           .bugs = TENDERMINT_BUGS.GetNames(),
           .traffic = {.bytes = TYPICAL_GOSSIP, .datagrams = MOST_WORDS},
           .fields =
               {
                   {"height"},
                   {"round"},
                   {"step", ReplicaField::CHOICE, static_cast<int64_t>(TendermintStep::PRECOMMIT)},
                   {"have_proposal", ReplicaField::CHOICE, 1},
                   {"locked"},
                   {"locked_round"},
                   {"valid"},
                   {"valid_round"},
                   {"proposer", ReplicaField::REPLICA},
                   {"prevotes"},
                   {"precommits"},
               },
           .progress = TendermintReplica::HEIGHT})
{
}

void
TendermintProtocol::Declare(RlSimulation& simulation)
{
    const auto least = MicroSeconds(100);
    const auto most = Seconds(100);
    simulation.AddValue("timeout_propose",
                        "Tendermint: timeout of a proposal, in round 0.",
                        m_parameters.propose,
                        least,
                        most);
    simulation.AddValue("timeout_prevote",
                        "Tendermint: timeout of prevotes without agreement, in round 0.",
                        m_parameters.prevote,
                        least,
                        most);
    simulation.AddValue("timeout_precommit",
                        "Tendermint: timeout of precommits without agreement, in round 0.",
                        m_parameters.precommit,
                        least,
                        most);
    simulation.AddValue("timeout_commit",
                        "Tendermint: pause between a decision and the next height.",
                        m_parameters.commit,
                        least,
                        most);
    simulation.AddValue("timeout_delta",
                        "Tendermint: time by which the first three timeouts grow with each round.",
                        m_parameters.delta,
                        Time(0),
                        most);
    simulation.AddValue(
        "gossip_ticks",
        "Tendermint: ticks without a step after which a replica sends its state to all others.",
        m_parameters.gossipTicks,
        1U,
        10000U);
}

std::string
TendermintProtocol::FindFault(Time tick) const
{
    std::ostringstream fault;
    if (m_parameters.propose < 3 * tick)
    {
        fault << "timeout_propose=" << m_parameters.propose.As(Time::MS)
              << " is less than three ticks of tick_interval=" << tick.As(Time::MS)
              << ", in which no proposal arrives; give a longer timeout, or a shorter tick";
    }
    return fault.str();
}

Ptr<ReplicaApplication>
TendermintProtocol::MakeReplica(Time tick) const
{
    auto replica = CreateObject<TendermintReplica>();
    replica->SetParameters({.proposeTicks = ToTicks(m_parameters.propose, tick),
                            .prevoteTicks = ToTicks(m_parameters.prevote, tick),
                            .precommitTicks = ToTicks(m_parameters.precommit, tick),
                            .commitTicks = ToTicks(m_parameters.commit, tick),
                            .deltaTicks = ToTicks(m_parameters.delta, tick),
                            .gossipTicks = m_parameters.gossipTicks});
    return replica;
}

std::vector<uint32_t>
TendermintProtocol::FindTakers(const std::vector<ReplicaState>& states) const
{
    std::vector<uint32_t> takers;
    for (uint32_t id = 1; id <= states.size(); id++)
    {
        if (states[id - 1].active)
        {
            takers.push_back(id);
        }
    }
    return takers;
}

bool
TendermintProtocol::IsDone(const ReplicaGroup& /* group */) const
{
    return false; // a next height always exists
}

std::optional<std::size_t>
TendermintProtocol::CountCommitted(const ReplicaState& state) const
{
    return state.log.size();
}

std::string
TendermintProtocol::FindHealingContradiction(uint32_t replicas,
                                             uint32_t byzantine,
                                             Time /* tick */) const
{
    if (byzantine == 0)
    {
        return "";
    }
    if (3 * byzantine >= replicas)
    {
        return "max_byzantine=" + std::to_string(byzantine) +
               " is a third of num_replicas=" + std::to_string(replicas) +
               " or more, and can prevent all decisions; give a smaller number, or healing=never";
    }
    return m_parameters.delta > Time(0)
               ? ""
               : "timeout_delta=0s: Byzantine replicas can prevent all decisions if timeouts do "
                 "not grow; give a longer time, or healing=never";
}

uint32_t
TendermintProtocol::GetHealingTicks(const ReplicaGroup& group, Time tick) const
{
    const int64_t rounds = TURNS * group.states.size() + TendermintParameters{}.gossipRounds;
    int64_t latest = 0;
    for (const auto& state : group.states)
    {
        latest = std::max(latest, state.values[TendermintReplica::ROUND]);
    }
    const auto& [propose, prevote, precommit, commit, delta, gossipTicks] = m_parameters;
    const auto count = [tick](Time time) { return int64_t{ToTicks(time, tick)}; };
    const auto timeouts = count(propose) + count(prevote) + count(precommit);
    const auto round = timeouts + 3 * (latest + rounds) * count(delta) + gossipTicks;
    return std::min<int64_t>(rounds * round + 4 * count(commit),
                             std::numeric_limits<uint32_t>::max());
}

uint32_t
TendermintProtocol::GetStableTicks(const ReplicaGroup& /* group */, Time /* tick */) const
{
    return 0; // each round has another proposer, and messages may come after short timeouts
}

} // namespace ns3
