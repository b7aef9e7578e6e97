// SPDX-License-Identifier: GPL-2.0-only

#ifndef RAFT_GROUP_H
#define RAFT_GROUP_H

#include "core-group.h"
#include "raft-core.h"
#include "raft-replica.h"
#include "replica-protocol.h"

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup defiance-tests
 * @brief Raft replicas without a network: a test determines each message's arrival.
 */
class RaftGroup : public CoreGroup<RaftCore, RaftStorage, RaftMessage>
{
  public:
    /**
     * @param replicas Number of replicas.
     * @param noOp Whether leaders begin with an empty entry.
     * @param compaction Committed entries that a snapshot replaces; 0: never.
     * @param bug Bug of all replicas.
     */
    RaftGroup(uint32_t replicas, bool noOp, uint32_t compaction = 0, RaftBug bug = RaftBug::NONE)
        : CoreGroup(replicas),
          m_noOp(noOp),
          m_bug(bug),
          m_compaction(compaction)
    {
        for (uint32_t id = 1; id <= replicas; id++)
        {
            Start(id);
        }
    }

    /// @param id number of a replica that crashes and restarts from its disk
    void Start(uint32_t id)
    {
        const RaftParameters parameters{.electionTicks = 10,
                                        .heartbeatTicks = 1,
                                        .noOp = m_noOp,
                                        .mostEntries = 2,
                                        .compaction = m_compaction,
                                        .bug = m_bug};
        ledTerms.erase(id);
        Begin(id, parameters, [this, id](uint32_t term) {
            ledTerms[id] = term;
            events.push_back({id, RaftReplica::BECAME_LEADER, term, 0, 0});
        });
    }

    /// @param id number of a replica whose election timeout passes
    void TimeOut(uint32_t id)
    {
        const auto term = (*this)[id].GetTerm();
        while ((*this)[id].GetTerm() == term)
        {
            (*this)[id].Tick();
        }
    }

    /**
     * Let two replicas exchange messages until none is left.
     *
     * @param one Number of a replica.
     * @param other Number of another replica.
     */
    void Exchange(uint32_t one, uint32_t other)
    {
        while (Deliver(one, other) || Deliver(other, one))
        {
        }
    }

    /**
     * Elect a leader by the votes of some; other messages are lost.
     *
     * @param id Its number.
     * @param voters Numbers of the voters.
     */
    void Elect(uint32_t id, const std::vector<uint32_t>& voters)
    {
        TimeOut(id);
        for (const auto voter : voters)
        {
            Deliver(id, voter);
            Deliver(voter, id);
        }
    }

    /**
     * Let a replica be elected, in as many elections as it needs to reach a term in which votes are
     * free.
     *
     * @param id Its number.
     * @param voters Numbers of the voters.
     * @return whether it leads; all messages are lost then
     */
    bool Win(uint32_t id, const std::vector<uint32_t>& voters)
    {
        Start(id);
        for (int i = 0; i < 4 && (*this)[id].GetRole() != RaftRole::LEADER; i++)
        {
            messages.clear();
            Elect(id, voters);
        }
        messages.clear();
        return (*this)[id].GetRole() == RaftRole::LEADER;
    }

    /**
     * @return all replicas, with their events since the last call
     */
    ReplicaGroup Look(const std::set<uint32_t>& /* liars */ = {})
    {
        ReplicaGroup group{.states = {}, .events = std::exchange(events, {})};
        for (uint32_t id = 1; id <= m_cores.size(); id++)
        {
            const auto& core = (*this)[id];
            ReplicaState state;
            state.values = {static_cast<int64_t>(core.GetRole()),
                            core.GetTerm(),
                            core.GetVote(),
                            core.GetLeader(),
                            core.GetCommit(),
                            GetStorage(id).GetLastIndex(),
                            0};
            state.log = GetStorage(id).GetLog();
            group.states.push_back(state);
        }
        return group;
    }

    std::map<uint32_t, uint32_t> ledTerms; //!< Last term that each led since its start

  private:
    bool m_noOp;           //!< Leaders begin with an entry
    RaftBug m_bug;         //!< Bug of all replicas
    uint32_t m_compaction; //!< Entries that a snapshot replaces
};

} // namespace ns3

#endif // RAFT_GROUP_H
