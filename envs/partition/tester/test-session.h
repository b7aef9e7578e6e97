// SPDX-License-Identifier: GPL-2.0-only

#ifndef TEST_SESSION_H
#define TEST_SESSION_H

#include "client-operation.h"
#include "colored-partition.h"
#include "healing-phase.h"
#include "message-delays.h"
#include "painter.h"
#include "partition-controller.h"
#include "tester-actions.h"
#include "tester-parameters.h"

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
     * Receive a reward.
     *
     * @param reward The reward.
     */
    virtual void Earn(double reward) = 0;

    /**
     * End the player.
     *
     * @param terminated Whether a violation ends the episode; if not, it is truncated.
     */
    virtual void End(bool terminated) = 0;
};

/**
 * @brief The events of a step.
 */
struct TestStep
{
    uint32_t number{0};                      //!< Number of the step, from 1
    uint32_t ticks{0};                       //!< Ticks so far
    uint32_t delivered{0};                   //!< Messages delivered to replicas
    uint32_t dropped{0};                     //!< Lost messages
    std::vector<std::string> violations;     //!< Violations of guarantees
    std::vector<std::string> warnings;       //!< Failures beyond the guarantees
    std::string history;                     //!< The requests of clients, and the responses
    std::vector<MessageEvent> messageEvents; //!< Fates of messages, if recorded
    std::vector<TesterAction> actions;       //!< The acts of the players
    uint32_t healingTicks{0};                //!< Ticks of a healing phase so far
};

/**
 * @brief A test of replicas, step by step.
 *
 * In a step each player acts in turn. Then ticks follow: TesterParameters::ticksPerPartition if the
 * network is partitioned or unchanged or there are several players, else one. Before each tick
 * messages within blocks are delivered, and others dropped. After the last tick the players act
 * again, or the episode ends.
 *
 * A tester may delay the messages for a replica: messages held for it before a tick of that step
 * wait until the tester releases them, and messages of later steps overtake them.
 *
 * A healing step has as many ticks as the healing needs; in it all replicas run, in one block. If
 * episodes are healed at their end, the last step is a healing step, the only allowed action.
 */
class TestSession
{
  public:
    /**
     * @param parameters The allowed actions.
     * @param protocol Protocol of the replicas; it lives as long as this object.
     * @param send Sends commands to replicas.
     */
    TestSession(const TesterParameters& parameters,
                ReplicaProtocol& protocol,
                PartitionController::Sender send);

    /**
     * @param player A player; players act in the order of their calls.
     */
    void Join(TestPlayer& player)
    {
        m_players.push_back(&player);
    }

    /// Start all replicas; call the players after the first reports
    void Begin()
    {
        m_controller.Reset();
    }

    /**
     * Process a report, and continue after the last one of a tick.
     *
     * @param report Report of a replica.
     */
    void TakeReport(ReplicaReport report);

    /**
     * Execute the decision of the current player.
     *
     * @param action The action.
     * @param actions The actions of the player.
     */
    void Act(TesterAction action, const TesterActions& actions);

    /// @return the parameters
    const TesterParameters& GetParameters() const
    {
        return m_parameters;
    }

    /// @return protocol of the replicas
    const ReplicaProtocol& GetProtocol() const
    {
        return m_protocol;
    }

    /// @return the painter
    const Painter& GetPainter() const
    {
        return m_painter;
    }

    /// @return the controller
    const PartitionController& GetController() const
    {
        return m_controller;
    }

    /// @return the partition
    const ColoredPartition& GetPartition() const
    {
        return m_partition;
    }

    /// @return delayed messages
    const MessageDelays& GetDelays() const
    {
        return m_delays;
    }

    /// @return states of all replicas
    const std::vector<ReplicaState>& GetStates() const
    {
        return m_states;
    }

    /// @return results of this step
    const TestStep& GetStep() const
    {
        return m_step;
    }

    TesterCounts GetCounts() const; //!< @return counts that limit actions

    /// @return repetitions of the coloured partition
    uint32_t GetRepeats() const
    {
        return m_repeats;
    }

    /// @return number of stops left
    uint32_t CountCrashesLeft() const
    {
        return m_parameters.withCrashes ? m_parameters.crashLimit - m_crashes : 0;
    }

