// SPDX-License-Identifier: GPL-2.0-only

#ifndef TENDERMINT_CORE_H
#define TENDERMINT_CORE_H

#include "tendermint-message-log.h"
#include "tendermint-storage.h"
#include "tendermint-types.h"

#include "ns3/ptr.h"

#include <cstdint>
#include <functional>
#include <set>
#include <vector>

namespace ns3
{

/**
 * @brief The parameters of a Tendermint replica; timeouts are in ticks.
 */
struct TendermintParameters
{
    uint32_t id{1};                         //!< Number of the replica, from 1
    uint32_t replicas{4};                   //!< Number of replicas, at most 63
    uint32_t proposeTicks{10};              //!< Timeout of a proposal, in round 0
    uint32_t prevoteTicks{5};               //!< Timeout of a quorum of prevotes, in round 0
    uint32_t precommitTicks{5};             //!< Timeout of a quorum of precommits, in round 0
    uint32_t commitTicks{5};                //!< Pause between a decision and the next height
    uint32_t deltaTicks{1};                 //!< Growth of the first three per round
    uint32_t gossipTicks{5};                //!< Ticks without a step before gossip
    uint32_t mostDecisions{32};             //!< Maximum number of decisions in a message
    int32_t gossipRounds{10};               //!< Rounds of a height after which a replica gossips
    TendermintBug bug{TendermintBug::NONE}; //!< Seeded bug
};

/**
 * @brief The reported acts of a Tendermint replica.
 */
struct TendermintAct
{
    /// The act.
    enum Kind : uint8_t
    {
        PROPOSES = 1,
        PREVOTES = 2,
        PRECOMMITS = 3,
        DECIDES = 4,
    };

    Kind kind{PROPOSES}; //!< The act
    uint32_t height{0};  //!< Height of the act
    int32_t round{0};    //!< Round of the act
    uint32_t value{0};   //!< Value of the act
};

/**
 * @brief Tendermint without a network and without a clock: the reaction of a replica to a tick, a
 * request or a message (Buchman, Kwon, Milosevic 2018, algorithm 1; comments name its lines).
 *
 * Its own state is volatile; the state that survives a crash is in its TendermintStorage, from
 * which it begins: proposals and votes are stored before they are sent.
 *
 * The algorithm requires that all messages which a correct replica has sent or received eventually
 * reach all others. Therefore a replica without a step for some ticks sends the others its state at
 * its height, and replicas at later heights send it decisions. So does a replica that has failed to
 * decide for some rounds, because their steps may leave no such ticks.
 *
 * A Byzantine replica contradicts itself: it sends replicas with odd numbers proposals of and votes
 * for the lowest request that it knows, and replicas with even numbers the same for the empty
 * block.
 */
class TendermintCore
{
  public:
    /// Takes a message to send.
    using Sender = std::function<void(const TendermintMessage&)>;
    /// Called with the replica's acts.
    using Witness = std::function<void(const TendermintAct&)>;

    /**
     * Begin as at the start of the process.
     *
     * @param parameters Parameters of the replica.
     * @param storage Storage of the replica.
     * @param send Sends messages.
     * @param tell Called with each act.
     */
    TendermintCore(TendermintParameters parameters,
                   Ptr<TendermintStorage> storage,
                   Sender send,
                   Witness tell);

    void Tick(); //!< Advance the clock by one unit

    /// Act as a Byzantine replica from now on
    void BecomeByzantine()
    {
        m_byzantine = true;
    }

    /**
     * Receive a request of a client, to propose it as the proposer.
     *
     * @param request Number of the request, from 1.
     */
    void Submit(uint32_t request);

    /**
     * React to a message. A message for another replica is ignored.
     *
     * @param message The message.
     */
    void Receive(const TendermintMessage& message);

    /// @return the current height
    uint32_t GetHeight() const
    {
        return m_storage->GetHeight();
    }

    /// @return the state at the current height
    const TendermintRecord& GetRecord() const
    {
        return m_record;
    }

    /// @return messages received at this height
    const TendermintMessageLog& GetMessageLog() const
    {
        return m_messages;
    }

    /**
     * @param round A round of the current height.
     * @return the number of its proposer
     */
    uint32_t GetProposer(int32_t round) const;

    std::vector<int64_t> GetInternals() const; //!< @return the other state variables

    /**
     * @param height A height.
     * @param round A round of it.
     * @param replicas Number of replicas.
     * @return the number of its proposer: replicas take turns
     */
    static uint32_t GetProposer(uint32_t height, int32_t round, uint32_t replicas)
    {
        return (height + round - 1) % replicas + 1;
    }

  private:
    /// Timeouts of the current round; 0: not running.
    struct Timers
    {
        uint32_t commit{0};    //!< Pause after a decision
        uint32_t propose{0};   //!< Timeout of a proposal
        uint32_t prevote{0};   //!< Timeout of prevotes
        uint32_t precommit{0}; //!< Timeout of precommits
    };

