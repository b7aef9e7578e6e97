// SPDX-License-Identifier: GPL-2.0-only

#ifndef FRAME_SENDER_H
#define FRAME_SENDER_H

#include "slotted-air.h"

#include "ns3/address.h"
#include "ns3/aloha-noack-net-device.h"
#include "ns3/half-duplex-ideal-phy.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

/**
 * @brief The transmitter of a node: an AlohaNoackNetDevice, tuned to a channel for each frame.
 */
class FrameSender
{
  public:
    static constexpr uint16_t PROTOCOL = 0x88b5; //!< Of frames, for experiments (IEEE 802)

    /**
     * @param air Where it sends, which lives as long as this.
     * @param node Whose it is.
     * @param place Where its antenna is.
     * @param power In dBm.
     */
    FrameSender(const SlottedAir& air, Ptr<Node> node, Ptr<MobilityModel> place, double power);

    /**
     * Send a frame that takes as long as frames do.
     *
     * @param channel Number of the channel.
     * @param receiver Whom to.
     */
    void Send(uint32_t channel, const Address& receiver);

    Address GetAddress() const; //!< @return whom its frames come from

  private:
    const SlottedAir& m_air;                  //!< Where it sends
    std::vector<Ptr<SpectrumValue>> m_powers; //!< By channel
    Ptr<HalfDuplexIdealPhy> m_phy;            //!< Sends signals
    Ptr<AlohaNoackNetDevice> m_device;        //!< Sends frames
};

} // namespace ns3

#endif // FRAME_SENDER_H
