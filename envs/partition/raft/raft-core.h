// SPDX-License-Identifier: GPL-2.0-only

#ifndef RAFT_CORE_H
#define RAFT_CORE_H

#include "raft-storage.h"
#include "raft-types.h"

#include "ns3/ptr.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace ns3
{

/**
 * @brief The parameters of a Raft replica.
 */
struct RaftParameters
{
    uint32_t id{1};             //!< Number of the replica, from 1
    uint32_t replicas{3};       //!< Number of replicas, at most 63
    uint32_t electionTicks{16}; //!< Shortest election timeout in ticks; at most twice that
    uint32_t heartbeatTicks{4}; //!< Ticks between two heartbeats of a leader
    bool noOp{true};            //!< Whether a leader begins its term with an entry
    uint32_t mostEntries{64};   //!< Maximum number of entries in a message
    uint32_t compaction{0};     //!< Committed entries per snapshot; 0: no snapshots
    uint64_t seed{0};           //!< Seed of election timeouts
    RaftBug bug{RaftBug::NONE}; //!< Seeded bug

    bool operator==(const RaftParameters&) const = default;
};

/**
 * @brief Raft without a network and without a clock: the reaction of a replica to a tick, a
 * request or a message (Ongaro 2014, chapter 3).
 *
 * Its own state is volatile; the state that survives a crash is in its RaftStorage, from which it
 * begins.
 *
 * The election timeout of each term is a function of seed, replica and term. So the replica's
 * behaviour follows from its state, without stored random numbers.
 */
class RaftCore
{
  public:
    /// Takes a message to send.
    using Sender = std::function<void(const RaftMessage&)>;

    /**
     * Begin as at the start of the process.
     *
     * @param parameters Parameters of the replica.
     * @param storage Storage of the replica.
     * @param send Sends messages.
     * @param lead Called with each term in which the replica becomes leader.
     */
    RaftCore(RaftParameters parameters,
             Ptr<RaftStorage> storage,
             Sender send,
             std::function<void(uint32_t)> lead);

    void Tick(); //!< Advance the clock by one unit

    /**
     * Receive a request of a client. The leader appends it to its log; others do nothing.
     *
     * @param request Number of the request, from 1.
     * @return whether the replica is the leader
     */
    bool Submit(uint32_t request);

    /**
     * React to a message. A message for another replica is ignored.
     *
     * @param message The message.
     */
    void Receive(const RaftMessage& message);

    /// @return the role
    RaftRole GetRole() const
    {
        return m_role;
    }

    /// @return the current term
    uint32_t GetTerm() const
    {
        return m_storage->GetTerm();
    }

    /// @return the candidate voted for, or 0
    uint32_t GetVote() const
    {
        return m_storage->GetVote();
    }

    /// @return the known leader, or 0
    uint32_t GetLeader() const
    {
        return m_leader;
    }

    /// @return index of the last committed entry
    uint32_t GetCommit() const
    {
        return m_commit;
    }

    uint32_t GetElectionTimeout() const;       //!< @return ticks without a leader in this term
    std::vector<int64_t> GetInternals() const; //!< @return the other state variables

  private:
    /**
     * @param bug A seeded bug.
     * @return whether the replica has the bug
     */
    bool Has(RaftBug bug) const
    {
        return m_parameters.bug == bug;
    }

    void Campaign();     //!< Begin an election
    void BecomeLeader(); //!< Become leader after the election

    /**
     * Become a follower in a term.
     *
     * @param term The term; in a new term, the vote is not given yet.
     */
    void Follow(uint32_t term);

    /**
     * Follow the leader of the current term, or reject a leader of an earlier term.
     *
     * @param message The message of a leader.
     * @return whether the message is of the current term
     */
    bool FollowLeader(const RaftMessage& message);

    void OnRequestVote(const RaftMessage& message);   //!< @param message received message
    void OnVote(const RaftMessage& message);          //!< @param message received message
    void OnAppendEntries(const RaftMessage& message); //!< @param message received message
    void OnAppendResult(const RaftMessage& message);  //!< @param message received message
    void OnSnapshot(const RaftMessage& message);      //!< @param message received message

    /**
     * Change the log to the leader's, from a matching entry on.
     *
     * @param message Message with the entries.
     */
    void Merge(const RaftMessage& message);

    /**
     * Append to the own log, as leader, and send the entry to the others.
     *
     * @param request Number of the request, or 0.
     */
    void Append(uint32_t request);

    /// Commit a majority's entries, if the last is of the current term (Ongaro 2014, 3.6.2).
    void AdvanceCommit();

    void Compact();          //!< Replace committed entries by a snapshot, if there are enough
    void SendEntriesToAll(); //!< Send all replicas their missing entries, or a heartbeat

    /**
     * Send missing entries, or a heartbeat.
     *
     * @param to Number of the replica.
     */
    void SendEntries(uint32_t to);

    /**
     * Send a message in the current term.
     *
     * @param message The message, without sender and term.
     */
    void Send(RaftMessage message);

    /**
     * @param count Number of replicas.
     * @return whether they are a majority
     */
    bool IsMajority(uint32_t count) const
    {
        return Has(RaftBug::NEEDS_LESS_THAN_MOST) ? count >= m_parameters.replicas / 2
                                                  : 2 * count > m_parameters.replicas;
    }

    RaftParameters m_parameters;          //!< Parameters of the replica
    Ptr<RaftStorage> m_storage;           //!< Term, vote and log
    Sender m_send;                        //!< Sends messages
    std::function<void(uint32_t)> m_lead; //!< Called with each led term
    RaftRole m_role{RaftRole::FOLLOWER};  //!< Role of the replica
    uint32_t m_leader{0};                 //!< The known leader, or 0
    uint32_t m_commit{0};                 //!< Index of the last committed entry
    uint32_t m_compactable{0};            //!< The committed index at the last tick
    uint32_t m_elapsed{0};                //!< Ticks since a leader's message, or the own heartbeats
    uint64_t m_votes{0};                  //!< Received votes, one bit per replica
    std::vector<uint32_t> m_next;         //!< For a leader: the next entry to send to each replica
    std::vector<uint32_t> m_match;        //!< For a leader: the last entry stored at each replica
};

} // namespace ns3

#endif // RAFT_CORE_H
