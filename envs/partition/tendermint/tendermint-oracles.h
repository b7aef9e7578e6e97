// SPDX-License-Identifier: GPL-2.0-only

#ifndef TENDERMINT_ORACLES_H
#define TENDERMINT_ORACLES_H

#include "replica-state.h"
#include "violation-log.h"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3
{

struct ReplicaGroup;

/**
 * @brief Checks Tendermint's guarantees in the states and acts of all replicas at each instant. The
 * acts of Byzantine replicas are ignored.
 *
 * | property | holds if |
 * |---|---|
 * | agreement | no two replicas decide different values at one height |
 * | validity | only requests of clients are decided, each at one height |
 * | reduced_log | no replica forgets a decision |
 * | double_vote | no replica votes for two values in one round, in prevotes or in precommits |
 * | unproved_precommit | no replica precommits a value without a quorum of prevotes in the round |
 * | broken_lock | no replica prevotes another value than it precommitted without a newer quorum |
 * | proposer_agreement | all replicas agree on the proposer of a round |
 *
 * (Buchman, Kwon, Milosevic 2018, section 2.2, and rules of its replicas: lines 36 to 43, 22
 * to 33.) Byzantine replicas may have voted for anything.
 */
class TendermintOracles
{
  public:
    /**
     * Check an instant.
     *
     * @param group All replicas.
     * @return new violations: the property, a colon, and the replicas and values
     */
    std::vector<std::string> Check(const ReplicaGroup& group);

  private:
    /// Type, height, round and voter of a vote.
    using Vote = std::tuple<int64_t, int64_t, int64_t, uint32_t>;
    using Round = std::pair<int64_t, int64_t>; //!< Height and round

    /**
     * @param id Number of a replica.
     * @param group All replicas.
     */
    void CheckDecisions(uint32_t id, const ReplicaGroup& group);

    void CheckVote(const ReplicaEvent& event); //!< @param event act of a replica

    /**
     * Check that a vote has the votes of others that it needs.
     *
     * @param vote A vote for a value.
     * @param group All replicas.
     */
    void CheckReason(const ReplicaEvent& vote, const ReplicaGroup& group);

    /**
     * @param vote A vote.
     * @param round A round of its height.
     * @param group All replicas.
     * @return whether a quorum may have prevoted its value in the round
     */
    bool HasQuorum(const ReplicaEvent& vote, int64_t round, const ReplicaGroup& group) const;

    /**
     * @param id Number of a replica.
     * @param round A height and a round.
     * @param proposer Number of the proposer, according to the replica.
     */
    void CheckProposer(uint32_t id, const Round& round, uint32_t proposer);

    std::vector<ReplicaEntry> m_decided;       //!< The first decision at each height
    std::map<uint32_t, std::size_t> m_heights; //!< First position of each request
    std::vector<std::size_t> m_lengths;        //!< Number of decisions of each replica
    std::map<uint32_t, ReplicaEvent> m_locks;  //!< Last precommit of a value, by replica
    std::map<Vote, int64_t> m_votes;           //!< Value of each vote
    std::map<Round, std::pair<uint32_t, uint32_t>>
        m_proposers;           //!< The replica, and the first one to decide on it
    ViolationLog m_violations; //!< The findings
};

} // namespace ns3

#endif // TENDERMINT_ORACLES_H
