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
 * @brief The rounds of an episode: requests, decisions, and the ends of agents and episode.
 */
class OpenGymMultiAgentInterface::Rounds
{
  public:
    /**
     * @param interface The state of the agents, with attributes and traces; must outlive this
     * object.
     */
    explicit Rounds(OpenGymMultiAgentInterface& interface);

    /** Release agents and requests, whose callbacks may own the interface. */
    void Clear();

    /**
     * @return the agents
     */
    AgentRoster& GetRoster()
    {
        return m_roster;
    }

    /**
     * @return whether the episode is over
     */
    bool IsOver() const
    {
        return m_stopped;
    }

    /**
     * @return whether the episode is over or ending, so that no agent decides any more
     */
    bool IsStopped() const;

    /** Begin the episode, once: introduce the agents to the source of decisions. */
    void Begin();

    /**
     * @return the source of decisions; null: the episode has not begun, or is over
     */
    DecisionSource* GetSource() const
    {
        return m_source.get();
    }

    /**
     * End the episode at an instant, unless it ends earlier.
     *
     * @param time The instant; agents that notify from then on end without a decision.
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
     * End the episode, unless it is over, without calling the agents, which may be gone. The report
     * waits for ReportEnd(), so that the end may still be amended.
     */
    void EndUnasked();

    /** Report the end of the episode, unless it is reported. */
    void ReportEnd();

    /** @return whether the episode is over, and its end is not reported */
    bool AwaitsReport() const;

    /**
     * Change the end of an agent that the end of the episode has truncated, before the report.
     *
     * @param record The agent.
     * @param state Reward and info are added; the observation is replaced unless it is null.
     * @param terminated Whether the agent has terminated after all.
     * @return whether there is such an end
     */
    bool AmendEnd(const AgentRecord& record, const OpenGymFinalState& state, bool terminated);

    /**
     * Record a reward after an agent's end; 0 is none.
     *
     * @param record The agent.
     * @param reward The reward.
     */
    void NoteLateReward(AgentRecord& record, double reward);

    /**
     * Record the end of an agent, for the next message.
     *
     * @param record The agent.
     * @param state Its last state.
     * @param terminated Whether the agent terminated, rather than being truncated.
     */
    void EndAgent(AgentRecord& record, const OpenGymFinalState& state, bool terminated);

    /**
     * End the process if an observation is outside of its agent's space.
     *
     * @param record The agent.
     * @param observation Observation of the agent.
     */
    void CheckObservation(AgentRecord& record, Ptr<const OpenGymDataContainer> observation);

    /**
     * End the process if a reward is not a finite number.
     *
     * @param record An agent.
     * @param reward Reward of the agent.
     */
    void CheckReward(const AgentRecord& record, double reward) const;

    /**
     * Withdraw all requests of an agent without an answer.
     *
     * @param record The agent.
     * @return the last request, with the sum of all their rewards; or nothing
     */
    std::optional<AgentStepRecord> WithdrawSteps(AgentRecord& record);

    /**
     * Add an agent's request to the present round, or to the next round of this instant if the
     * agent is in the present round already.
     *
     * @param step The agent's request.
     */
    void Ask(AgentStepRecord step);

    /** Decide the requests of the present round, and repeat deferred ones. */
    void DecideRound();

    /**
     * Decide one request, while the present round waits.
     *
     * @param step The agent's request.
     * @return the action; null if the episode is over
     */
    Ptr<OpenGymDataContainer> DecideAlone(AgentStepRecord step);

    /**
     * Record the outcome of a transfer, for the next message.
     *
     * @param report The outcome.
     */
    void AddTransfer(const TransferReport& report);

  private:
    /** Delay a simultaneous round as long as agents of the round may still notify. */
    void Settle();

    /**
     * Get a decision for the requests in m_round, which is new and empty afterwards.
     *
     * @return the decision about m_decided
     */
    Decision Decide();

    /**
     * Apply a decision, except for the actions.
     *
     * @param round The decided round.
     * @param decision The decision.
     * @return whether there are actions
     */
    bool Apply(const DecisionRound& round, const Decision& decision);

    /** End the agents whose requests wait at the last instant of the episode. */
    void EndWaiting();

    /**
     * @param order The transfers to start.
     */
    void Transfer(const TransferOrder& order);

    /**
     * Count and trace an action.
     *
     * @param step Request of an agent.
     * @param action Action of the agent.
     */
    void RecordAction(const AgentStepRecord& step, Ptr<const OpenGymDataContainer> action);

    /**
     * @param step Request of an agent.
     * @param action Action of the agent, after its action delay.
     */
    void Act(const AgentStepRecord& step, Ptr<OpenGymDataContainer> action);

    /**
     * End all agents, and thereby the episode.
     *
     * @param askAgents Whether the agents can still return their state.
     * @param reward Added to the reward of each agent that ends here.
     * @param extraInfo Added to the info of each agent that ends here.
     */
    void Close(bool askAgents, double reward, const OpenGymInfo& extraInfo);

    /**
     * @return this instant, or the last instant of a finished episode
     */
    Time GetInstant() const;

    /**
     * @param record An agent that has not ended when the simulation ends.
     * @param askAgent Whether the agent can still return its state.
     * @return its last state, without values that are reported already
     */
    OpenGymFinalState GetFinalState(AgentRecord& record, bool askAgent);

    /**
     * @param [in,out] info Info of an agent, extended by the lags of a simulation in real time.
     */
    void AddLags(OpenGymInfo& info) const;

    /** Stop the simulation if there is still no agent that decides. */
    void StopIfAllEnded();

    /**
     * Record new agents and first requests, if there is a recording.
     *
     * @param joined The new agents.
     * @param steps The agents' requests.
     */
    void Record(const std::vector<const AgentRecord*>& joined,
                const std::vector<AgentStepRecord>& steps) const;

    OpenGymMultiAgentInterface& m_interface;  //!< The state of the agents
    EpisodeRecording* m_recording{nullptr};   //!< Recording of the episode; null: none yet
    AgentRoster m_roster;                     //!< The agents
    std::unique_ptr<RealTimeClock> m_clock;   //!< Measures the lag; null: not in real time
    std::unique_ptr<DecisionSource> m_source; //!< The source of decisions; null: not begun, or over
    std::unique_ptr<DecisionRound> m_round;   //!< Round that is not reported yet
    std::unique_ptr<DecisionRound> m_decided; //!< The round that is being decided
    std::vector<AgentStepRecord> m_waiting;   //!< The present round's, while another is decided
    std::vector<AgentStepRecord> m_deferred;  //!< Steps for a further round of this instant
    std::optional<Time> m_lastInstant;        //!< Time after which no agent decides
    bool m_simultaneous{false};               //!< Whether rounds are simultaneous
    bool m_begun{false};                      //!< Whether the episode has begun
    bool m_stopped{false};                    //!< Whether the episode is over
    bool m_abandoned{false};                  //!< Whether Python has left before the end
    std::size_t m_cutShort{0};                //!< Early ends of agents in m_round
    uint32_t m_quietPasses{0};                //!< Passes since the last request
    std::size_t m_settledSteps{0};            //!< Steps in the round at the last pass
    EventId m_settleEvent;                    //!< The next pass
};

} // namespace ns3

#endif /* OPEN_GYM_MULTI_AGENT_ROUNDS_H */
