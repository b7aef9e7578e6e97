// SPDX-License-Identifier: GPL-2.0-only

#include "replica-network.h"

#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/neighbor-cache-helper.h"

#include <string>

namespace ns3
{

std::string
ReplicaLinks::GetCapture(uint32_t replica) const
{
    return pcap + "-replica-" + std::to_string(replica) + ".pcap";
}

ReplicaNetwork::ReplicaNetwork(uint32_t replicas, const NodeContainer& others)
    : nodes(replicas)
{
    InternetStackHelper internet;
    internet.SetIpv6StackInstall(false);
    internet.Install(nodes);
    internet.Install(others);
}

Ptr<PartitionFilter>
ReplicaNetwork::MakeFilter(double loss, Ptr<ErrorModel> sent)
{
    auto filter = CreateObject<PartitionFilter>();
    Ptr<RateErrorModel> errors;
    if (loss > 0)
    {
        errors = CreateObject<RateErrorModel>();
        errors->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
        errors->SetRate(loss);
    }
    filters.push_back(filter);
    filter->SetReplica(filters.size(), errors, sent);
    return filter;
}

void
ReplicaNetwork::AssignAddresses(const NetDeviceContainer& devices)
{
    const auto interfaces = Ipv4AddressHelper("100.64.0.0", "255.255.0.0").Assign(devices);
    for (uint32_t i = 0; i < interfaces.GetN(); i++)
    {
        addresses.push_back(interfaces.GetAddress(i));
    }
    NeighborCacheHelper().PopulateNeighborCache(interfaces);
}

std::map<std::string, ReplicaTopology>&
ReplicaTopology::GetAll()
{
    static std::map<std::string, ReplicaTopology> topologies;
    return topologies;
}

} // namespace ns3
