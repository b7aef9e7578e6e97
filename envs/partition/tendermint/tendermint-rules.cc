// SPDX-License-Identifier: GPL-2.0-only

// The reaction of a Tendermint replica to enough messages: the rules of algorithm 1, by their
// lines.

#include "tendermint-core.h"

#include <bit>

namespace ns3
{

void
TendermintCore::Evaluate()
{
    while (TryDecide() || TrySkipRounds() || TryPrevote() || TryLock() || TryPrecommitNil() ||
           TryAwaitPrevotes() || TryAwaitPrecommits())
    {
    }
}

bool
TendermintCore::TryDecide()
{
    for (const auto& [round, value, validRound] : m_messages.GetProposals())
    {
        if (HasQuorum(TendermintVotes::PRECOMMIT, round, value) && IsValid(value))
        {
            const auto voters = m_messages.FindVoters(TendermintVotes::PRECOMMIT, round, value);
            Decide({.round = round, .value = value, .signers = voters});
            return true;
        }
    }
    return false;
}

bool
TendermintCore::TrySkipRounds()
{
    const auto rounds = m_messages.GetRounds();
    for (auto round = rounds.rbegin(); round != rounds.rend() && *round > m_record.round; ++round)
    {
        auto senders = m_messages.FindVoters(TendermintVotes::PREVOTE, *round) |
                       m_messages.FindVoters(TendermintVotes::PRECOMMIT, *round);
        if (!m_messages.FindProposals(*round).empty())
        {
            senders |= uint64_t{1} << GetProposer(*round);
        }
        // More replicas than can be Byzantine: one of them is correct.
        if (3 * static_cast<uint32_t>(std::popcount(senders)) >= m_parameters.replicas)
        {
            StartRound(*round);
            return true;
        }
    }
    return false;
}

bool
TendermintCore::TryPrevote()
{
    if (m_record.step != TendermintStep::PROPOSE)
    {
        return false;
    }
    for (const auto& [round, value, validRound] : m_messages.FindProposals(m_record.round))
    {
        const bool isNew = validRound == -1;
        if (!isNew && !HasQuorum(TendermintVotes::PREVOTE, validRound, value))
        {
            continue;
        }
        const bool isFree =
            m_record.lockedRound == -1 || m_record.lockedValue == value ||
            (isNew ? Has(TendermintBug::IGNORES_LOCK)
                   : m_record.lockedRound <= validRound || Has(TendermintBug::TRUSTS_OLD_QUORUMS));
        Cast(TendermintVotes::PREVOTE, IsValid(value) && isFree ? value : TendermintValue::NIL);
        return true;
    }
    return false;
}

bool
TendermintCore::TryAwaitPrevotes()
{
    if (m_record.step != TendermintStep::PREVOTE || m_awaitsPrevotes ||
        !IsQuorum(m_messages.FindVoters(TendermintVotes::PREVOTE, m_record.round)))
    {
        return false;
    }
    m_awaitsPrevotes = true;
    m_timers.prevote = m_parameters.prevoteTicks + m_record.round * m_parameters.deltaTicks;
    return true;
}

bool
TendermintCore::TryLock()
{
    if (m_record.step < TendermintStep::PREVOTE || m_locks)
    {
        return false;
    }
    for (const auto& [round, value, validRound] : m_messages.FindProposals(m_record.round))
    {
        if (!IsValid(value) || !HasQuorum(TendermintVotes::PREVOTE, round, value))
        {
            continue;
        }
        m_locks = true;
        m_record.validValue = value;
        m_record.validRound = round;
        if (m_record.step == TendermintStep::PREVOTE)
        {
            m_record.lockedValue = value;
            m_record.lockedRound = round;
            Cast(TendermintVotes::PRECOMMIT, value);
        }
        else
        {
            m_storage->Save(m_record);
        }
        return true;
    }
    return false;
}

bool
TendermintCore::TryPrecommitNil()
{
    const auto voters =
        m_messages.FindVoters(TendermintVotes::PREVOTE, m_record.round, TendermintValue::NIL);
    if (m_record.step != TendermintStep::PREVOTE || !IsQuorum(voters))
    {
        return false;
    }
    Cast(TendermintVotes::PRECOMMIT, TendermintValue::NIL);
    return true;
}

bool
TendermintCore::TryAwaitPrecommits()
{
    if (m_awaitsPrecommits ||
        !IsQuorum(m_messages.FindVoters(TendermintVotes::PRECOMMIT, m_record.round)))
    {
        return false;
    }
    m_awaitsPrecommits = true;
    m_timers.precommit = m_parameters.precommitTicks + m_record.round * m_parameters.deltaTicks;
    return true;
}

void
TendermintCore::OnProposeTimeout()
{
    if (m_record.step == TendermintStep::PROPOSE)
    {
        Cast(TendermintVotes::PREVOTE, TendermintValue::NIL);
    }
}

void
TendermintCore::OnPrevoteTimeout()
{
    if (m_record.step == TendermintStep::PREVOTE)
    {
        Cast(TendermintVotes::PRECOMMIT, TendermintValue::NIL);
    }
}

} // namespace ns3
