// SPDX-License-Identifier: GPL-2.0-only

#include "access-network.h"

#include "ns3/arp-cache.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-interface.h"
#include "ns3/ipv4-l3-protocol.h"

namespace ns3
{

namespace
{

/**
 * @return the factory of each linked kind, by name
 */
std::map<std::string, AccessFactory>&
GetFactories()
{
    static std::map<std::string, AccessFactory> factories; // exists before any registration
    return factories;
}

} // namespace

NodeContainer
AccessNetwork::SelectWithoutInternet(const NodeContainer& nodes)
{
    NodeContainer selected;
    for (auto node = nodes.Begin(); node != nodes.End(); ++node)
    {
        if (!(*node)->GetObject<Ipv4>())
        {
            selected.Add(*node);
        }
    }
    return selected;
}

int64_t
AccessNetwork::InstallInternet(const NodeContainer& nodes, int64_t stream)
{
    const auto selected = SelectWithoutInternet(nodes);
    InternetStackHelper internet;
    internet.SetIpv6StackInstall(false);
    internet.Install(selected);
    return internet.AssignStreams(selected, stream);
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

AccessRegistration::AccessRegistration(const std::string& kind, AccessFactory factory)
{
    GetFactories()[kind] = std::move(factory);
}

const std::map<std::string, AccessFactory>&
AccessRegistration::GetAll()
{
    return GetFactories();
}

} // namespace ns3
