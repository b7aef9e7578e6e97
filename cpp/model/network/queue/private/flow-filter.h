// SPDX-License-Identifier: GPL-2.0-only

#ifndef FLOW_FILTER_H
#define FLOW_FILTER_H

#include "ns3/packet-filter.h"

namespace ns3
{

class QueueDisc;

/**
 * @ingroup defiance
 *
 * @brief Finds the flow of a packet for a fair queue, faster than without a filter.
 *
 * ns-3's fair queues hash addresses, protocol and ports of each packet. To read the ports they
 * parse the whole TCP header with its options. This filter reads only four bytes, and computes the
 * same hash as ns-3.
 */
class FlowFilter : public PacketFilter
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    FlowFilter();

    /**
     * @param perturbation attribute `Perturbation` of the queue
     * @param flows attribute `Flows` of the queue
     */
    FlowFilter(uint32_t perturbation, uint32_t flows);

    /**
     * @brief Add a filter to each fair queue of the simulation without one.
     *
     * The attributes of a queue with a filter must not change afterwards.
     */
    static void InstallEverywhere();

  private:
    /**
     * @brief Add a filter to a queue and to its inner queues, where a filter helps.
     * @param disc the queue; may be null
     */
    static void Install(Ptr<QueueDisc> disc);

    /**
     * @param item packet of a queue
     * @return the result of `item->Hash()`
     */
    uint32_t Hash(const QueueDiscItem& item) const;

    bool CheckProtocol(Ptr<QueueDiscItem> item) const override;
    int32_t DoClassify(Ptr<QueueDiscItem> item) const override;

    uint32_t m_perturbation{0}; //!< The first value of the hash
    uint32_t m_flows{1024};     //!< Number of flows that the queue distinguishes
};

} // namespace ns3

#endif // FLOW_FILTER_H
