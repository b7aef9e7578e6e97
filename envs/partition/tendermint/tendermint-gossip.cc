// SPDX-License-Identifier: GPL-2.0-only

// The messages between Tendermint replicas, and the contradictions of Byzantine ones.

#include "tendermint-core.h"

#include <algorithm>

namespace ns3
{

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
