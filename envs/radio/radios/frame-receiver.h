// SPDX-License-Identifier: GPL-2.0-only

#ifndef FRAME_RECEIVER_H
#define FRAME_RECEIVER_H

#include "slotted-air.h"

#include "ns3/address.h"
#include "ns3/net-device.h"

#include <cstdint>
#include <functional>
#include <map>

namespace ns3
{

/**
 * @brief Receivers of a node, each tuned to a channel for good, and the callback for frames that
 * arrive.
 *
 * A receiver takes the signal that arrives first, and loses it where other signals leave it less
 * capacity than the frame needs (ShannonSpectrumErrorModel).
 */
class FrameReceiver
{
  public:
    /// Takes the payload of a frame in bytes.
    using Listener = std::function<void(uint32_t)>;

    /**
     * @param air Where it listens, which lives as long as this.
     * @param node Whose it is.
     */
    FrameReceiver(const SlottedAir& air, Ptr<Node> node);
    FrameReceiver(const FrameReceiver&) = delete;
    FrameReceiver& operator=(const FrameReceiver&) = delete;

    /**
     * Add a receiver.
     *
     * @param channel Number of its channel.
     * @param place Where its antenna is.
     * @return its address
     */
    Address Listen(uint32_t channel, Ptr<MobilityModel> place);

    /**
     * Set the callback for frames that arrive for this node.
     *
     * @param sender Whose frames.
     * @param listener The callback.
     */
    void Report(const Address& sender, Listener listener);

  private:
    /**
     * Take a frame, as a protocol handler of the node.
     *
     * @param device Which has received it.
     * @param packet Its content.
     * @param protocol Protocol of the frame.
     * @param from The sender.
     * @param to The receiver.
     * @param type Whether it is for this node.
     */
    void Receive(Ptr<NetDevice> device,
                 Ptr<const Packet> packet,
                 uint16_t protocol,
                 const Address& from,
                 const Address& to,
                 NetDevice::PacketType type);

    const SlottedAir& m_air;                 //!< Where it listens
    Ptr<Node> m_node;                        //!< Whose it is
    std::map<Address, Listener> m_listeners; //!< By sender
};

} // namespace ns3

#endif // FRAME_RECEIVER_H
