// SPDX-License-Identifier: GPL-2.0-only

#ifndef USER_TRAFFIC_H
#define USER_TRAFFIC_H

#include "ns3/application.h"
#include "ns3/data-rate.h"
#include "ns3/node-container.h"
#include "ns3/packet-sink.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @brief UDP packets that a node sends to each user at a constant rate.
 */
class UserTraffic
{
  public:
    /**
     * Prepare it.
     *
     * @param source Node that sends.
     * @param users Nodes of users, whose addresses are those of their first network device.
     * @param demand Payload to each.
     */
    UserTraffic(Ptr<Node> source, const NodeContainer& users, DataRate demand);

    /// Have packets sent from now on, to all users in turn.
    void Start();

    /**
     * @param user Number of a user.
     * @return bytes of payload that have arrived
     */
    uint64_t GetReceivedBytes(uint32_t user) const;

  private:
    Ptr<Node> m_source;                       //!< Sends
    Time m_gap;                               //!< Between two packets to a user
    std::vector<Ptr<Application>> m_senders;  //!< For each user
    std::vector<Ptr<PacketSink>> m_receivers; //!< Of each user
};

} // namespace ns3

#endif // USER_TRAFFIC_H
