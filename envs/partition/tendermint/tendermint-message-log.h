// SPDX-License-Identifier: GPL-2.0-only

#ifndef TENDERMINT_MESSAGE_LOG_H
#define TENDERMINT_MESSAGE_LOG_H

#include "tendermint-types.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <vector>

namespace ns3
{

/**
 * @brief The messages that a Tendermint replica has received or sent at a height: the message log
 * of algorithm 1.
 */
class TendermintMessageLog
{
  public:
    /**
     * @param proposal The proposals; a second proposal of a round is kept, too.
     */
    void Add(const TendermintProposal& proposal)
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

    /**
     * @param votes The votes.
     */
    void Add(const TendermintVotes& votes)
    {
        m_votes[{votes.type, votes.round, votes.value}] |= votes.signers;
    }

    /**
     * @param round A round.
     * @return its proposals, in the order of arrival
     */
    std::vector<TendermintProposal> FindProposals(int32_t round) const
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

    /**
     * @param type Type of the votes.
     * @param round The round.
     * @param value Value of the votes.
     * @return the voters: bit i is replica i
     */
    uint64_t FindVoters(TendermintVotes::Type type, int32_t round, uint32_t value) const
    {
        const auto found = m_votes.find({type, round, value});
        return found == m_votes.end() ? 0 : found->second;
    }

    /**
     * @param type Type of the votes.
     * @param round The round.
     * @return the voters for any value: bit i is replica i
     */
    uint64_t FindVoters(TendermintVotes::Type type, int32_t round) const
    {
        uint64_t voters = 0;
        const auto end = m_votes.upper_bound({type, round, std::numeric_limits<uint32_t>::max()});
        for (auto votes = m_votes.lower_bound({type, round, 0}); votes != end; ++votes)
        {
            voters |= votes->second;
        }
        return voters;
    }

    /**
     * @param type Type of the votes.
     * @param value Value of the votes.
     * @return the voters in any round: bit i is replica i
     */
    uint64_t FindVotersOfAllRounds(TendermintVotes::Type type, uint32_t value) const
    {
        uint64_t voters = 0;
        for (const auto& [key, signers] : m_votes)
        {
            const auto& [kind, round, voted] = key;
            voters |= kind == type && voted == value ? signers : 0;
        }
        return voters;
    }

    /**
     * @return rounds with a proposal or a vote, in ascending order
     */
    std::vector<int32_t> GetRounds() const
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

    /**
     * @return all proposals, by round
     */
    const std::vector<TendermintProposal>& GetProposals() const
    {
        return m_proposals;
    }

    /**
     * @return all votes, by type, round and value
     */
    std::vector<TendermintVotes> GetVotes() const
    {
        std::vector<TendermintVotes> votes;
        for (const auto& [key, signers] : m_votes)
        {
            const auto& [type, round, value] = key;
            votes.push_back({.type = type, .round = round, .value = value, .signers = signers});
        }
        return votes;
    }

  private:
    /// Type, round and value of votes.
    using Key = std::tuple<TendermintVotes::Type, int32_t, uint32_t>;

    std::vector<TendermintProposal> m_proposals; //!< Proposals by round, then by arrival
    std::map<Key, uint64_t> m_votes;             //!< The voters
};

} // namespace ns3

#endif // TENDERMINT_MESSAGE_LOG_H
