// SPDX-License-Identifier: GPL-2.0-only

#ifndef TEST_SESSION_H
#define TEST_SESSION_H

#include "client-history.h"
#include "colored-partition.h"
#include "healing-phase.h"
#include "message-delays.h"
#include "painter.h"
#include "partition-controller.h"
#include "tester-actions.h"
#include "tester-parameters.h"

#include "ns3/nstime.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief The players of a test: one agent, or one for each role.
 */
class TestPlayer
{
  public:
    virtual ~TestPlayer() = default;

    virtual void Ask() = 0; //!< Decide, and call TestSession::Act()

    /**
     * Earn something.
     *
     * @param reward How much.
     */
    virtual void Earn(double reward) = 0;

    /**
     * Stop.
     *
     * @param terminated Whether a violation ends the episode; if not, it is cut.
     */
    virtual void End(bool terminated) = 0;
};

/**
 * @brief The events of a step.
 */
struct TestStep
{
    uint32_t number{0};                      //!< Steps before it, and itself
    uint32_t ticks{0};                       //!< That have passed in it
    uint32_t delivered{0};                   //!< Messages that replicas have seen
    uint32_t dropped{0};                     //!< Messages that are lost
    std::vector<std::string> violations;     //!< Of what the protocol guarantees
    std::vector<std::string> warnings;       //!< Of what it does not
    std::string history;                     //!< The requests of clients, and the responses
    std::vector<MessageEvent> messageEvents; //!< The fates of messages, if they are recorded
    std::vector<TesterAction> actions;       //!< The acts of the players
    uint32_t healingTicks{0};                //!< Ticks of a healing phase that have passed in it
};

/**
 * @brief A test of replicas, step by step.
 *
 * In a step each player acts in turn. Then some ticks pass: as many as the parameters say if the
 * network is partitioned, or left as it is, and else one. With several players it is always as
 * many. Before each tick messages within blocks are delivered, and others dropped. After the last
 * one the players act again, or the episode ends.
 *
 * A tester may delay the messages for a replica: those that are held for it before a tick of that
 * step wait until the tester releases them, and messages of later steps overtake them.
 *
 * A step that heals has as many ticks as that takes; in them all replicas run, in one block. If
 * episodes are healed at their end, the last step is one that heals: nothing else is allowed then.
 */
class TestSession
{
  public:
    /**
     * @param parameters The allowed actions.
     * @param protocol Protocol of the replicas; it lives as long as this.
     * @param send Sends commands to replicas.
     */
    TestSession(const TesterParameters& parameters,
                ReplicaProtocol& protocol,
                PartitionController::Sender send);

    /**
     * @param player Takes part; players act in the order in which they join.
     */
    void Join(TestPlayer& player);

    void Begin(); //!< Start all replicas; the players are asked when they have reported

    /**
     * Take a report, and continue if it is the last one of a tick.
     *
     * @param report Report of a replica.
     */
    void TakeReport(ReplicaReport report);

    /**
     * Do what the player in turn decided.
     *
     * @param action The event.
     * @param actions Whose number it has.
     */
    void Act(TesterAction action, const TesterActions& actions);

    const TesterParameters& GetParameters() const;      //!< @return what may be done
    const ReplicaProtocol& GetProtocol() const;         //!< @return that of the replicas
    const Painter& GetPainter() const;                  //!< @return what is seen of them
    const PartitionController& GetController() const;   //!< @return what handles them
    const ColoredPartition& GetPartition() const;       //!< @return who is together with whom
    const MessageDelays& GetDelays() const;             //!< @return messages that are delayed
    const std::vector<ReplicaState>& GetStates() const; //!< @return of all replicas
    const TestStep& GetStep() const;                    //!< @return what happened in this step
    TesterCounts GetCounts() const;                     //!< @return what limits what may be done
    uint32_t GetRepeats() const;         //!< @return how often the coloured partition was the same
    uint32_t CountCrashesLeft() const;   //!< @return stops that are allowed still
    bool IsOutOfBounds() const;          //!< @return whether a replica is beyond the boundary
    std::string GetStateText() const;    //!< @return what a tester sees, as JSON
    std::string GetConcreteHash() const; //!< @return hash of GetConcreteText()

    /**
     * @return all that decides what happens next, in a form without ambiguity; of logs a hash
     */
    std::string GetConcreteText() const;

  private:
    /**
     * Say which replicas are meant, in a way that follows from seed and state.
     *
     * @return the number of a replica for each slot
     */
    std::vector<uint32_t> Draw() const;

    /**
     * @param action The change of a replica.
     */
    void Switch(TesterAction action);

    void NotePartition() const; //!< Note in the recording how replicas are divided
    void BeginHealing();        //!< Begin a healing phase
    void HealTick();    //!< Have all run, in one block, and hand over a request if it is time
    void NoteHealing(); //!< Look how far the replicas are healed, and end the phase if so
    bool MustHeal(bool isCut) const; //!< @param isCut the episode is cut @return it is healed first

    void AskOrTick();     //!< Ask the next player, or let time pass if all have acted
    void CutLinks();      //!< Have the network lose what is sent between blocks
    void BeginTick();     //!< Deliver and drop messages, and let a tick pass
    void PoolTick();      //!< Deliver and drop messages that are held
    void OnTicked();      //!< All replicas have reported
    void NoteClients();   //!< Note the requests of clients, and the responses
    void Judge();         //!< Look for violations and warnings
    void WatchProgress(); //!< Count ticks without progress
    void FinishStep();    //!< Look at the states of the replicas, and continue or end
    void Look();          //!< See replicas as they are now

    TesterParameters m_parameters;             //!< The allowed actions
    ReplicaProtocol& m_protocol;               //!< Of the replicas
    std::map<std::size_t, int64_t> m_boundary; //!< Largest values, by field
    Painter m_painter;                         //!< The observed part of replicas
    PartitionController m_controller;          //!< Handles them
    ColoredPartition m_partition;              //!< The connections
    MessageDelays m_delays;                    //!< Messages that are delayed
    std::vector<TestPlayer*> m_players;        //!< In the order in which they act
    std::size_t m_turn{0};                     //!< Number of the player that acts
    std::vector<ReplicaState> m_states;        //!< With what will be done to them at the next tick
    TestStep m_step;                           //!< This step
    std::string m_look;                        //!< Of the partition at the end of the last step
    std::string m_concreteHash;                //!< Of all
    uint32_t m_repeats{0};                     //!< Of the coloured partition
    uint32_t m_crashes{0};                     //!< Stops so far
    uint32_t m_byzantine{0};                   //!< Replicas that became Byzantine
    ClientHistory m_history;                   //!< The requests of clients, and the responses
    int64_t m_asked{0};                        //!< When a request was handed over last, in ns
    bool m_requests{false};                    //!< A request is handed over with the next tick
    uint32_t m_ticksLeft{0};                   //!< Of this step
    int64_t m_progress{-1};                    //!< The acts when it last changed
    uint32_t m_idleTicks{0};                   //!< Ticks together since then
    std::optional<HealingPhase> m_healing;     //!< The requirement in this step, if it heals
    bool m_mustHeal{false};                    //!< Nothing is left but a healing phase
};

} // namespace ns3

#endif // TEST_SESSION_H
