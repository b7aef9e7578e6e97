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
     * @param number Number of the radio; the number after the last radio is the interferer.
     * @return its position
     */
    Vector GetPlace(uint32_t number) const;

    /**
     * @param radio Number of a radio.
     * @return a radio
     */
    Player BuildRadio(uint32_t radio);

    /**
     * @param radio Number of a radio.
     * @return reward of its last slot
     */
    double GetOutcome(uint32_t radio) const;

    uint32_t m_channels{4};                              //!< Number of channels
    uint32_t m_radios{1};                                //!< Number of radios
    std::string m_pattern{"periodic"};                   //!< Pattern of the interferer, or none
    uint32_t m_dwell{1};                                 //!< Dwell of the interferer
    double m_activity{1};                                //!< Activity of the interferer
    double m_interfererPower{20};                        //!< Power of the interferer in dBm
    std::string m_reward{"cooperative"};                 //!< Kind: cooperative or competitive
    bool m_mayWait{false};                               //!< Whether an action is to be silent
    std::unique_ptr<FrameReceiver> m_base;               //!< Receiver on all channels
    std::vector<Address> m_addresses;                    //!< Address of the base station by channel
    std::vector<std::unique_ptr<FrameSender>> m_senders; //!< Senders of the radios
    Ptr<Interferer> m_interferer;                        //!< Interferer, or null
};

} // namespace ns3

#endif // CHANNEL_ACCESS_ENVIRONMENT_H
