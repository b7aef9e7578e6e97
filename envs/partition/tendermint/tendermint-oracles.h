// SPDX-License-Identifier: GPL-2.0-only

#ifndef TENDERMINT_ORACLES_H
#define TENDERMINT_ORACLES_H

#include "replica-protocol.h"
#include "replica-state.h"
#include "tendermint-core.h"
#include "tendermint-replica.h"
#include "violation-log.h"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3
{

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
    std::vector<std::string> Check(const ReplicaGroup& group)
    {
        m_lengths.resize(group.states.size());
        for (const auto& event : group.events)
        {
            if (group.states.at(event.replica - 1).byzantine)
            {
                continue;
            }
            if (event.kind == TendermintAct::PREVOTES || event.kind == TendermintAct::PRECOMMITS)
            {
                CheckVote(event);
            }
            else if (event.kind == TendermintAct::PROPOSES)
            {
                CheckProposer(event.replica, {event.height, event.round}, event.replica);
            }
        }
        for (const auto& event : group.events)
        {
            const bool isVote =
                event.kind == TendermintAct::PREVOTES || event.kind == TendermintAct::PRECOMMITS;
            if (isVote && event.value != TendermintValue::NIL &&
                !group.states[event.replica - 1].byzantine)
            {
                CheckReason(event, group);
            }
        }
        for (uint32_t id = 1; id <= group.states.size(); id++)
        {
            const auto& state = group.states[id - 1];
            if (!state.byzantine)
            {
                const auto& values = state.values;
                const Round round{values[TendermintReplica::HEIGHT],
                                  values[TendermintReplica::ROUND]};
                if (state.active)
                {
                    CheckProposer(id, round, values[TendermintReplica::PROPOSER]);
                }
                CheckDecisions(id, group);
            }
        }
        return m_violations.Take();
    }

  private:
    /// Type, height, round and voter of a vote.
    using Vote = std::tuple<int64_t, int64_t, int64_t, uint32_t>;
    using Round = std::pair<int64_t, int64_t>; //!< Height and round

    /**
     * @param id Number of a replica.
     * @param group All replicas.
     */
    void CheckDecisions(uint32_t id, const ReplicaGroup& group)
    {
        const auto& state = group.states[id - 1];
        auto& length = m_lengths[id - 1];
        if (state.log.size() < length)
        {
            m_violations.Note("reduced_log") << "replica " << id << " has " << state.log.size()
                                             << " decisions, and had " << length;
        }
        length = state.log.size();
        for (std::size_t height = group.CountKept(id - 1) + 1; height <= length; height++)
        {
            const auto request = state.log[height - 1].request;
            if (height > m_decided.size())
            {
                m_decided.push_back(state.log[height - 1]);
            }
            else if (request != m_decided[height - 1].request)
            {
                m_violations.Note("agreement")
                    << "replica " << id << " has decided request " << request << " at height "
                    << height << ", where request " << m_decided[height - 1].request
                    << " was decided";
            }
            if (request > group.requests)
            {
                m_violations.Note("validity")
                    << "replica " << id << " has decided request " << request << " at height "
                    << height << ", which no client has handed over";
            }
            const auto [first, isNew] = m_heights.emplace(request, height);
            if (request != 0 && first->second != height)
            {
                m_violations.Note("validity") << "request " << request << " was decided at heights "
                                              << first->second << " and " << height;
            }
        }
    }

    /// @param event act of a replica
    void CheckVote(const ReplicaEvent& event)
    {
        const auto& [replica, kind, height, round, value] = event;
        const auto [vote, isNew] = m_votes.emplace(Vote{kind, height, round, replica}, value);
        if (vote->second != value)
        {
            m_violations.Note("double_vote")
                << "replica " << replica
                << (kind == TendermintAct::PREVOTES ? " has prevoted " : " has precommitted ")
                << vote->second << " and " << value << " in round " << round << " of height "
                << height << " (0: nil, 1: the empty block, 1 + r: request r)";
        }
    }

    /**
     * Check that a vote has the votes of others that it needs.
     *
     * @param vote A vote for a value.
     * @param group All replicas.
     */
    void CheckReason(const ReplicaEvent& vote, const ReplicaGroup& group)
    {
        if (vote.kind == TendermintAct::PRECOMMITS)
        {
            m_locks[vote.replica] = vote;
            if (!HasQuorum(vote, vote.round, group))
            {
                m_violations.Note("unproved_precommit")
                    << "replica " << vote.replica << " has precommitted " << vote.value
                    << " in round " << vote.round << " of height " << vote.height
                    << ", in which no quorum has prevoted it";
            }
            return;
        }
        const auto lock = m_locks.find(vote.replica);
        if (lock == m_locks.end() || lock->second.height != vote.height ||
            lock->second.value == vote.value)
        {
            return;
        }
        for (auto round = lock->second.round; round < vote.round; round++)
        {
            if (HasQuorum(vote, round, group))
            {
                return;
            }
        }
        m_violations.Note("broken_lock")
            << "replica " << vote.replica << " has prevoted " << vote.value << " in round "
            << vote.round << " of height " << vote.height << ", has precommitted "
            << lock->second.value << " in round " << lock->second.round
            << ", and no quorum has prevoted " << vote.value << " since";
    }

    /**
     * @param vote A vote.
     * @param round A round of its height.
     * @param group All replicas.
     * @return whether a quorum may have prevoted its value in the round
     */
    bool HasQuorum(const ReplicaEvent& vote, int64_t round, const ReplicaGroup& group) const
    {
        std::size_t count = 0;
        for (uint32_t id = 1; id <= group.states.size(); id++)
        {
            const auto found = m_votes.find({TendermintAct::PREVOTES, vote.height, round, id});
            count += group.states[id - 1].byzantine ||
                     (found != m_votes.end() && found->second == vote.value);
        }
        return 3 * count > 2 * group.states.size();
    }

    /**
     * @param id Number of a replica.
     * @param round A height and a round.
     * @param proposer Number of the proposer, according to the replica.
     */
    void CheckProposer(uint32_t id, const Round& round, uint32_t proposer)
    {
        const auto [known, isNew] = m_proposers.emplace(round, std::pair(proposer, id));
        const auto& [other, teller] = known->second;
        if (other != proposer)
        {
            m_violations.Note("proposer_agreement")
                << "replica " << id << " holds replica " << proposer
                << " for the proposer of round " << round.second << " of height " << round.first
                << ", and replica " << teller << " holds replica " << other << " for it";
        }
    }

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
