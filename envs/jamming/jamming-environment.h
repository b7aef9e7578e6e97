// SPDX-License-Identifier: GPL-2.0-only

#ifndef JAMMING_ENVIRONMENT_H
#define JAMMING_ENVIRONMENT_H

#include "duel-environment.h"
#include "frame-receiver.h"
#include "frame-sender.h"
#include "noise-sender.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief A transmitter, its receiver, which listens on all channels, and a jammer.
 */
class JammingEnvironment : public DuelEnvironment
{
  public:
    JammingEnvironment();

  private:
    void Declare(RlSimulation& simulation) override;
    std::string FindContradiction() const override;
    std::vector<Player> BuildPlayers() override;
    uint32_t GetFirstPlayer() const override;
    uint32_t CountActions(uint32_t player) const override;
    std::vector<float> Measure(uint32_t player) const override;
    double GetReward(uint32_t player) const override;
    OpenGymInfo Report(uint32_t player) const override;
    uint32_t CountSettings(uint32_t player) const override;
    uint32_t Answer(uint32_t player, uint32_t sensed) override;

    /**
     * @return the channels of the parameters; null: the parameters contradict each other
     */
    std::shared_ptr<ChannelPlan> MakePlan() const;

    Player BuildTransmitter(); //!< @return a transmitter, with a receiver
    Player BuildJammer();      //!< @return a jammer

    /**
     * @param payload Payload of a slot, in bytes.
     * @return the goodput in Mb/s
     */
    double ToGoodput(uint32_t payload) const;

    bool IsLimited() const; //!< @return whether the jammer lacks energy for some slots

    std::string m_role{"transmitter"};     //!< Role of a single agent
    uint32_t m_channels{3};                //!< Number of channels
    std::string m_bandwidths;              //!< Bandwidths in MHz, with commas; empty: 1 each
    std::string m_losses;                  //!< Losses in dB, with commas; empty: none
    double m_jammerPower{20};              //!< Power of the jammer in dBm
    double m_budget{1};                    //!< Share of slots with energy for the jammer
    std::vector<float> m_goodputs;         //!< Undisturbed goodput of each channel, in Mb/s
    uint32_t m_mostPayload{1};             //!< Largest payload of a frame, in bytes
    std::unique_ptr<FrameReceiver> m_base; //!< Receiver on all channels
    std::vector<Address> m_addresses;      //!< Address of the receiver by channel
    std::unique_ptr<FrameSender> m_sender; //!< Sender of the transmitter
    std::unique_ptr<NoiseSender> m_jammer; //!< Sender of the jammer
};

} // namespace ns3

#endif // JAMMING_ENVIRONMENT_H
