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
     * Prepare the traffic.
     *
     * @param source Sending node.
     * @param users Nodes of users, whose addresses are those of their first network device.
     * @param demand Payload to each user.
     */
    UserTraffic(Ptr<Node> source, const NodeContainer& users, DataRate demand);

    /// Start sending packets to all users in turn.
    void Start();

    /**
     * @param user Number of a user.
     * @return received bytes of payload
     */
    uint64_t GetReceivedBytes(uint32_t user) const;

  private:
    Ptr<Node> m_source;                       //!< Sending node
    Time m_gap;                               //!< Interval between packets to a user
    std::vector<Ptr<Application>> m_senders;  //!< Sender to each user
    std::vector<Ptr<PacketSink>> m_receivers; //!< Receiver of each user
};

} // namespace ns3

#endif // USER_TRAFFIC_H
