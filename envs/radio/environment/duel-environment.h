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
 * @brief A game of two players, each with an agent, or of one agent against an opponent that needs
 * none: by chance, or by its measurement in the last slot.
 */
class DuelEnvironment : public SlottedEnvironment
{
  public:
    static constexpr uint32_t PLAYERS = 2; //!< That there are

    uint32_t CountDevices() const override;

  protected:
    /**
     * @param scenario Its name.
     */
    explicit DuelEnvironment(const std::string& scenario);

    void Declare(RlSimulation& simulation) override;
    void Transmit() override;

    bool HasOpponent() const; //!< @return whether one player has no agent

    /**
     * @param player Number of a player.
     * @return the number of settings that it sends with
     */
    virtual uint32_t CountSettings(uint32_t player) const = 0;

    /**
     * @param player Number of the opponent.
     * @param heard The setting of the other player in the last slot.
     * @return what is best, if that sends so again
     */
    virtual uint32_t Answer(uint32_t player, uint32_t heard) = 0;

    /**
     * @param most The largest number.
     * @return any from 0 to that
     */
    uint32_t Draw(uint32_t most);

  private:
    /**
     * @param player Number of the opponent.
     * @return what it sends with in this slot
     */
    uint32_t ChooseFor(uint32_t player);

    std::string m_opponent{"agent"};     //!< agent, random or sensing
    Ptr<UniformRandomVariable> m_random; //!< Of the opponent; made when the first number is drawn
};

} // namespace ns3

#endif // DUEL_ENVIRONMENT_H
