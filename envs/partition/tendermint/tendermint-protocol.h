// SPDX-License-Identifier: GPL-2.0-only

#ifndef TENDERMINT_PROTOCOL_H
#define TENDERMINT_PROTOCOL_H

#include "standard-protocol.h"
#include "tendermint-oracles.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

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
    TendermintProtocol();

    void Declare(RlSimulation& simulation) override;

    bool AnswersClients() const override
    {
        return true;
    }

    bool ToleratesByzantine() const override
    {
        return true;
    }

    Ptr<ReplicaApplication> MakeReplica(Time tick) const override;
    std::vector<uint32_t> FindTakers(const std::vector<ReplicaState>& states) const override;
    bool IsDone(const ReplicaGroup& group) const override;
    std::optional<std::size_t> CountCommitted(const ReplicaState& state) const override;
    std::string FindHealingContradiction(uint32_t replicas,
                                         uint32_t byzantine,
                                         Time tick) const override;
    uint32_t GetHealingTicks(const ReplicaGroup& group, Time tick) const override;
    uint32_t GetStableTicks(const ReplicaGroup& group, Time tick) const override;

  private:
    std::string FindFault(Time tick) const override;
};

} // namespace ns3

#endif // TENDERMINT_PROTOCOL_H
