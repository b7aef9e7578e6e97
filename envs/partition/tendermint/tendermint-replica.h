// SPDX-License-Identifier: GPL-2.0-only

#ifndef TENDERMINT_REPLICA_H
#define TENDERMINT_REPLICA_H

#include "core-replica.h"
#include "tendermint-core.h"
#include "tendermint-header.h"

#include <cstddef>
#include <set>

namespace ns3
{

/**
 * @brief A replica that keeps its log by Tendermint; see TendermintCore.
 *
 * Entries of its log are decisions: the term is the round.
 */
class TendermintReplica
    : public CoreReplica<TendermintCore, TendermintParameters, TendermintStorage, TendermintHeader>
{
  public:
    /// Positions of ReplicaState::values.
    enum Field : uint8_t
    {
        HEIGHT,
        ROUND,
        STEP,
        HAVE_PROPOSAL,
        LOCKED,
        LOCKED_ROUND,
        VALID,
        VALID_ROUND,
        PROPOSER,
        PREVOTES,
        PRECOMMITS,
    };

  private:
    void Recover(Ptr<StableStorage> storage) override;
    void Forget() override;
    bool OnSubmit(uint32_t request) override;
    void OnByzantine() override;
    void AnswerWaiting() override;
    ReplicaState DoSnapshot(Ptr<const StableStorage> storage) const override;

    std::set<uint32_t> m_waiting; //!< Requests whose clients wait
    std::size_t m_answered{0};    //!< Number of answered heights
};

} // namespace ns3

#endif // TENDERMINT_REPLICA_H
