// SPDX-License-Identifier: GPL-2.0-only

#ifndef TENDERMINT_STORAGE_H
#define TENDERMINT_STORAGE_H

#include "stable-storage.h"
#include "tendermint-types.h"

#include <cstdint>
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
    uint32_t lockedValue{TendermintValue::NIL};      //!< What it is locked on
    int32_t lockedRound{-1};                         //!< In which round that was
    uint32_t validValue{TendermintValue::NIL};       //!< The last value that might be decided
    int32_t validRound{-1};                          //!< In which round that was
    std::vector<TendermintProposal> proposals;       //!< What it has proposed
    std::vector<TendermintVotes> votes;              //!< What it has voted
};

/**
 * @brief What a Tendermint replica must not forget: the record of its height, and decisions with
 * their proofs. What it has heard from others it may.
 */
class TendermintStorage : public StableStorage
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    void Erase() override;

    /**
     * @param record How far it has come.
     */
    void Save(const TendermintRecord& record);

    /**
     * Keep a decision, and begin the next height.
     *
     * @param decision Of the current height.
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

  private:
    TendermintRecord m_record;                   //!< Of the current height
    std::vector<TendermintDecision> m_decisions; //!< Of heights before it
};

} // namespace ns3

#endif // TENDERMINT_STORAGE_H
