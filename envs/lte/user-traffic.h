// SPDX-License-Identifier: GPL-2.0-only

#ifndef USER_TRAFFIC_H
#define USER_TRAFFIC_H

#include "ns3/application.h"
#include "ns3/data-rate.h"
#include "ns3/inet-socket-address.h"
#include "ns3/ipv4.h"
#include "ns3/node-container.h"
#include "ns3/packet-sink.h"
#include "ns3/udp-client.h"
#include "ns3/udp-socket-factory.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <vector>

namespace ns3
{

constexpr uint32_t PACKET_BYTES = 500;
constexpr uint16_t PORT = 1000;

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
    UserTraffic(Ptr<Node> source, const NodeContainer& users, DataRate demand)
        : m_source(source),
          m_gap(demand.CalculateBytesTxTime(PACKET_BYTES))
    {
        for (uint32_t user = 0; user < users.GetN(); user++)
        {
            const auto node = users.Get(user);
            const auto address = node->GetObject<Ipv4>()->GetAddress(1, 0).GetLocal();
            const auto receiver = CreateObject<PacketSink>();
            receiver->SetAttribute("Protocol", TypeIdValue(UdpSocketFactory::GetTypeId()));
            receiver->SetAttribute("Local",
                                   AddressValue(InetSocketAddress(Ipv4Address::GetAny(), PORT)));
            node->AddApplication(receiver);
            m_receivers.push_back(receiver);
            const auto sender = CreateObject<UdpClient>();
            sender->SetAttribute("Remote", AddressValue(InetSocketAddress(address, PORT)));
            sender->SetAttribute("PacketSize", UintegerValue(PACKET_BYTES));
            sender->SetAttribute("Interval", TimeValue(m_gap));
            sender->SetAttribute("MaxPackets", UintegerValue(0));
            m_senders.push_back(sender);
        }
    }

    /// Start sending packets to all users in turn.
    void Start()
    {
        const int64_t users = m_senders.size();
        for (int64_t user = 0; user < users; user++)
        {
            m_senders[user]->SetStartTime(m_gap * user / users);
            m_source->AddApplication(m_senders[user]);
        }
    }

    /**
     * @param user Number of a user.
     * @return received bytes of payload
     */
    uint64_t GetReceivedBytes(uint32_t user) const
    {
        return m_receivers[user]->GetTotalRx();
    }

  private:
    Ptr<Node> m_source;                       //!< Sending node
    Time m_gap;                               //!< Interval between packets to a user
    std::vector<Ptr<Application>> m_senders;  //!< Sender to each user
    std::vector<Ptr<PacketSink>> m_receivers; //!< Receiver of each user
};

} // namespace ns3

#endif // USER_TRAFFIC_H
