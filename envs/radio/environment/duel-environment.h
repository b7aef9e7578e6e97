// SPDX-License-Identifier: GPL-2.0-only

#ifndef DUEL_ENVIRONMENT_H
#define DUEL_ENVIRONMENT_H

#include "slotted-environment.h"

#include "ns3/random-variable-stream.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @brief A game of two players, each with an agent, or a game of one agent against a built-in
 * opponent that acts at random or by its measurement in the last slot.
 */
class DuelEnvironment : public SlottedEnvironment
{
  public:
    static constexpr uint32_t PLAYERS = 2; //!< Number of players

    uint32_t CountDevices() const override;

  protected:
    /**
     * @param scenario Name of the scenario.
     */
    explicit DuelEnvironment(const std::string& scenario);

    void Declare(RlSimulation& simulation) override;
    void Transmit() override;

    bool HasOpponent() const; //!< @return whether a player has no agent

    /**
     * @param player Number of a player.
     * @return the number of its settings
     */
    virtual uint32_t CountSettings(uint32_t player) const = 0;

    /**
     * @param player Number of the opponent.
     * @param sensed The setting of the other player in the last slot.
     * @return the best setting against a repetition
     */
    virtual uint32_t Answer(uint32_t player, uint32_t sensed) = 0;

    /**
     * @param most The largest number.
     * @return a number from 0 to the largest
     */
    uint32_t Draw(uint32_t most);

  private:
    /**
     * @param player Number of the opponent.
     * @return its setting in this slot
     */
    uint32_t ChooseFor(uint32_t player);

    std::string m_opponent{"agent"};     //!< Opponent: agent, random or sensing
    Ptr<UniformRandomVariable> m_random; //!< Draws of the opponent; created on first use
};

} // namespace ns3

#endif // DUEL_ENVIRONMENT_H
