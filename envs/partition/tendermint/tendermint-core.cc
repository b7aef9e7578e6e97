// SPDX-License-Identifier: GPL-2.0-only

#include "tendermint-core.h"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

namespace ns3
{

TendermintCore::TendermintCore(TendermintParameters parameters,
                               Ptr<TendermintStorage> storage,
                               Sender send,
                               Witness tell)
    : m_parameters(parameters),
      m_storage(storage),
      m_send(std::move(send)),
      m_tell(std::move(tell)),
      m_record(storage->GetRecord())
{
    if (Has(TendermintBug::FORGETS_VOTES))
    {
        m_record.votes.clear();
        m_record.step = std::min(m_record.step, TendermintStep::PROPOSE);
    }
    for (const auto& proposal : m_record.proposals)
    {
        m_messages.Add(proposal);
    }
    for (const auto& votes : m_record.votes)
    {
        m_messages.Add(votes);
    }
    if (m_record.step == TendermintStep::NEW_HEIGHT)
    {
        m_timers.commit = m_parameters.commitTicks;
    }
    else if (m_record.step == TendermintStep::PROPOSE)
    {
        m_timers.propose = m_parameters.proposeTicks + m_record.round * m_parameters.deltaTicks;
    }
}

void
TendermintCore::Tick()
{
    const bool pauses = RunsOut(m_timers.commit);
    const bool lacksProposal = RunsOut(m_timers.propose);
    const bool lacksPrevotes = RunsOut(m_timers.prevote);
    const bool lacksPrecommits = RunsOut(m_timers.precommit);
    if (pauses)
    {
        StartRound(0);
    }
    if (lacksProposal)
    {
        OnProposeTimeout();
    }
    if (lacksPrevotes)
    {
        OnPrevoteTimeout();
    }
    if (lacksPrecommits)
    {
        OnPrecommitTimeout();
    }
    Evaluate();
    m_quietTicks++;
    if (m_record.step != TendermintStep::NEW_HEIGHT && m_quietTicks >= m_parameters.gossipTicks)
    {
        Gossip();
    }
}

void
TendermintCore::Submit(uint32_t request)
{
    if (IsValid(TendermintValue::Of(request)))
    {
        m_requests.insert(request);
    }
}

void
TendermintCore::Receive(const TendermintMessage& message)
{
    const bool known = message.from >= 1 && message.from <= m_parameters.replicas;
    if (message.to != m_parameters.id || !known || message.from == m_parameters.id)
    {
        return;
    }
    if (message.type == TendermintMessage::DECISIONS)
    {
        CatchUp(message);
        Evaluate();
    }
    else if (message.height == GetHeight())
    {
        TakeIn(message);
        Evaluate();
    }
    else if (message.height < GetHeight() && message.type == TendermintMessage::GOSSIP)
    {
        SendDecisions(message.from, message.height);
    }
}

void
TendermintCore::TakeIn(const TendermintMessage& message)
{
    const bool isGossip = message.type == TendermintMessage::GOSSIP;
    for (const auto& proposal : message.proposals)
    {
        if (isGossip || message.from == GetProposer(proposal.round))
        {
            m_messages.Add(proposal);
        }
    }
    for (const auto& votes : message.votes)
    {
        if (isGossip || votes.signers == uint64_t{1} << message.from)
        {
            m_messages.Add(votes);
        }
    }
}

void
TendermintCore::StartRound(int32_t round)
{
    const auto turn = round / m_parameters.gossipRounds;
    const bool gossips = turn > m_record.round / m_parameters.gossipRounds;
    m_record.round = round;
    m_turns += Has(TendermintBug::COUNTS_OWN_TURNS);
    if (Has(TendermintBug::LOSES_LOCK))
    {
        m_record.lockedValue = TendermintValue::NIL;
        m_record.lockedRound = -1;
    }
    m_timers = {};
    m_awaitsPrevotes = false;
    m_locks = false;
    m_awaitsPrecommits = false;
    EnterStep(TendermintStep::PROPOSE);
    if (GetProposer(round) == m_parameters.id)
    {
        Propose();
    }
    else
    {
        m_timers.propose = m_parameters.proposeTicks + round * m_parameters.deltaTicks;
    }
    if (gossips)
    {
        Gossip();
    }
}

void
TendermintCore::Propose()
{
    const bool hasValid = m_record.validValue != TendermintValue::NIL;
    const TendermintProposal proposal{.round = m_record.round,
                                      .value = hasValid ? m_record.validValue : GetOwnValue(),
                                      .validRound = m_record.validRound};
    m_record.proposals.push_back(proposal);
    m_storage->Save(m_record);
    m_messages.Add(proposal);
    m_tell({TendermintAct::PROPOSES, GetHeight(), proposal.round, proposal.value});
    Broadcast({.type = TendermintMessage::PROPOSAL,
               .proposals = {proposal},
               .votes = {},
               .decisions = {}});
}

void
TendermintCore::Cast(TendermintVotes::Type type, uint32_t value)
{
    const bool isPrevote = type == TendermintVotes::PREVOTE;
    const TendermintVotes vote{.type = type,
                               .round = m_record.round,
                               .value = value,
                               .signers = uint64_t{1} << m_parameters.id};
    m_record.votes.push_back(vote);
    EnterStep(isPrevote ? TendermintStep::PREVOTE : TendermintStep::PRECOMMIT);
    m_messages.Add(vote);
    m_tell({isPrevote ? TendermintAct::PREVOTES : TendermintAct::PRECOMMITS,
            GetHeight(),
            vote.round,
            value});
    Broadcast({.type = TendermintMessage::VOTE, .proposals = {}, .votes = {vote}, .decisions = {}});
}

void
TendermintCore::EnterStep(TendermintStep step)
{
    m_record.step = step;
    m_storage->Save(m_record);
    m_quietTicks = 0;
}

void
TendermintCore::Decide(const TendermintDecision& decision)
{
    m_tell({TendermintAct::DECIDES, GetHeight(), decision.round, decision.value});
    m_storage->Decide(decision);
    m_requests.erase(decision.value - TendermintValue::EMPTY);
    const auto locked = std::pair(m_record.lockedValue, m_record.lockedRound);
    m_record = {};
    if (Has(TendermintBug::KEEPS_LOCK))
    {
        std::tie(m_record.lockedValue, m_record.lockedRound) = locked;
    }
    m_messages = {};
    m_timers = {.commit = m_parameters.commitTicks};
    m_awaitsPrevotes = false;
    m_locks = false;
    m_awaitsPrecommits = false;
    m_quietTicks = 0;
}

bool
TendermintCore::IsQuorum(uint64_t voters) const
{
    const uint32_t count = std::popcount(voters);
    return Has(TendermintBug::NEEDS_HALF) ? 2 * count > m_parameters.replicas
                                          : 3 * count > 2 * m_parameters.replicas;
}

uint32_t
TendermintCore::GetProposer(int32_t round) const
{
    if (Has(TendermintBug::COUNTS_OWN_TURNS))
    {
        const auto turn = m_turns + (m_record.step == TendermintStep::NEW_HEIGHT);
        return GetProposer(std::max<int64_t>(turn + round - m_record.round, 1),
                           0,
                           m_parameters.replicas);
    }
    return GetProposer(GetHeight(), round, m_parameters.replicas);
}

std::vector<int64_t>
TendermintCore::GetInternals() const
{
    std::vector<int64_t> internals{m_timers.commit,
                                   m_timers.propose,
                                   m_timers.prevote,
                                   m_timers.precommit,
                                   m_awaitsPrevotes,
                                   m_locks,
                                   m_awaitsPrecommits,
                                   m_quietTicks,
                                   m_turns};
    const auto add = [&internals](const auto&... numbers) {
        (internals.push_back(static_cast<int64_t>(numbers)), ...);
    };
    add(m_requests.size());
    internals.insert(internals.end(), m_requests.begin(), m_requests.end());
    add(m_messages.GetProposals().size());
    for (const auto& [round, value, validRound] : m_messages.GetProposals())
    {
        add(round, value, validRound);
    }
    for (const auto& [type, round, value, signers] : m_messages.GetVotes())
    {
        add(type, round, value, signers);
    }
    return internals;
}

void
TendermintCore::Broadcast(TendermintMessage message)
{
    message.from = m_parameters.id;
    message.height = GetHeight();
    for (uint32_t to = 1; to <= m_parameters.replicas; to++)
    {
        if (to == m_parameters.id)
        {
            continue;
        }
        auto copy = message;
        copy.to = to;
        if (m_byzantine && message.type != TendermintMessage::GOSSIP)
        {
            for (auto& proposal : copy.proposals)
            {
                proposal.value = Twist(to, proposal.value);
                proposal.validRound = -1;
            }
            for (auto& votes : copy.votes)
            {
                votes.value = Twist(to, votes.value);
            }
        }
        m_send(copy);
    }
}

uint32_t
TendermintCore::Twist(uint32_t to, uint32_t value) const
{
    const auto request = m_requests.empty() ? value : GetOwnValue();
    if (request <= TendermintValue::EMPTY)
    {
        return value; // the replica does not know two values
    }
    return to % 2 == 1 ? request : TendermintValue::EMPTY;
}

void
TendermintCore::Gossip()
{
    m_quietTicks = 0;
    Broadcast({.type = TendermintMessage::GOSSIP,
               .proposals = m_messages.GetProposals(),
               .votes = m_messages.GetVotes(),
               .decisions = {}});
}

void
TendermintCore::SendDecisions(uint32_t to, uint32_t height)
{
    const auto& decisions = m_storage->GetDecisions();
    const auto first = std::min<std::size_t>(height - 1, decisions.size());
    const auto count = std::min<std::size_t>(decisions.size() - first, m_parameters.mostDecisions);
    m_send({.type = TendermintMessage::DECISIONS,
            .from = m_parameters.id,
            .to = to,
            .height = height,
            .proposals = {},
            .votes = {},
            .decisions = {decisions.begin() + first, decisions.begin() + first + count}});
}

void
TendermintCore::CatchUp(const TendermintMessage& message)
{
    const auto before = GetHeight();
    uint32_t height = message.height;
    for (const auto& decision : message.decisions)
    {
        const bool isProved = IsQuorum(decision.signers) && IsValid(decision.value);
        if (height == GetHeight() && isProved)
        {
            Decide(decision);
        }
        height++;
    }
    if (GetHeight() > before && message.decisions.size() == m_parameters.mostDecisions)
    {
        Gossip(); // the sender has more
    }
}

} // namespace ns3
