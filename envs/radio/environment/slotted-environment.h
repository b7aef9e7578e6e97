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
 * @brief An environment whose devices send in slots, and hear what others send.
 *
 * A subclass builds the players and says what they earn; slots, observations, and how agents decide
 * are here.
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
        Ptr<Node> node;           //!< Where
        Ptr<SlotPlayer> player;   //!< Sends
        Ptr<EnergySensor> sensor; //!< Hears
    };

    /**
     * @param scenario Its name.
     * @param device The name of a device in the texts of parameters.
     * @param placements Where agents may sit, the default first.
     */
    SlottedEnvironment(const std::string& scenario,
                       const std::string& device,
                       const std::vector<std::string>& placements);

    void Declare(RlSimulation& simulation) override;
    std::string FindContradiction() const override;

    /**
     * Build the air, and all that sends and hears there.
     *
     * @return the players; devices are some of them, one after the other
     */
    virtual std::vector<Player> BuildPlayers() = 0;

    /// Frames are sent. By default all players send.
    virtual void Transmit();

    /**
     * @return the player of the first device; by default the first one. Players that have no agent
     * are no devices.
     */
    virtual uint32_t GetFirstPlayer() const;

    /**
     * @param player Number of a player.
     * @return the number of its actions
     */
    virtual uint32_t CountActions(uint32_t player) const = 0;

    /**
     * @param player Number of a player.
     * @return what it has measured in the last slot; by default what its sensor has, from 0 to 1
     */
    virtual std::vector<float> Measure(uint32_t player) const;

    /**
     * @param player Number of a player.
     * @return what its agent has earned by the last slot
     */
    virtual double GetReward(uint32_t player) const = 0;

    /**
     * @param player Number of a player.
     * @return what is reported to its agent: by default the measured `channels`, `channel`
     * (-1: silent) and `success` of the last slot, and `energy` in dB; for a central agent those of
     * all players
     */
    virtual OpenGymInfo Report(uint32_t player) const;

    const std::vector<Player>& GetPlayers() const; //!< @return all players
    const SlottedAir& GetAir() const;              //!< @return where they send

    /**
     * Make the air.
     *
     * @param plan Its channels.
     * @return where players send
     */
    SlottedAir& MakeAir(std::shared_ptr<const ChannelPlan> plan);

    /**
     * Make a player, with a sensor that listens nowhere yet.
     *
     * @param node Where.
     * @return the player, without a sender
     */
    static Player MakePlayer(Ptr<Node> node);

    Time GetSlot() const;        //!< @return how long a slot is
    uint64_t CountSlots() const; //!< @return slots in an episode

  private:
    Time m_slot{MilliSeconds(1)};      //!< How long a slot is
    uint32_t m_history{1};             //!< Samples in an observation
    bool m_observeActions{false};      //!< Agents see what they have done
    std::unique_ptr<SlottedAir> m_air; //!< Where players send
    std::vector<Player> m_players;     //!< All that send
};

} // namespace ns3

#endif // SLOTTED_ENVIRONMENT_H
