// SPDX-License-Identifier: GPL-2.0-only

#ifndef TENDERMINT_MESSAGE_LOG_H
#define TENDERMINT_MESSAGE_LOG_H

#include "tendermint-types.h"

#include <cstdint>
#include <map>
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
    void Add(const TendermintProposal& proposal);

    /**
     * @param votes The votes.
     */
    void Add(const TendermintVotes& votes);

    /**
     * @param round A round.
     * @return its proposals, in the order of arrival
     */
    std::vector<TendermintProposal> FindProposals(int32_t round) const;

    /**
     * @param type Type of the votes.
     * @param round The round.
     * @param value Value of the votes.
     * @return the voters: bit i is replica i
     */
    uint64_t FindVoters(TendermintVotes::Type type, int32_t round, uint32_t value) const;

    /**
     * @param type Type of the votes.
     * @param round The round.
     * @return the voters for any value: bit i is replica i
     */
    uint64_t FindVoters(TendermintVotes::Type type, int32_t round) const;

    /**
     * @param type Type of the votes.
     * @param value Value of the votes.
     * @return the voters in any round: bit i is replica i
     */
    uint64_t FindVotersOfAllRounds(TendermintVotes::Type type, uint32_t value) const;

    /**
     * @return rounds with a proposal or a vote, in ascending order
     */
    std::vector<int32_t> GetRounds() const;

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
    std::vector<TendermintVotes> GetVotes() const;

  private:
    /// Type, round and value of votes.
    using Key = std::tuple<TendermintVotes::Type, int32_t, uint32_t>;

    std::vector<TendermintProposal> m_proposals; //!< Proposals by round, then by arrival
    std::map<Key, uint64_t> m_votes;             //!< The voters
};

} // namespace ns3

#endif // TENDERMINT_MESSAGE_LOG_H
