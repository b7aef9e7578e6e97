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
    uint32_t sampleSize;  //!< Numbers that a player measures in a slot
    uint32_t history;     //!< Samples of a player that are remembered
    bool observesActions; //!< Whether an agent observes its own actions
};

/**
 * @brief Chooses with which setting a player, or each of several, sends in the next slot.
 *
 * It decides at once when it starts, and then once a slot, by the samples that it has received
 * until then. A sample is what a player measured in a slot, each number from 0 to 1.
 *
 * Observation: Box of float32, for each player its last samples, the newest first, and if it
 * observes its actions, as many of those, the newest first: for each action a 1 if it was chosen,
 * and else 0. Slots before the first one are 0. Action: Discrete, or for several players
 * MultiDiscrete.
 */
class SlotAgentApp : public PeriodicAgentApplication
{
  public:
    /**
     * @param players Whom it decides for.
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
     * Note what was chosen for a player.
     *
     * @param player Its number.
     * @param action The action.
     */
    void Remember(uint32_t player, uint32_t action);

    /// The known slots of a player: the newest first.
    struct Memory
    {
        std::deque<std::vector<float>> samples; //!< The measurement
        std::deque<uint32_t> actions;           //!< The action
    };

    SlotChoice m_choice;            //!< The observations and actions for a player
    std::vector<Memory> m_memories; //!< Of each player
};

} // namespace ns3

#endif // SLOT_AGENT_APP_H
