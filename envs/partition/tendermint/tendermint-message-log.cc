// SPDX-License-Identifier: GPL-2.0-only

#include "tendermint-message-log.h"

#include <algorithm>
#include <limits>
#include <set>

namespace ns3
{

void
TendermintMessageLog::Add(const TendermintProposal& proposal)
{
    if (std::find(m_proposals.begin(), m_proposals.end(), proposal) != m_proposals.end())
    {
        return;
    }
    const auto behind = std::upper_bound(
        m_proposals.begin(),
        m_proposals.end(),
        proposal,
        [](const auto& one, const auto& other) { return one.round < other.round; });
    m_proposals.insert(behind, proposal);
}

void
TendermintMessageLog::Add(const TendermintVotes& votes)
{
    m_votes[{votes.type, votes.round, votes.value}] |= votes.signers;
}

std::vector<TendermintProposal>
TendermintMessageLog::FindProposals(int32_t round) const
{
    std::vector<TendermintProposal> found;
    for (const auto& proposal : m_proposals)
    {
        if (proposal.round == round)
        {
            found.push_back(proposal);
        }
    }
    return found;
}

uint64_t
TendermintMessageLog::FindVoters(TendermintVotes::Type type, int32_t round, uint32_t value) const
{
    const auto found = m_votes.find({type, round, value});
    return found == m_votes.end() ? 0 : found->second;
}

uint64_t
TendermintMessageLog::FindVoters(TendermintVotes::Type type, int32_t round) const
{
    uint64_t voters = 0;
    const auto end = m_votes.upper_bound({type, round, std::numeric_limits<uint32_t>::max()});
    for (auto votes = m_votes.lower_bound({type, round, 0}); votes != end; ++votes)
    {
        voters |= votes->second;
    }
    return voters;
}

uint64_t
TendermintMessageLog::FindVotersOfAllRounds(TendermintVotes::Type type, uint32_t value) const
{
    uint64_t voters = 0;
    for (const auto& [key, signers] : m_votes)
    {
        const auto& [kind, round, voted] = key;
        voters |= kind == type && voted == value ? signers : 0;
    }
    return voters;
}

std::vector<int32_t>
TendermintMessageLog::GetRounds() const
{
    std::set<int32_t> rounds;
    for (const auto& proposal : m_proposals)
    {
        rounds.insert(proposal.round);
    }
    for (const auto& [key, signers] : m_votes)
    {
        rounds.insert(std::get<int32_t>(key));
    }
    return {rounds.begin(), rounds.end()};
}

std::vector<TendermintVotes>
TendermintMessageLog::GetVotes() const
{
    std::vector<TendermintVotes> votes;
    for (const auto& [key, signers] : m_votes)
    {
        const auto& [type, round, value] = key;
        votes.push_back({.type = type, .round = round, .value = value, .signers = signers});
    }
    return votes;
}

} // namespace ns3
