// SPDX-License-Identifier: GPL-2.0-only

#ifndef OPEN_GYM_MULTI_AGENT_ROUNDS_H
#define OPEN_GYM_MULTI_AGENT_ROUNDS_H

#include "agent-roster.h"
#include "decision-source.h"
#include "episode-recording.h"
#include "real-time-clock.h"

#include "ns3/event-id.h"
#include "ns3/open-gym-multi-agent-interface.h"

#include <memory>
#include <optional>
#include <vector>

namespace ns3
{

/**
 * @brief The rounds of an episode: what agents ask, who decides, and how agents and episode end.
 */
class OpenGymMultiAgentInterface::Rounds
{
  public:
    /**
     * @param interface The state of the agents, with attributes and traces; lives longer than this
     * object.
     */
    explicit Rounds(OpenGymMultiAgentInterface& interface);

    /** Let go of agents and questions, whose callbacks may hold objects that hold the interface. */
    void Clear();

    /**
     * @return the agents
     */
    AgentRoster& GetRoster();

    /**
     * @return whether the episode is over
     */
    bool IsOver() const;

    /**
     * @return whether the episode is over or being ended, so that no agent is asked any more
     */
    bool IsStopped() const;

    /** Begin the episode, once: report to whoever decides which agents there are. */
    void Begin();

    /**
     * @return who decides; null: the episode has not begun, or is over
     */
    DecisionSource* GetSource() const;

    /**
     * Make this the last instant at which something happens, unless an earlier one is.
     *
     * @param time The instant; agents that notify from then on end instead of being asked.
     */
    void EndAt(Time time);

    /**
     * End the episode, once, and report its end.
     *
     * @param reward Added to the reward of each agent that ends here.
     * @param extraInfo Added to the info of each agent that ends here.
     */
    void End(double reward, const OpenGymInfo& extraInfo);

    /**
     * End the episode, unless it is over, without asking the agents, which may be gone. The report
     * waits for ReportEnd(), so that the end may still be amended.
     */
    void EndUnasked();

    /** Report the end of the episode if that has not been done. */
    void ReportEnd();

    /** @return whether the episode is over, and its end has not been reported */
    bool AwaitsReport() const;

    /**
     * Change the end of an agent that the end of the episode has cut short and that has not been
     * reported.
     *
     * @param record The agent.
     * @param state Reward and info are added; the observation is replaced unless it is null.
     * @param terminated Whether the agent has terminated after all.
     * @return whether there is such an end
     */
    bool AmendEnd(const AgentRecord& record, const OpenGymFinalState& state, bool terminated);

    /**
     * Note that an agent was given a reward after its end; 0 is none.
     *
     * @param record The agent.
     * @param reward The reward.
     */
    void NoteLateReward(AgentRecord& record, double reward);

    /**
     * Note the end of an agent, to be reported in the next message.
     *
     * @param record The agent.
     * @param state Its last state.
     * @param terminated Whether its task ended, rather than being cut short.
     */
    void EndAgent(AgentRecord& record, const OpenGymFinalState& state, bool terminated);

    /**
     * End the process if an observation is not of its agent's space.
     *
     * @param record The agent.
     * @param observation Its observation.
     */
    void CheckObservation(AgentRecord& record, Ptr<const OpenGymDataContainer> observation);

    /**
     * End the process if a reward is not a finite number.
     *
     * @param record An agent.
     * @param reward Its reward.
     */
    void CheckReward(const AgentRecord& record, double reward) const;

    /**
     * Take back all that an agent has asked and nobody has answered.
     *
     * @param record The agent.
     * @return the last question, with the sum of the rewards of all of them; or nothing
     */
    std::optional<AgentStepRecord> WithdrawSteps(AgentRecord& record);

    /**
     * Put an agent's question into the present round, or into the next one of this instant if it
     * has one in the present round already.
     *
     * @param step The agent's question.
     */
    void Ask(AgentStepRecord step);

    /** Have the questions of the present round decided, and repeat deferred ones. */
    void DecideRound();

