// SPDX-License-Identifier: GPL-2.0-only

#include "user-traffic.h"

#include "ns3/inet-socket-address.h"
#include "ns3/ipv4.h"
#include "ns3/udp-client.h"
#include "ns3/udp-socket-factory.h"
#include "ns3/uinteger.h"

namespace ns3
{

namespace
{

constexpr uint32_t PACKET_BYTES = 500;
constexpr uint16_t PORT = 1000;

} // namespace

UserTraffic::UserTraffic(Ptr<Node> source, const NodeContainer& users, DataRate demand)
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

void
UserTraffic::Start()
{
    const int64_t users = m_senders.size();
    for (int64_t user = 0; user < users; user++)
    {
        m_senders[user]->SetStartTime(m_gap * user / users);
        m_source->AddApplication(m_senders[user]);
    }
}

uint64_t
UserTraffic::GetReceivedBytes(uint32_t user) const
{
    return m_receivers[user]->GetTotalRx();
}

} // namespace ns3
