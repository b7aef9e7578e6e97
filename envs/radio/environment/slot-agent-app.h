// SPDX-License-Identifier: GPL-2.0-only

#ifndef SLOT_AGENT_APP_H
#define SLOT_AGENT_APP_H

#include "periodic-agent-application.h"

#include <cstdint>
#include <deque>
#include <vector>

namespace ns3
{

/**
 * @brief The observations and actions of a player's agent.
 */
struct SlotChoice
{
    uint32_t actions;     //!< Number of actions of a player
    uint32_t sampleSize;  //!< Numbers of a player's sample
    uint32_t history;     //!< Samples in an observation
    bool observesActions; //!< Whether an agent observes its own actions
};

/**
 * @brief Chooses the setting of a player, or of several players, for the next slot.
 *
 * It decides at its start, and then once a slot, by the samples received so far. A sample is a
 * player's measurement in a slot, each number from 0 to 1.
 *
 * Observation: Box of float32, for each player its last samples, newest first. If the agent
 * observes its actions, as many actions follow, newest first, each one-hot. Slots before the first
 * one are 0. Action: Discrete, or for several players MultiDiscrete.
 */
class SlotAgentApp : public PeriodicAgentApplication
{
  public:
    /**
     * @param players Players of the agent.
     * @param slot Time between two decisions.
     * @param choice The observations and actions for each player.
     */
    SlotAgentApp(const AgentDevices& players, Time slot, const SlotChoice& choice);

  private:
    void OnRecvObs(uint32_t remoteAppId) override;
    Ptr<OpenGymDataContainer> Summarise() override;
    Ptr<OpenGymSpace> GetObservationSpace() override;
    Ptr<OpenGymSpace> GetActionSpace() override;
    void InitiateAction(Ptr<OpenGymDataContainer> action) override;

    /**
     * Record an action of a player.
     *
     * @param player Number of the player.
     * @param action The action.
     */
    void Remember(uint32_t player, uint32_t action);

    /// The known slots of a player, newest first.
    struct Memory
    {
        std::deque<std::vector<float>> samples; //!< The measurement
        std::deque<uint32_t> actions;           //!< The action
    };

    SlotChoice m_choice;            //!< The observations and actions for a player
    std::vector<Memory> m_memories; //!< Memory of each player
};

} // namespace ns3

#endif // SLOT_AGENT_APP_H
