// SPDX-License-Identifier: GPL-2.0-only

#ifndef SLOTTED_ENVIRONMENT_H
#define SLOTTED_ENVIRONMENT_H

#include "energy-sensor.h"
#include "environment.h"
#include "slot-player.h"
#include "slotted-air.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief An environment whose devices send in slots, and sense the signals of others.
 *
 * A subclass builds the players and defines their rewards; this class has slots, observations, and
 * decisions of agents.
 */
class SlottedEnvironment : public Environment
{
  public:
    NodeContainer BuildDevices() override;
    void StartDevices() override;
    DeviceApplications MakeApplications(uint32_t device) override;
    Ptr<AgentApplication> MakeAgent(uint32_t agent) override;

  protected:
    /// The senders, and their measurements.
    struct Player
    {
        Ptr<Node> node;           //!< Node of the player
        Ptr<SlotPlayer> player;   //!< Sender of the player
        Ptr<EnergySensor> sensor; //!< Sensor of the player
    };

    /**
     * @param scenario Name of the scenario.
     * @param device Name of a device in the help of parameters.
     * @param placements Allowed placements of agents; the first is the default.
     */
    SlottedEnvironment(const std::string& scenario,
                       const std::string& device,
                       const std::vector<std::string>& placements);

    void Declare(RlSimulation& simulation) override;
    std::string FindContradiction() const override;

    /**
     * Build the channel, with all senders and receivers.
     *
     * @return the players; devices are consecutive players
     */
    virtual std::vector<Player> BuildPlayers() = 0;

    /// Send frames. By default all players send.
    virtual void Transmit();

    /**
     * @return the player of the first device; by default the first one. Players without an agent
     * are not devices.
     */
    virtual uint32_t GetFirstPlayer() const;

    /**
     * @param player Number of a player.
     * @return the number of its actions
     */
    virtual uint32_t CountActions(uint32_t player) const = 0;

    /**
     * @param player Number of a player.
     * @return its measurement in the last slot; by default its sensor's, from 0 to 1
     */
    virtual std::vector<float> Measure(uint32_t player) const;

    /**
     * @param player Number of a player.
     * @return the reward of its agent for the last slot
     */
    virtual double GetReward(uint32_t player) const = 0;

    /**
     * @return the infos of its agent: by default the measured `channels`, `channel` (-1: silent)
     * and `success` of the last slot, and `energy` in dB; for a central agent, of all players
     */
    virtual OpenGymInfo Report(uint32_t player) const;

    const std::vector<Player>& GetPlayers() const; //!< @return all players
    const SlottedAir& GetAir() const;              //!< @return the players' channel

    /**
     * Create the channel of the players.
     *
     * @param plan Plan of the channels.
     * @return the players' channel
     */
    SlottedAir& MakeAir(std::shared_ptr<const ChannelPlan> plan);

    /**
     * Create a player, with a sensor that does not listen yet.
     *
     * @param node Node of the player.
     * @return the player, without a sender
     */
    static Player MakePlayer(Ptr<Node> node);

    Time GetSlot() const;        //!< @return length of a slot
    uint64_t CountSlots() const; //!< @return slots in an episode

  private:
    Time m_slot{MilliSeconds(1)};      //!< Length of a slot
    uint32_t m_history{1};             //!< Samples in an observation
    bool m_observeActions{false};      //!< Whether agents observe their actions
    std::unique_ptr<SlottedAir> m_air; //!< Channel of the players
    std::vector<Player> m_players;     //!< All players
};

} // namespace ns3

#endif // SLOTTED_ENVIRONMENT_H
