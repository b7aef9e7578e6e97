// SPDX-License-Identifier: GPL-2.0-only

#ifndef TENDERMINT_STORAGE_H
#define TENDERMINT_STORAGE_H

#include "replica-state.h"
#include "stable-storage.h"
#include "tendermint-types.h"

#include <cstdint>
#include <set>
#include <vector>

namespace ns3
{

/**
 * @brief How far a Tendermint replica has come in its height, and what it has said there: its
 * write-ahead log.
 */
struct TendermintRecord
{
    int32_t round{0};                                //!< The round
    TendermintStep step{TendermintStep::NEW_HEIGHT}; //!< The step
    uint32_t lockedValue{TendermintValue::NIL};      //!< Its lock
    int32_t lockedRound{-1};                         //!< In which round that was
    uint32_t validValue{TendermintValue::NIL};       //!< The last value that might be decided
    int32_t validRound{-1};                          //!< In which round that was
    std::vector<TendermintProposal> proposals;       //!< Its proposals
    std::vector<TendermintVotes> votes;              //!< Its votes
};

/**
 * @brief The state that a Tendermint replica must not forget: the record of its height, and
 * decisions with their proofs. It may forget the messages of others.
 */
class TendermintStorage : public StableStorage
{
  public:
    void Erase() override;

    /**
     * @param record How far it has come.
     */
    void Save(const TendermintRecord& record);

    /**
     * Keep a decision, and begin the next height.
     *
     * @param decision Decision of the current height.
     */
    void Decide(const TendermintDecision& decision);

    /**
     * @return the current height, from 1 on
     */
    uint32_t GetHeight() const;

    /**
     * @return how far it has come
     */
    const TendermintRecord& GetRecord() const;

    /**
     * @return decisions; that of height h is at h - 1
     */
    const std::vector<TendermintDecision>& GetDecisions() const;

    /**
     * @param value A value.
     * @return whether it was decided at a height
     */
    bool HasDecided(uint32_t value) const;

    /**
     * @return rounds and requests of decisions, by height
     */
    const std::vector<ReplicaEntry>& GetLog() const;

    /**
     * @return a hash of who has signed the decisions
     */
    uint64_t GetProofDigest() const;

  private:
    TendermintRecord m_record;                   //!< Of the current height
    std::vector<TendermintDecision> m_decisions; //!< Of heights before it
    std::set<uint32_t> m_decided;                //!< Values of those
    std::vector<ReplicaEntry> m_log;             //!< Rounds and requests of those
    uint64_t m_proofDigest{0};                   //!< Hash of who has signed those
};

} // namespace ns3

#endif // TENDERMINT_STORAGE_H
