// SPDX-License-Identifier: GPL-2.0-only

#ifndef CHANNEL_ACCESS_ENVIRONMENT_H
#define CHANNEL_ACCESS_ENVIRONMENT_H

#include "frame-receiver.h"
#include "frame-sender.h"
#include "interferer.h"
#include "slotted-environment.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief Radios on a circle around a base station that listens on all channels, and an interferer.
 */
class ChannelAccessEnvironment : public SlottedEnvironment
{
  public:
    ChannelAccessEnvironment();

    uint32_t CountDevices() const override;
    void StartDevices() override;

  private:
    void Declare(RlSimulation& simulation) override;
    std::string FindContradiction() const override;
    std::vector<Player> BuildPlayers() override;
    void Transmit() override;
    uint32_t CountActions(uint32_t player) const override;
    double GetReward(uint32_t player) const override;

    void BuildBase();       //!< Build the base station
    void BuildInterferer(); //!< Build the interferer, if there is one

    /**
     * @param number Number of the radio; behind the last one there is the interferer.
     * @return where it is
     */
    Vector GetPlace(uint32_t number) const;

    /**
     * @param radio Number of a radio.
     * @return a radio
     */
    Player BuildRadio(uint32_t radio);

    /**
     * @param radio Number of a radio.
     * @return what its last slot was worth
     */
    double GetOutcome(uint32_t radio) const;

    uint32_t m_channels{4};                              //!< Number of channels
    uint32_t m_radios{1};                                //!< Number of radios
    std::string m_pattern{"periodic"};                   //!< Of the interferer, or none
    uint32_t m_dwell{1};                                 //!< Of the interferer
    double m_activity{1};                                //!< Of the interferer
    double m_interfererPower{20};                        //!< In dBm
    std::string m_reward{"cooperative"};                 //!< cooperative or competitive
    bool m_mayWait{false};                               //!< There is an action to be silent
    std::unique_ptr<FrameReceiver> m_base;               //!< Listens on all channels
    std::vector<Address> m_addresses;                    //!< Of the base station, by channel
    std::vector<std::unique_ptr<FrameSender>> m_senders; //!< Of the radios
    Ptr<Interferer> m_interferer;                        //!< Or null
};

} // namespace ns3

#endif // CHANNEL_ACCESS_ENVIRONMENT_H
