// SPDX-License-Identifier: GPL-2.0-only

#ifndef TENDERMINT_CORE_H
#define TENDERMINT_CORE_H

#include "tendermint-bug.h"
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
 * @brief How a Tendermint replica is set up; timeouts are in ticks.
 */
struct TendermintParameters
{
    uint32_t id{1};             //!< Its number, from 1 on
    uint32_t replicas{4};       //!< How many there are, at most 63
    uint32_t proposeTicks{10};  //!< Until a proposal is no longer awaited, in round 0
    uint32_t prevoteTicks{5};   //!< Until a quorum of prevotes is no longer awaited to agree
    uint32_t precommitTicks{5}; //!< Until a quorum of precommits is no longer awaited to agree
    uint32_t commitTicks{5};    //!< Pause between a decision and the next height
    uint32_t deltaTicks{1};     //!< The growth of the first three with each round
    uint32_t gossipTicks{5};    //!< Without a step until a replica tells what it knows
    uint32_t mostDecisions{32}; //!< In one message
    TendermintBug bug{TendermintBug::NONE}; //!< Mistake that it makes
};

/**
 * @brief The acts of a Tendermint replica that may be reported.
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
    uint32_t height{0};  //!< At which height
    int32_t round{0};    //!< In which round
    uint32_t value{0};   //!< With which value
};

/**
 * @brief Tendermint without a network and without a clock: the reaction of a replica to a tick, a
 * request or a message (Buchman, Kwon, Milosevic 2018, algorithm 1; comments name its lines).
 *
 * Its own state is volatile; the state that must survive a crash is in its TendermintStorage, which
 * it begins from: what it proposes and votes is stored before it is sent.
 *
 * The algorithm needs that what a correct replica has sent or received reaches all others in the
 * end. For that, a replica which has taken no step for some ticks sends the others its state in
 * its height, and those which are further send it decisions.
 *
 * A Byzantine replica says one thing to replicas with odd numbers and another to those with even
 * ones: that it proposes and votes for the lowest request that it knows, and for the empty block.
 */
class TendermintCore
{
  public:
    /// Takes a message that is to be sent.
    using Sender = std::function<void(const TendermintMessage&)>;
    /// Called with the replica's acts.
    using Witness = std::function<void(const TendermintAct&)>;

    /**
     * Begin, as after a start of the process.
     *
     * @param parameters How.
     * @param storage Its storage.
     * @param send Sends its messages.
     * @param tell Called with its acts.
     */
    TendermintCore(TendermintParameters parameters,
                   Ptr<TendermintStorage> storage,
                   Sender send,
                   Witness tell);

    void Tick();            //!< Let one unit of its clock pass
    void BecomeByzantine(); //!< Lie from now on

    /**
     * Take a request of a client, to propose it when it is its turn.
     *
     * @param request Number of the request, from 1 on.
     */
    void Submit(uint32_t request);

    /**
     * React to a message. One that is for another replica is ignored.
     *
     * @param message The message.
     */
    void Receive(const TendermintMessage& message);

    uint32_t GetHeight() const;                //!< @return the height that it decides about
    const TendermintRecord& GetRecord() const; //!< @return how far it has come there
    const TendermintMessageLog& GetMessageLog()
        const; //!< @return the messages that it has received there

    /**
     * @param round A round of the current height.
     * @return the number of the replica that proposes in it
     */
    uint32_t GetProposer(int32_t round) const;

    std::vector<int64_t> GetInternals() const; //!< @return what else decides what it does

    /**
     * @param height A height.
     * @param round A round of it.
     * @param replicas How many there are.
     * @return the number of the replica that proposes in it: they take turns
     */
    static uint32_t GetProposer(uint32_t height, int32_t round, uint32_t replicas);

  private:
    /// Timeouts of the current round; 0: none is running.
    struct Timers
    {
        uint32_t commit{0};    //!< Pause after a decision
        uint32_t propose{0};   //!< For a proposal
        uint32_t prevote{0};   //!< For prevotes
        uint32_t precommit{0}; //!< For precommits
    };

