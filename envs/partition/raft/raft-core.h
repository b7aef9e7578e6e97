// SPDX-License-Identifier: GPL-2.0-only

#ifndef RAFT_CORE_H
#define RAFT_CORE_H

#include "raft-bug.h"
#include "raft-storage.h"
#include "raft-types.h"

#include "ns3/ptr.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace ns3
{

/**
 * @brief How a Raft replica is set up.
 */
struct RaftParameters
{
    uint32_t id{1};             //!< Its number, from 1 on
    uint32_t replicas{3};       //!< How many there are, at most 63
    uint32_t electionTicks{16}; //!< An election timeout has so many ticks, or up to twice as many
    uint32_t heartbeatTicks{4}; //!< Ticks between two heartbeats of a leader
    bool noOp{true};            //!< A leader begins its term with its own entry
    uint32_t mostEntries{64};   //!< In one message
    uint32_t compaction{0};     //!< Committed entries that a snapshot replaces at once; 0: never
    uint64_t seed{0};           //!< Of election timeouts
    RaftBug bug{RaftBug::NONE}; //!< Mistake that it makes

    bool operator==(const RaftParameters&) const = default;
};

/**
 * @brief Raft without a network and without a clock: the reaction of a replica to a tick, a
 * request or a message (Ongaro 2014, chapter 3).
 *
 * Its own state is volatile; the state that must survive a crash is in its RaftStorage, which it
 * begins from.
 *
 * An election timeout is drawn anew for each term, as a function of seed, replica and term, so that
 * what a replica does follows from its state, and no random numbers have to be kept beside it.
 */
class RaftCore
{
  public:
    /// Takes a message that is to be sent.
    using Sender = std::function<void(const RaftMessage&)>;

    /**
     * Begin, as after a start of the process.
     *
     * @param parameters How.
     * @param storage Its storage.
     * @param send Sends its messages.
     * @param lead Called with each term in which it becomes leader.
     */
    RaftCore(RaftParameters parameters,
             Ptr<RaftStorage> storage,
             Sender send,
             std::function<void(uint32_t)> lead);

    void Tick(); //!< Let one unit of its clock pass

    /**
     * Take a request of a client. The leader appends it to its log; others do nothing.
     *
     * @param request Number of the request, from 1 on.
     * @return whether it is the leader
     */
    bool Submit(uint32_t request);

    /**
     * React to a message. One that is for another replica is ignored.
     *
     * @param message The message.
     */
    void Receive(const RaftMessage& message);

    RaftRole GetRole() const;                  //!< @return what it is
    uint32_t GetTerm() const;                  //!< @return its current term
    uint32_t GetVote() const;                  //!< @return who got its vote in it, or 0
    uint32_t GetLeader() const;                //!< @return the leader that it knows, or 0
    uint32_t GetCommit() const;                //!< @return index of the last committed entry
    uint32_t GetElectionTimeout() const;       //!< @return ticks without a leader in this term
    std::vector<int64_t> GetInternals() const; //!< @return what else decides what it does

  private:
    /**
     * @param bug A mistake.
     * @return whether it makes it
     */
    bool Has(RaftBug bug) const
    {
        return m_parameters.bug == bug;
    }

    void Campaign();     //!< Begin an election
    void BecomeLeader(); //!< Its election is won

    /**
     * Follow in a term.
     *
     * @param term The term; if it is a new one, the vote in it is not given yet.
     */
    void Follow(uint32_t term);

    /**
     * Heed the leader of the current term, or tell one of an earlier term that it is none.
     *
     * @param message The message of a leader.
     * @return whether it is of the current term
     */
    bool Heed(const RaftMessage& message);

    void OnRequestVote(const RaftMessage& message);   //!< @param message what arrived
    void OnVote(const RaftMessage& message);          //!< @param message what arrived
    void OnAppendEntries(const RaftMessage& message); //!< @param message what arrived
    void OnAppendResult(const RaftMessage& message);  //!< @param message what arrived
    void OnSnapshot(const RaftMessage& message);      //!< @param message what arrived

    /**
     * Make the log what the leader says it is, from an entry on that matches.
     *
     * @param message Has the entries.
     */
    void Merge(const RaftMessage& message);

    /**
     * Append to the own log, as leader, and tell the others.
     *
     * @param request Number of the request, or 0.
     */
    void Append(uint32_t request);

    /// Commit what a majority has, if the last of it is of the current term (Ongaro 2014, 3.6.2).
    void AdvanceCommit();

    void Compact();          //!< Replace committed entries by a snapshot, if there are enough
    void SendEntriesToAll(); //!< Send everybody what is missing there, or a heartbeat

    /**
     * Send what is missing, or a heartbeat.
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
    bool IsMajority(uint32_t count) const;

    RaftParameters m_parameters;          //!< How it is set up
    Ptr<RaftStorage> m_storage;           //!< Term, vote and log
    Sender m_send;                        //!< Sends messages
    std::function<void(uint32_t)> m_lead; //!< Called with terms that it leads
    RaftRole m_role{RaftRole::FOLLOWER};  //!< Its role
    uint32_t m_leader{0};                 //!< The leader, as far as it knows
    uint32_t m_commit{0};                 //!< Index of the last committed entry
    uint32_t m_compactable{0};            //!< The committed index at the last tick
    uint32_t m_elapsed{0};         //!< Ticks since a message of a leader, or its own heartbeats
    uint64_t m_votes{0};           //!< The replicas that voted for it, a bit each
    std::vector<uint32_t> m_next;  //!< As leader, for each replica: the next entry to send
    std::vector<uint32_t> m_match; //!< As leader, for each replica: the last entry that is there
};

} // namespace ns3

#endif // RAFT_CORE_H
