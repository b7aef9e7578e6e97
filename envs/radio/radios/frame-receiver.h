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
 * @brief Receivers of a node, each tuned to one channel, and the callback for received frames.
 *
 * A receiver takes the signal that arrives first, and loses it if other signals leave it less
 * capacity than the frame needs (ShannonSpectrumErrorModel).
 */
class FrameReceiver
{
  public:
    /// Takes the payload of a frame in bytes.
    using Listener = std::function<void(uint32_t)>;

    /**
     * @param air Channel to listen to, which lives as long as this object.
     * @param node Node of the receivers.
     */
    FrameReceiver(const SlottedAir& air, Ptr<Node> node);
    FrameReceiver(const FrameReceiver&) = delete;
    FrameReceiver& operator=(const FrameReceiver&) = delete;

    /**
     * Add a receiver.
     *
     * @param channel Number of the receiver's channel.
     * @param place Position of the antenna.
     * @return address of the receiver
     */
    Address Listen(uint32_t channel, Ptr<MobilityModel> place);

    /**
     * Set the callback for frames to this node.
     *
     * @param sender Sender of the frames.
     * @param listener The callback.
     */
    void Report(const Address& sender, Listener listener);

  private:
    /**
     * Process a frame, as a protocol handler of the node.
     *
     * @param device Receiving device.
     * @param packet Content of the frame.
     * @param protocol Protocol of the frame.
     * @param from The sender.
     * @param to The receiver.
     * @param type Whether the frame is for this node.
     */
    void Receive(Ptr<NetDevice> device,
                 Ptr<const Packet> packet,
                 uint16_t protocol,
                 const Address& from,
                 const Address& to,
                 NetDevice::PacketType type);

    const SlottedAir& m_air;                 //!< Channel of the receiver
    Ptr<Node> m_node;                        //!< Node of the receiver
    std::map<Address, Listener> m_listeners; //!< Listeners by sender
};

} // namespace ns3

#endif // FRAME_RECEIVER_H
