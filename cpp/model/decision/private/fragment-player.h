// SPDX-License-Identifier: GPL-2.0-only

#ifndef FRAGMENT_PLAYER_H
#define FRAGMENT_PLAYER_H

#include "decision-source.h"
#include "policy-file.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief Plays fragments of an episode: a policy decides in some rounds, which are recorded.
 */
class FragmentPlayer
{
  public:
    /**
     * Begin a fragment; throw BridgeFault when it cannot be played.
     *
     * @param order The order of Python.
     */
    void Begin(const defiance::v1::FragmentOrder& order);

    /**
     * @param round The questions of agents, and other news.
     * @return whether the policy decides in this round, too
     */
    bool Continues(const DecisionRound& round) const;

    /**
     * Decide in a round, and record it; throw BridgeFault when the policy cannot.
     *
     * @param round The agents' observations.
     * @param agents All agents, by index.
     * @return an action per step of the round
     */
    std::vector<Ptr<OpenGymDataContainer>> Decide(const DecisionRound& round,
                                                  const std::vector<AgentIntroduction>& agents);

    /**
     * @return whether rounds have been played that have not been written
     */
    bool HasTrajectory() const;

    /**
     * Write what has been played, and forget it; the fragment is over.
     *
     * @param message Empty message to write to.
     */
    void Write(defiance::v1::Trajectory& message);

  private:
    /**
     * Take the noise of a fragment; throw BridgeFault unless it is enough for the policy.
     *
     * @param noise The message of Python.
     */
    void TakeNoise(const defiance::v1::Tensor& noise);

    /**
     * Let the policy decide for one agent.
     *
     * @param step Its question.
     * @param agent The agent.
     * @return what it does
     */
    Ptr<OpenGymDataContainer> Act(const AgentStepRecord& step, const AgentIntroduction& agent);

    /** A decision that was recorded. */
    struct Recorded
    {
        uint32_t agent;                        //!< Whose it is
        Ptr<OpenGymDataContainer> observation; //!< Copy of what it saw
        double reward;                         //!< Reward since its step before
        Ptr<OpenGymDataContainer> action;      //!< Copy of what it does
    };

    std::unique_ptr<PolicyFile>
        m_policy;                     //!< The source of decisions; null: there was no fragment yet
    std::vector<bool> m_checked;      //!< By the agents' index: whether the policy fits
    std::vector<float> m_noise;       //!< Of all rounds and agents
    std::size_t m_agents{0};          //!< Agents for which there is noise
    uint64_t m_rounds{0};             //!< How many rounds it decides at most
    std::vector<Time> m_times;        //!< Of the rounds that were played
    std::vector<uint32_t> m_sizes;    //!< How many agents decided in each
    std::vector<Recorded> m_recorded; //!< Their decisions
};

} // namespace ns3

#endif /* FRAGMENT_PLAYER_H */
