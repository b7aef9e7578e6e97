// SPDX-License-Identifier: GPL-2.0-only

#ifndef SLOTTED_AIR_H
#define SLOTTED_AIR_H

#include "channel-plan.h"

#include "ns3/mobility-model.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/spectrum-channel.h"
#include "ns3/vector.h"

#include <cstdint>
#include <functional>
#include <memory>

namespace ns3
{

/**
 * @brief The radios' channel, divided into slots.
 *
 * A slot begins with a guard time, a tenth of the slot, in which radios get their orders. Then all
 * frames are sent together, for eight tenths, and arrive in the rest. Energy is measured from the
 * beginning of a slot to its end.
 */
class SlottedAir
{
  public:
    /**
     * @param plan Plan of the channels.
     * @param slot Length of a slot.
     */
    SlottedAir(std::shared_ptr<const ChannelPlan> plan, Time slot);

    /// Use the loss of free space, and the plan's losses of channels.
    void UseFreeSpace();

    const ChannelPlan& GetPlan() const;  //!< @return plan of the channels
    Ptr<SpectrumChannel> GetAir() const; //!< @return channel of the radios
    Time GetSlot() const;                //!< @return length of a slot
    Time GetFrameTime() const;           //!< @return sending time in a slot

    /**
     * @param channel Number of a channel.
     * @return bytes of a frame there, headers included
     */
    uint32_t GetFrameSize(uint32_t channel) const;

    /**
     * Begin the first slot now.
     *
     * @param transmit Called in each slot when frames are sent.
     */
    void Start(std::function<void()> transmit);

    /**
     * Place a node.
     *
     * @param node The node.
     * @param place Position of the node.
     * @return the node's mobility model
     */
    static Ptr<MobilityModel> Place(Ptr<Node> node, const Vector& place);

    /**
     * @param bytes Bytes of a frame, headers included.
     * @return its payload; 0: the frame is too small
     */
    static uint32_t GetPayload(uint32_t bytes);

  private:
    void Transmit(); //!< Send the frames of this slot and of the next one

    std::shared_ptr<const ChannelPlan> m_plan; //!< Plan of the channels
    Time m_slot;                               //!< Length of a slot
    Ptr<SpectrumChannel> m_air;                //!< The channel of the radios
    std::function<void()> m_transmit;          //!< Sends the frames
};

} // namespace ns3

#endif // SLOTTED_AIR_H