    /**
     * Have one question decided, while those of the present round wait.
     *
     * @param step The agent's question.
     * @return the action; null if the episode is over
     */
    Ptr<OpenGymDataContainer> DecideAlone(AgentStepRecord step);

    /**
     * Note what has become of a transfer, to be reported in the next message.
     *
     * @param report The outcome of it.
     */
    void AddTransfer(const TransferReport& report);

  private:
    /** Delay a simultaneous round as long as agents that belong to it may still notify. */
    void Settle();

    /**
     * Have a decision made for the questions in m_round, which is new and empty afterwards.
     *
     * @return the decision; m_decided is what it is about
     */
    Decision Decide();

    /**
     * Do what has been decided, except for the actions.
     *
     * @param round The question.
     * @param decision The decision.
     * @return whether there are actions
     */
    bool Apply(const DecisionRound& round, const Decision& decision);

    /** End the agents whose questions wait at the last instant of the episode. */
    void EndWaiting();

    /**
     * @param order The transfers to start.
     */
    void Transfer(const TransferOrder& order);

    /**
     * Count and trace an action.
     *
     * @param step The question of an agent.
     * @param action Its action.
     */
    void RecordAction(const AgentStepRecord& step, Ptr<const OpenGymDataContainer> action);

    /**
     * @param step The question of an agent.
     * @param action Its action, after its action delay.
     */
    void Act(const AgentStepRecord& step, Ptr<OpenGymDataContainer> action);

    /**
     * End all agents, and thereby the episode.
     *
     * @param askAgents Whether the agents can still be asked for their state.
     * @param reward Added to the reward of each agent that ends here.
     * @param extraInfo Added to the info of each agent that ends here.
     */
    void Close(bool askAgents, double reward, const OpenGymInfo& extraInfo);

    /**
     * @return this instant, or the last one of the episode if that is over
     */
    Time GetInstant() const;

    /**
     * @param record An agent that has not ended when the simulation ends.
     * @param askAgent Whether the agent can still be asked.
     * @return its last state, as far as it has not been reported yet
     */
    OpenGymFinalState GetFinalState(AgentRecord& record, bool askAgent);

    /**
     * @param [in,out] info Of an agent, where the lags of a simulation in real time are added.
     */
    void AddLags(OpenGymInfo& info) const;

    /** Stop the simulation if there is still no agent that decides. */
    void StopIfAllEnded();

    /**
     * Have the recording note who has come and who asks for the first time, if there is one.
     *
     * @param joined The new agents.
     * @param steps The asking agent.
     */
    void Record(const std::vector<AgentIntroduction>& joined,
                const std::vector<AgentStepRecord>& steps) const;

    OpenGymMultiAgentInterface& m_interface;  //!< The state of the agents
    EpisodeRecording* m_recording{nullptr};   //!< Of the episode; null: none, or not begun
    AgentRoster m_roster;                     //!< The agents
    std::unique_ptr<RealTimeClock> m_clock;   //!< Measures the lag; null: not in real time
    std::unique_ptr<DecisionSource> m_source; //!< The source of decisions; null: not begun, or over
    std::unique_ptr<DecisionRound> m_round;   //!< The news that has not been reported yet
    std::unique_ptr<DecisionRound> m_decided; //!< The round that is being decided
    std::vector<AgentStepRecord> m_waiting;   //!< The present round's, while another is decided
    std::vector<AgentStepRecord> m_deferred;  //!< Questions for a further round of this instant
    std::optional<Time> m_lastInstant;        //!< No agent is asked from then on
    bool m_simultaneous{false};               //!< Whether agents of one instant are asked together
    bool m_begun{false};                      //!< Whether the episode has begun
    bool m_stopped{false};                    //!< Whether the episode is over
    bool m_abandoned{false};                  //!< Whether whoever decides has left before its end
    std::size_t m_cutShort{0};                //!< In m_round: ends before that of the episode
    uint32_t m_quietPasses{0};                //!< Passes since the last agent asked
    std::size_t m_settledSteps{0};            //!< Agents that asked by the last pass
    EventId m_settleEvent;                    //!< The next pass
};

} // namespace ns3

#endif /* OPEN_GYM_MULTI_AGENT_ROUNDS_H */
