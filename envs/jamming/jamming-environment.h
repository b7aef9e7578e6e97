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
    uint32_t Answer(uint32_t player, uint32_t heard) override;

    /**
     * @return the channels that the parameters describe; null: those contradict each other
     */
    std::shared_ptr<ChannelPlan> MakePlan() const;

    Player BuildTransmitter(); //!< @return it, and its receiver stands, too
    Player BuildJammer();      //!< @return it

    /**
     * @param payload Payload of a slot, in bytes.
     * @return what that is in Mb/s
     */
    double ToGoodput(uint32_t payload) const;

    bool IsLimited() const; //!< @return whether the jammer has not energy for all slots

    std::string m_role{"transmitter"};     //!< Of the agent, if there is one alone
    uint32_t m_channels{3};                //!< Number of channels
    std::string m_bandwidths;              //!< In MHz, with commas between them; empty: 1 each
    std::string m_losses;                  //!< In dB, with commas between them; empty: none
    double m_jammerPower{20};              //!< In dBm
    double m_budget{1};                    //!< Share of the slots that the jammer has energy for
    std::vector<float> m_goodputs;         //!< Of each channel, undisturbed, in Mb/s
    uint32_t m_mostPayload{1};             //!< Of a frame on the best channel, in bytes
    std::unique_ptr<FrameReceiver> m_base; //!< Listens on all channels
    std::vector<Address> m_addresses;      //!< Of the receiver, by channel
    std::unique_ptr<FrameSender> m_sender; //!< Of the transmitter
    std::unique_ptr<NoiseSender> m_jammer; //!< Of the jammer
};

} // namespace ns3

#endif // JAMMING_ENVIRONMENT_H
