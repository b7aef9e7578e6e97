// SPDX-License-Identifier: GPL-2.0-only

#ifndef TENDERMINT_REPLICA_H
#define TENDERMINT_REPLICA_H

#include "core-replica.h"
#include "tendermint-core.h"
#include "tendermint-header.h"

#include <bit>
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
    void Recover(Ptr<StableStorage> storage) override
    {
        m_parameters.bug = TENDERMINT_BUGS.Find(GetBug());
        Begin(storage, [this](const TendermintAct& act) {
            Note({.kind = act.kind, .height = act.height, .round = act.round, .value = act.value});
        });
        m_answered = m_disk->GetLog().size();
        if (IsByzantine())
        {
            m_core->BecomeByzantine();
        }
    }

    void Forget() override
    {
        CoreReplica::Forget();
        m_waiting.clear();
    }

    bool OnSubmit(uint32_t request) override
    {
        m_core->Submit(request);
        if (AnswersClients())
        {
            m_waiting.insert(request);
        }
        return true;
    }

    void OnByzantine() override
    {
        m_core->BecomeByzantine();
    }

    void AnswerWaiting() override
    {
        const auto& log = m_disk->GetLog();
        for (; m_answered < log.size(); m_answered++)
        {
            if (m_waiting.erase(log[m_answered].request) > 0)
            {
                Answer(log[m_answered].request, log, m_answered);
            }
        }
    }

    ReplicaState DoSnapshot(Ptr<const StableStorage> storage) const override
    {
        const auto stored = DynamicCast<const TendermintStorage>(storage);
        const auto& record = stored->GetRecord();
        const auto height = stored->GetHeight();
        const auto proposer = TendermintCore::GetProposer(height, record.round, GetGroupSize());
        ReplicaState state;
        state.values = {height,
                        record.round,
                        static_cast<int64_t>(record.step),
                        0,
                        record.lockedValue,
                        record.lockedRound + 1,
                        record.validValue,
                        record.validRound + 1,
                        proposer,
                        0,
                        0};
        state.log = stored->GetLog();
        state.internals.push_back(static_cast<int64_t>(stored->GetProofDigest()));
        state.internals.push_back(record.votes.size());
        for (const auto& [type, round, value, signers] : record.votes)
        {
            state.internals.insert(state.internals.end(), {type, round, value});
        }
        state.internals.push_back(record.proposals.size());
        for (const auto& [round, value, validRound] : record.proposals)
        {
            state.internals.insert(state.internals.end(), {round, value, validRound});
        }
        if (m_core)
        {
            const auto& messages = m_core->GetMessageLog();
            const auto count = [&](TendermintVotes::Type type) {
                return std::popcount(messages.FindVoters(type, record.round));
            };
            state.values[PROPOSER] = m_core->GetProposer(record.round);
            state.values[HAVE_PROPOSAL] = !messages.FindProposals(record.round).empty();
            state.values[PREVOTES] = count(TendermintVotes::PREVOTE);
            state.values[PRECOMMITS] = count(TendermintVotes::PRECOMMIT);
            const auto internals = m_core->GetInternals();
            state.internals.insert(state.internals.end(), internals.begin(), internals.end());
        }
        return state;
    }

    std::set<uint32_t> m_waiting; //!< Requests whose clients wait
    std::size_t m_answered{0};    //!< Number of answered heights
};

} // namespace ns3

#endif // TENDERMINT_REPLICA_H
