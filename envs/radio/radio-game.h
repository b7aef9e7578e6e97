// SPDX-License-Identifier: GPL-2.0-only

#ifndef RADIO_GAME_H
#define RADIO_GAME_H

#include "environment.h"
#include "slot-radio.h"
#include "slotted-air.h"

#include "ns3/random-variable-stream.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief An environment whose devices are radios that send in slots, and sense the signals of
 * others.
 *
 * A subclass builds the radios and defines their rewards; this class has slots, observations, and
 * decisions of agents. In a duel, there are two players. Each has an agent, or one plays against a
 * built-in opponent, which acts at random or by its measurement in the last slot.
 */
class RadioGame : public Environment
{
  public:
    static constexpr uint32_t PLAYERS = 2; //!< Number of players of a duel

    uint32_t CountDevices() const override
    {
        return HasOpponent() ? 1 : PLAYERS;
    }

    NodeContainer BuildDevices() override;
    void StartDevices() override;
    DeviceApplications MakeApplications(uint32_t device) override;
    Ptr<AgentApplication> MakeAgent(uint32_t agent) override;

  protected:
    /**
     * @param scenario Name of the scenario.
     * @param isDuel Whether the game is a duel. In other games, one agent may have all radios.
     */
    RadioGame(const std::string& scenario, bool isDuel)
        : Environment({.scenario = scenario,
                       .device = "radio",
                       .placements = isDuel
                                         ? std::vector<std::string>{"local", "remote"}
                                         : std::vector<std::string>{"local", "remote", "central"},
                       .accesses = {"point-to-point", "csma"}}),
          m_isDuel(isDuel)
    {
        m_deployment.placement = "local";
        m_deployment.duration = MilliSeconds(100);
    }

    void Declare(RlSimulation& simulation) override;
    std::string FindContradiction() const override;

    /**
     * Build the air, with all senders and receivers.
     *
     * @return the radios in the order in which they send; devices are consecutive radios
     */
    virtual std::vector<Ptr<SlotRadio>> BuildRadios() = 0;

    /**
     * @return the radio of the first device; by default the first one. Radios without an agent are
     * not devices.
     */
    virtual uint32_t GetFirstPlayer() const
    {
        return 0;
    }

    /// Choose for the radios without an agent in this slot; by default for the opponent in a duel.
    virtual void ChooseForOthers();

    /**
     * @param player Number of the opponent in a duel.
     * @param sensed The setting of the other player in the last slot.
     * @return the best setting against a repetition; by default the sensed setting
     */
    virtual uint32_t Answer(uint32_t player, uint32_t sensed)
    {
        return sensed;
    }

    /**
     * @param player Number of a radio.
     * @return the reward of its agent for the last slot
     */
    virtual double GetReward(uint32_t player) const = 0;

    /**
     * @param player Number of a radio.
     * @return the infos of its agent: by default the measured `channels`, `channel` (-1: silent)
     * and `success` of the last slot, and `energy` in dB; for a central agent, of all devices
     */
    virtual OpenGymInfo Report(uint32_t player) const;

    /// @return whether a player of a duel has no agent
    bool HasOpponent() const
    {
        return m_opponent != "agent";
    }

    /// Build a receiver of all channels in the middle of the radios.
    void BuildBase();

    /**
     * Build a radio that sends frames to the base, and measures the signals of others.
     *
     * @param position Position of its new node.
     * @return the radio
     */
    Ptr<SlotRadio> BuildTransmitter(const Vector& position);

    Ptr<SlotRadio> MakeRadio(); //!< @return a radio on a new node, without antennas

    UniformRandomVariable& GetRandom(); //!< @return draws for radios without an agent

    Time m_slot{MilliSeconds(1)};         //!< Length of a slot
    std::unique_ptr<SlottedAir> m_air;    //!< Air of the radios, set by BuildRadios()
    std::vector<Ptr<SlotRadio>> m_radios; //!< All radios

  private:
    void Transmit(); //!< Send in this slot, and in the next one

    std::unique_ptr<FrameReceiver> m_base; //!< Receiver on all channels, if there is one
    std::vector<Address> m_addresses;      //!< Address of the base by channel
    bool m_isDuel;                         //!< Whether there are two players
    std::string m_opponent{"agent"};       //!< Opponent in a duel: agent, random or sensing
    uint32_t m_history{1};                 //!< Samples in an observation
    bool m_observeActions{false};          //!< Whether agents observe their actions
    Ptr<UniformRandomVariable> m_random;   //!< Draws; created on first use
};

} // namespace ns3

#endif // RADIO_GAME_H
