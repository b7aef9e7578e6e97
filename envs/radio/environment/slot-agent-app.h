// SPDX-License-Identifier: GPL-2.0-only

#ifndef SLOT_AGENT_APP_H
#define SLOT_AGENT_APP_H

#include "ns3/agent-application.h"
#include "ns3/event-id.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

namespace ns3
{

/**
 * @brief Chooses with which setting a player, or each of several, sends in the next slot.
 *
 * It decides at once when it starts, and then once a slot, by the samples that it has heard until
 * then. A sample is what a player measured in a slot, each number from 0 to 1.
 *
 * Observation: Box of float32, for each player its last samples, the newest first, and if it
 * observes its actions, as many of those, the newest first: for each action a 1 if it was chosen,
 * and else 0. What has not been yet is 0. Action: Discrete, or for several players MultiDiscrete.
 */
class SlotAgentApp : public AgentApplication
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @param info Tells what is reported beside observations.
     */
    void SetInfo(std::function<OpenGymInfo()> info);

    void Setup() override;

  private:
    void DoDispose() override;
    void StartApplication() override;
    void StopApplication() override;
    void OnRecvObs(uint32_t remoteAppId) override;
    Ptr<OpenGymSpace> GetObservationSpace() override;
    Ptr<OpenGymSpace> GetActionSpace() override;
    void InitiateAction(Ptr<OpenGymDataContainer> action) override;
    OpenGymInfo GetExtraInfo() override;

    void Tick();   //!< Decide after all else of this instant, and again after a slot
    void Decide(); //!< Decide by what has been heard

    /**
     * Note what was chosen for a player.
     *
     * @param player Its number.
     * @param action The action.
     */
    void Remember(uint32_t player, uint32_t action);

    /// What it knows of a player: the newest first.
    struct Memory
    {
        std::deque<std::vector<float>> samples; //!< What was measured
        std::deque<uint32_t> actions;           //!< What was done
    };

    Time m_slot;                         //!< Between two decisions
    uint32_t m_firstPlayer;              //!< Number of its first player
    uint32_t m_players;                  //!< It decides for so many
    bool m_central;                      //!< It decides for all
    uint32_t m_actions;                  //!< Actions of a player
    uint32_t m_sampleSize;               //!< Numbers in a sample
    uint32_t m_history;                  //!< Samples that it remembers
    bool m_observesActions;              //!< It sees what it has done
    std::function<OpenGymInfo()> m_info; //!< Tells what is reported
    std::vector<Memory> m_memories;      //!< Of each player
    EventId m_event;                     //!< The next decision
};

} // namespace ns3

#endif // SLOT_AGENT_APP_H
