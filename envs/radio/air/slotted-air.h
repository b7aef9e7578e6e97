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
 * @brief The air that radios share, divided into slots.
 *
 * A slot begins with a guard time, a tenth of it, in which radios get their orders. Then frames
 * are sent, all at once, for eight tenths; the rest lets them arrive. Energy is measured from
 * the beginning of a slot to its end.
 */
class SlottedAir
{
  public:
    /**
     * @param plan Its channels.
     * @param slot How long a slot is.
     */
    SlottedAir(std::shared_ptr<const ChannelPlan> plan, Time slot);

    /// Signals lose what they lose in free space, and what the plan says of their channel.
    void UseFreeSpace();

    const ChannelPlan& GetPlan() const;  //!< @return its channels
    Ptr<SpectrumChannel> GetAir() const; //!< @return what radios are connected to
    Time GetSlot() const;                //!< @return how long a slot is
    Time GetFrameTime() const;           //!< @return how long frames are sent in a slot

    /**
     * @param channel Number of a channel.
     * @return bytes of a frame there, headers included
     */
    uint32_t GetFrameSize(uint32_t channel) const;

    /**
     * Begin the first slot now.
     *
     * @param transmit Is called in each slot when frames are sent.
     */
    void Start(std::function<void()> transmit);

    /**
     * Put a node at a place.
     *
     * @param node The node.
     * @param place Where.
     * @return its mobility model
     */
    static Ptr<MobilityModel> Place(Ptr<Node> node, const Vector& place);

    /**
     * @param bytes Bytes of a frame, headers included.
     * @return what it carries; 0: it is too small
     */
    static uint32_t GetPayload(uint32_t bytes);

  private:
    void Transmit(); //!< Have frames sent, in this slot and in the next one

    std::shared_ptr<const ChannelPlan> m_plan; //!< Its channels
    Time m_slot;                               //!< How long a slot is
    Ptr<SpectrumChannel> m_air;                //!< The channel of the radios
    std::function<void()> m_transmit;          //!< Has frames sent
};

} // namespace ns3

#endif // SLOTTED_AIR_H