    /// @return number of replicas that may still become Byzantine
    uint32_t CountByzantineLeft() const
    {
        return m_parameters.mostByzantine - m_byzantine;
    }

    bool IsOutOfBounds() const;       //!< @return whether a replica is beyond the boundary
    std::string GetStateText() const; //!< @return the tester's observation, as JSON

    /// @return hash of GetConcreteText()
    std::string GetConcreteHash() const
    {
        return m_concreteHash;
    }

    /**
     * @return the complete state, in an unambiguous form; of logs a hash
     */
    std::string GetConcreteText() const;

  private:
    /**
     * Choose replicas for slots, as a function of seed and state.
     *
     * @return the number of a replica for each slot
     */
    std::vector<uint32_t> Draw() const
    {
        return m_partition.Draw(m_concreteHash + "/" + std::to_string(RngSeedManager::GetSeed()) +
                                "/" + std::to_string(RngSeedManager::GetRun()));
    }

    /**
     * @param action The change of a replica.
     */
    void Switch(TesterAction action);

    /**
     * @param kind Kind of an action on a clock.
     * @param id Number of the replica.
     */
    void SetClock(TesterAction::Kind kind, uint32_t id);

    /**
     * @param id Number of a replica to stop.
     * @return a random number for the point at which its process is killed; see ReplicaCommand
     */
    uint64_t DrawCrash(uint32_t id) const;

    void NotePartition() const; //!< Record the blocks of replicas
    void BeginHealing();        //!< Begin a healing phase
    void HealTick();            //!< Run all in one block, and send a request when due
    void NoteHealing();         //!< Check the healing, and end the phase if done

    /// @param isCut the episode is cut @return whether to heal it
    bool MustHeal(bool isCut) const
    {
        return isCut && m_step.healingTicks == 0 && m_parameters.HealsAtEnd();
    }

    void AskOrTick();     //!< Call the next player, or tick after the last one
    void CutLinks();      //!< Cut links between blocks
    void BeginTick();     //!< Deliver and drop messages, and start a tick
    void PoolTick();      //!< Deliver and drop held messages
    void OnTicked();      //!< Process the reports of all replicas
    void NoteClients();   //!< Record requests and responses of clients
    void Judge();         //!< Find violations and warnings
    void WatchProgress(); //!< Count ticks without progress
    void FinishStep();    //!< Read the replicas' states, and continue or end
    void Look();          //!< Read the present states of replicas

    TesterParameters m_parameters;             //!< The allowed actions
    ReplicaProtocol& m_protocol;               //!< Protocol of the replicas
    std::map<std::size_t, int64_t> m_boundary; //!< Largest values, by field
    Painter m_painter;                         //!< The observed part of replicas
    PartitionController m_controller;          //!< Controller of the replicas
    ColoredPartition m_partition;              //!< The connections
    MessageDelays m_delays;                    //!< Delayed messages
    std::vector<int64_t> m_clocks;             //!< Error of each replica's clock in ns
    std::vector<TestPlayer*> m_players;        //!< Players in the order of their turns
    std::size_t m_turn{0};                     //!< Number of the current player
    std::vector<ReplicaState> m_states;        //!< States, with the changes of the next tick
    TestStep m_step;                           //!< Results of this step
    std::string m_look;                        //!< Partition at the end of the last step
    std::string m_concreteHash;                //!< Hash of all states
    uint32_t m_repeats{0};                     //!< Repetitions of the coloured partition
    uint32_t m_crashes{0};                     //!< Number of stops so far
    uint32_t m_byzantine{0};                   //!< Replicas that became Byzantine
    ClientHistory m_history;                   //!< The requests of clients, and the responses
    int64_t m_requestTime{0};                  //!< Time of the last request, in ns
    bool m_requests{false};                    //!< A request is handed over with the next tick
    uint32_t m_ticksLeft{0};                   //!< Ticks left in this step
    uint32_t m_releases{0};                    //!< Messages released with the present tick
    int64_t m_progress{-1};                    //!< Progress at its last change
    uint32_t m_idleTicks{0};                   //!< Ticks together since then
    std::optional<HealingPhase> m_healing;     //!< Healing phase of this step, if any
    bool m_mustHeal{false};                    //!< Whether only a healing phase is left
};

} // namespace ns3

#endif // TEST_SESSION_H
