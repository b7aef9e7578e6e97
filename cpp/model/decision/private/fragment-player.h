// SPDX-License-Identifier: GPL-2.0-only

#ifndef FRAGMENT_PLAYER_H
#define FRAGMENT_PLAYER_H

#include "decision-source.h"
#include "policy-file.h"

#include <memory>
#include <vector>

namespace ns3
{

/**
 * @brief Plays fragments of an episode: a policy decides and records some rounds.
 */
class FragmentPlayer
{
  public:
    /**
     * Begin a fragment; throw BridgeFault on a failure.
     *
     * @param order Python's order.
     */
    void Begin(const defiance::v1::FragmentOrder& order);

    /**
     * @param round Requests of agents, and other news.
     * @return whether the policy decides in this round, too
     */
    bool Continues(const DecisionRound& round) const;

    /**
     * Decide a round, and record it; throw BridgeFault when the policy fails.
     *
     * @param round The agents' observations.
     * @return an action per step of the round
     */
    std::vector<Ptr<OpenGymDataContainer>> Decide(const DecisionRound& round);

    /**
     * @return whether there are rounds that are not written yet
     */
    bool HasTrajectory() const
    {
        return !m_times.empty();
    }

    /**
     * Write the played rounds, and discard them; the fragment ends.
     *
     * @param message Empty message to write to.
     */
    void Write(defiance::v1::Trajectory& message);

  private:
    /**
     * Read the noise of a fragment; throw BridgeFault unless it is enough for the policy.
     *
     * @param noise Python's message.
     */
    void TakeNoise(const defiance::v1::Tensor& noise);

    /**
     * Let the policy decide for one agent.
     *
     * @param step Request of the agent.
     * @return the action
     */
    Ptr<OpenGymDataContainer> Act(const AgentStepRecord& step);

    /** A recorded decision. */
    struct Recorded
    {
        uint32_t agent;                        //!< Index of the agent
        Ptr<OpenGymDataContainer> observation; //!< Copy of the observation
        double reward;                         //!< Reward since the previous step
        Ptr<OpenGymDataContainer> action;      //!< Copy of the action
    };

    std::unique_ptr<PolicyFile> m_policy; //!< The source of decisions; null: no fragment yet
    std::vector<bool> m_checked;          //!< Whether the policy fits each agent
    std::vector<float> m_noise;           //!< Noise of all rounds and agents
    std::size_t m_agents{0};              //!< Agents for which there is noise
    uint64_t m_rounds{0};                 //!< Maximum number of rounds
    std::vector<Time> m_times;            //!< Times of the played rounds
    std::vector<uint32_t> m_sizes;        //!< Number of agents in each round
    std::vector<Recorded> m_recorded;     //!< Recorded decisions
};

} // namespace ns3

#endif /* FRAGMENT_PLAYER_H */
