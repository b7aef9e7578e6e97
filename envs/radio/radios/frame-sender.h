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
    static constexpr uint16_t PROTOCOL = 0x88b5; //!< Protocol of experiments (IEEE 802)

    /**
     * @param air Channel to send on, which lives as long as this object.
     * @param node Node of the sender.
     * @param place Position of the antenna.
     * @param power Power in dBm.
     */
    FrameSender(const SlottedAir& air, Ptr<Node> node, Ptr<MobilityModel> place, double power);

    /**
     * Send a frame for a slot's whole sending time.
     *
     * @param channel Number of the channel.
     * @param receiver Address of the receiver.
     */
    void Send(uint32_t channel, const Address& receiver);

    Address GetAddress() const; //!< @return source address of the frames

  private:
    const SlottedAir& m_air;                  //!< Channel of the sender
    std::vector<Ptr<SpectrumValue>> m_powers; //!< Powers by channel
    Ptr<HalfDuplexIdealPhy> m_phy;            //!< Sends signals
    Ptr<AlohaNoackNetDevice> m_device;        //!< Sends frames
};

} // namespace ns3

#endif // FRAME_SENDER_H
