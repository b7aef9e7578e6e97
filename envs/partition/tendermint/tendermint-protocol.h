// SPDX-License-Identifier: GPL-2.0-only

#ifndef TENDERMINT_PROTOCOL_H
#define TENDERMINT_PROTOCOL_H

#include "standard-protocol.h"
#include "tendermint-oracles.h"
#include "tendermint-replica.h"

#include "ns3/rl-simulation.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

namespace ns3
{

constexpr uint32_t TYPICAL_GOSSIP = 600; // bytes, with the votes of all in two rounds
constexpr uint32_t MOST_WORDS = 3;       // messages to one replica in a tick
constexpr int64_t TURNS = 3;             // rounds of one decision in which each replica proposes

/**
 * @brief The choices of Tendermint: its timeouts.
 */
struct TendermintTimeouts
{
    Time propose{MilliSeconds(200)};   //!< Timeout for a proposal, in round 0
    Time prevote{MilliSeconds(100)};   //!< Timeout for prevotes to agree, in round 0
    Time precommit{MilliSeconds(100)}; //!< Timeout for precommits to agree, in round 0
    Time commit{MilliSeconds(100)};    //!< Pause between a decision and the next height
    Time delta{MilliSeconds(20)};      //!< Growth of the first three per round
    uint32_t gossipTicks{5};           //!< Ticks without a step before gossip

    bool operator==(const TendermintTimeouts&) const = default;
};

/**
 * @brief The facts of Tendermint for testers.
 */
class TendermintProtocol : public StandardProtocol<TendermintTimeouts, TendermintOracles>
{
  public:
    TendermintProtocol()
        : StandardProtocol({.name = "tendermint",
                            .parameters = "timeout_propose, timeout_prevote, timeout_precommit, "
                                          "timeout_commit, timeout_delta and gossip_ticks",
                            .painter = "height,round,step,have_proposal,prevotes,precommits",
                            .bugs = TENDERMINT_BUGS.GetNames(),
                            .traffic = {.bytes = TYPICAL_GOSSIP, .datagrams = MOST_WORDS},
                            .fields =
                                {
                                    {"height"},
                                    {"round"},
                                    {"step",
                                     ReplicaField::CHOICE,
                                     static_cast<int64_t>(TendermintStep::PRECOMMIT)},
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

    void Declare(RlSimulation& simulation) override
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
        simulation.AddValue(
            "timeout_delta",
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

    bool AnswersClients() const override
    {
        return true;
    }

    bool ToleratesByzantine() const override
    {
        return true;
    }

    Ptr<ReplicaApplication> MakeReplica(Time tick) const override
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

    std::vector<uint32_t> FindTakers(const std::vector<ReplicaState>& states) const override
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

    bool IsDone(const ReplicaGroup& /* group */) const override
    {
        return false; // a next height always exists
    }

    std::optional<std::size_t> CountCommitted(const ReplicaState& state) const override
    {
        return state.log.size();
    }

    std::string FindHealingContradiction(uint32_t replicas,
                                         uint32_t byzantine,
                                         Time /* tick */) const override
    {
        if (byzantine == 0)
        {
            return "";
        }
        if (3 * byzantine >= replicas)
        {
            return "max_byzantine=" + std::to_string(byzantine) +
                   " is a third of num_replicas=" + std::to_string(replicas) +
                   " or more, and can prevent all decisions; give a smaller number, or "
                   "healing=never";
        }
        return m_parameters.delta > Time(0)
                   ? ""
                   : "timeout_delta=0s: Byzantine replicas can prevent all decisions if timeouts "
                     "do not grow; give a longer time, or healing=never";
    }

    uint32_t GetHealingTicks(const ReplicaGroup& group, Time tick) const override
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

    uint32_t GetStableTicks(const ReplicaGroup& /* group */, Time /* tick */) const override
    {
        return 0; // each round has another proposer, and messages may come after short timeouts
    }

  private:
    std::string FindFault(Time tick) const override
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
};

} // namespace ns3

#endif // TENDERMINT_PROTOCOL_H
