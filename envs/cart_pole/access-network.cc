// SPDX-License-Identifier: GPL-2.0-only

#include "access-network.h"

#include "ns3/arp-cache.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-interface.h"
#include "ns3/ipv4-l3-protocol.h"

namespace ns3
{

Ipv4Address
AccessNetwork::GetAgentAddress(uint32_t cart) const
{
    return m_agentAddresses.at(cart);
}

void
AccessNetwork::AwaitReady(Time interval)
{
}

int64_t
AccessNetwork::InstallInternet(const NodeContainer& nodes, int64_t stream)
{
    InternetStackHelper internet;
    internet.SetIpv6StackInstall(false);
    internet.Install(nodes);
    return internet.AssignStreams(nodes, stream);
}

void
AccessNetwork::Introduce(const Interface& one, const Interface& other)
{
    for (const auto& [from, to] : {std::pair(one, other), std::pair(other, one)})
    {
        const auto& [ipv4, index] = to;
        const auto interface = DynamicCast<Ipv4L3Protocol>(from.first)->GetInterface(from.second);
        auto* entry = interface->GetArpCache()->Add(ipv4->GetAddress(index, 0).GetLocal());
        entry->SetMacAddress(ipv4->GetNetDevice(index)->GetAddress());
        entry->MarkPermanent();
    }
}

} // namespace ns3
