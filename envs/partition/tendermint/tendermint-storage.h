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
 * @brief The state of a Tendermint replica at its height, and its messages there: its write-ahead
 * log.
 */
struct TendermintRecord
{
    int32_t round{0};                                //!< The round
    TendermintStep step{TendermintStep::NEW_HEIGHT}; //!< The step
    uint32_t lockedValue{TendermintValue::NIL};      //!< Locked value
    int32_t lockedRound{-1};                         //!< Round of the lock
    uint32_t validValue{TendermintValue::NIL};       //!< Last value with a quorum
    int32_t validRound{-1};                          //!< Round of the valid value
    std::vector<TendermintProposal> proposals;       //!< Sent proposals
    std::vector<TendermintVotes> votes;              //!< Sent votes
};

/**
 * @brief The state that a Tendermint replica must not forget: the record of its height, and
 * decisions with their proofs. It may forget messages of others.
 */
class TendermintStorage : public StableStorage
{
  public:
    void Erase() override
    {
        m_record = {};
        m_decisions.clear();
        m_decided.clear();
        m_log.clear();
        m_proofDigest = 0;
    }

    /**
     * @param record The record to store.
     */
    void Save(const TendermintRecord& record)
    {
        BeforeWrite();
        m_record = record;
    }

    /**
     * Store a decision, and begin the next height.
     *
     * @param decision Decision of the current height.
     */
    void Decide(const TendermintDecision& decision)
    {
        BeforeWrite();
        const auto& [round, value, signers] = decision;
        m_decisions.push_back(decision);
        m_decided.insert(value);
        m_log.push_back({static_cast<uint32_t>(round), value - TendermintValue::EMPTY});
        m_proofDigest = Digest(m_proofDigest,
                               {.term = static_cast<uint32_t>(signers >> 32),
                                .request = static_cast<uint32_t>(signers)});
        m_record = {};
    }

    /**
     * @return the current height, from 1 on
     */
    uint32_t GetHeight() const
    {
        return m_decisions.size() + 1;
    }

    /**
     * @return the record of the current height
     */
    const TendermintRecord& GetRecord() const
    {
        return m_record;
    }

    /**
     * @return decisions; the decision of height h is at h - 1
     */
    const std::vector<TendermintDecision>& GetDecisions() const
    {
        return m_decisions;
    }

    /**
     * @param value A value.
     * @return whether a height has decided it
     */
    bool HasDecided(uint32_t value) const
    {
        return m_decided.contains(value);
    }

    /**
     * @return rounds and requests of decisions, by height
     */
    const std::vector<ReplicaEntry>& GetLog() const
    {
        return m_log;
    }

    /**
     * @return a hash of the signers of the decisions
     */
    uint64_t GetProofDigest() const
    {
        return m_proofDigest;
    }

  private:
    TendermintRecord m_record;                   //!< Record of the current height
    std::vector<TendermintDecision> m_decisions; //!< Decisions of earlier heights
    std::set<uint32_t> m_decided;                //!< Values of m_decisions
    std::vector<ReplicaEntry> m_log;             //!< Rounds and requests of m_decisions
    uint64_t m_proofDigest{0};                   //!< Hash of the decisions' signers
};

} // namespace ns3

#endif // TENDERMINT_STORAGE_H