    /**
     * @param bug A mistake.
     * @return whether it makes it
     */
    bool Has(TendermintBug bug) const
    {
        return m_parameters.bug == bug;
    }

    /**
     * @param type Which votes.
     * @param round The round.
     * @param value For what.
     * @return whether they are a quorum
     */
    bool HasQuorum(TendermintVotes::Type type, int32_t round, uint32_t value) const;

    void StartRound(int32_t round);      //!< @param round the round (lines 11 to 21)
    void Propose();                      //!< Propose, as it is its turn (lines 15 to 19)
    void EnterStep(TendermintStep step); //!< @param step what it awaits now
    void Evaluate();                     //!< Do all that the message log asks for

    // Each does what it is named for, if the message log asks for it, and returns whether it did.
    bool TryDecide();          //!< Lines 49 to 54 @return whether it did
    bool TrySkipRounds();      //!< Lines 55 and 56 @return whether it did
    bool TryPrevote();         //!< Lines 22 to 33 @return whether it did
    bool TryAwaitPrevotes();   //!< Lines 34 and 35 @return whether it did
    bool TryLock();            //!< Lines 36 to 43 @return whether it did
    bool TryPrecommitNil();    //!< Lines 44 to 46 @return whether it did
    bool TryAwaitPrecommits(); //!< Lines 47 and 48 @return whether it did
    void OnProposeTimeout();   //!< Lines 57 to 60
    void OnPrevoteTimeout();   //!< Lines 61 to 64
    void OnPrecommitTimeout(); //!< Lines 65 to 67

    /**
     * @param timer A timeout.
     * @return whether it has just run out
     */
    static bool RunsOut(uint32_t& timer);

    /**
     * Vote in the current round, and await the votes of others.
     *
     * @param type Which vote.
     * @param value For what.
     */
    void Cast(TendermintVotes::Type type, uint32_t value);

    /**
     * Keep a decision, and pause before the next height.
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
     * @return what a Byzantine replica tells that one instead
     */
    uint32_t Twist(uint32_t to, uint32_t value) const;

    void TakeIn(const TendermintMessage& message); //!< @param message of the current height
    void Gossip();                                 //!< Tell all others what it knows

    /**
     * Take decisions over, as far as they are proved.
     *
     * @param message Has them.
     */
    void CatchUp(const TendermintMessage& message);

    /**
     * Tell decisions.
     *
     * @param to Number of a replica that is behind.
     * @param height From this height on.
     */
    void SendDecisions(uint32_t to, uint32_t height);

    uint32_t GetOwnValue() const; //!< @return what it proposes by itself (getValue)

    /**
     * @param value The proposal.
     * @return whether it may be decided: it is no request that was decided before (valid)
     */
    bool IsValid(uint32_t value) const;

    /**
     * @param voters Bit i is replica i.
     * @return whether they are more than two thirds of all
     */
    bool IsQuorum(uint64_t voters) const;

    TendermintParameters m_parameters; //!< How it is set up
    Ptr<TendermintStorage> m_storage;  //!< The state that survives a crash
    Sender m_send;                     //!< Sends messages
    Witness m_tell;                    //!< Called with its acts
    TendermintRecord m_record;         //!< How far it has come, as stored
    TendermintMessageLog m_messages;   //!< The messages that it has received at this height
    std::set<uint32_t> m_requests;     //!< Of clients, not decided
    Timers m_timers;                   //!< Of this round
    bool m_awaitsPrevotes{false};      //!< Line 34 was reached in this round
    bool m_locks{false};               //!< Line 36 was reached in this round
    bool m_awaitsPrecommits{false};    //!< Line 47 was reached in this round
    uint32_t m_quietTicks{0};          //!< Since its last step
    bool m_byzantine{false};           //!< It lies
    int64_t m_turns{0};                //!< Rounds entered, if it counts those by mistake
};

} // namespace ns3

#endif // TENDERMINT_CORE_H