    /**
     * @param bug A seeded bug.
     * @return whether the replica has the bug
     */
    bool Has(TendermintBug bug) const
    {
        return m_parameters.bug == bug;
    }

    /**
     * @param type Type of the votes.
     * @param round The round.
     * @param value Value of the votes.
     * @return whether they are a quorum
     */
    bool HasQuorum(TendermintVotes::Type type, int32_t round, uint32_t value) const
    {
        return IsQuorum(Has(TendermintBug::MIXES_ROUNDS)
                            ? m_messages.FindVotersOfAllRounds(type, value)
                            : m_messages.FindVoters(type, round, value));
    }

    void StartRound(int32_t round);      //!< @param round the new round (lines 11 to 21)
    void Propose();                      //!< Propose as the proposer (lines 15 to 19)
    void EnterStep(TendermintStep step); //!< @param step the next step
    void Evaluate();                     //!< Apply all rules that the message log enables

    // Each function applies its rule, if the message log enables it, and returns whether it did.
    bool TryDecide();          //!< Lines 49 to 54 @return whether applied
    bool TrySkipRounds();      //!< Lines 55 and 56 @return whether applied
    bool TryPrevote();         //!< Lines 22 to 33 @return whether applied
    bool TryAwaitPrevotes();   //!< Lines 34 and 35 @return whether applied
    bool TryLock();            //!< Lines 36 to 43 @return whether applied
    bool TryPrecommitNil();    //!< Lines 44 to 46 @return whether applied
    bool TryAwaitPrecommits(); //!< Lines 47 and 48 @return whether applied
    void OnProposeTimeout();   //!< Lines 57 to 60
    void OnPrevoteTimeout();   //!< Lines 61 to 64

    /// Lines 65 to 67
    void OnPrecommitTimeout()
    {
        StartRound(m_record.round + 1);
    }

    /**
     * @param timer A timeout.
     * @return whether the timeout has just expired
     */
    static bool RunsOut(uint32_t& timer)
    {
        return timer > 0 && --timer == 0;
    }

    /**
     * Vote in the current round, and await the votes of others.
     *
     * @param type Type of the vote.
     * @param value Value of the vote.
     */
    void Cast(TendermintVotes::Type type, uint32_t value);

    /**
     * Store a decision, and pause before the next height.
     *
     * @param decision Decision of the current height.
     */
    void Decide(const TendermintDecision& decision);

    /**
     * Send a message to all others; a Byzantine replica changes some.
     *
     * @param message The message, without sender and receiver.
     */
    void Broadcast(TendermintMessage message);

    /**
     * @param to Number of a replica.
     * @param value The proposed value, or the value of the vote.
     * @return the value that a Byzantine replica sends to this replica instead
     */
    uint32_t Twist(uint32_t to, uint32_t value) const;

    void TakeIn(const TendermintMessage& message); //!< @param message at the current height
    void Gossip();                                 //!< Send known messages to all replicas

    /**
     * Accept proved decisions.
     *
     * @param message Message with the decisions.
     */
    void CatchUp(const TendermintMessage& message);

    /**
     * Send decisions to a replica.
     *
     * @param to Number of a replica that is behind.
     * @param height First height to send.
     */
    void SendDecisions(uint32_t to, uint32_t height);

    /// @return its own proposal (getValue)
    uint32_t GetOwnValue() const
    {
        return m_requests.empty() ? TendermintValue::EMPTY
                                  : TendermintValue::Of(*m_requests.begin());
    }

    /**
     * @param value The proposal.
     * @return whether it may be decided: no earlier decision has the request (valid)
     */
    bool IsValid(uint32_t value) const
    {
        return value == TendermintValue::EMPTY ||
               (value > TendermintValue::EMPTY && !m_storage->HasDecided(value));
    }

    /**
     * @param voters Bit i is replica i.
     * @return whether they are more than two thirds of all
     */
    bool IsQuorum(uint64_t voters) const;

    TendermintParameters m_parameters; //!< Parameters of the replica
    Ptr<TendermintStorage> m_storage;  //!< The state that survives a crash
    Sender m_send;                     //!< Sends messages
    Witness m_tell;                    //!< Called with each act
    TendermintRecord m_record;         //!< Stored state of the current height
    TendermintMessageLog m_messages;   //!< Messages received at this height
    std::set<uint32_t> m_requests;     //!< Requests of clients, undecided
    Timers m_timers;                   //!< Timers of this round
    bool m_awaitsPrevotes{false};      //!< Whether line 34 was reached in this round
    bool m_locks{false};               //!< Whether line 36 was reached in this round
    bool m_awaitsPrecommits{false};    //!< Whether line 47 was reached in this round
    uint32_t m_quietTicks{0};          //!< Ticks since the last step
    bool m_byzantine{false};           //!< Whether the replica is Byzantine
    int64_t m_turns{0};                //!< Entered rounds, for the seeded bug
};

} // namespace ns3

#endif // TENDERMINT_CORE_H
