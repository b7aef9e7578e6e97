// SPDX-License-Identifier: GPL-2.0-only

#include "replica-network.h"

#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/neighbor-cache-helper.h"

#include <string>
#include <utility>

namespace ns3
{

namespace
{

/**
 * @return each linked kind, by name
 */
std::map<std::string, ReplicaTopology>&
GetTopologies()
{
    static std::map<std::string, ReplicaTopology> topologies;
    return topologies;
}

} // namespace

std::string
ReplicaLinks::GetCapture(uint32_t replica) const
{
    return pcap + "-replica-" + std::to_string(replica) + ".pcap";
}

ReplicaNetwork::ReplicaNetwork(uint32_t replicas, const NodeContainer& others)
    : m_nodes(replicas)
{
    InternetStackHelper internet;
    internet.SetIpv6StackInstall(false);
    internet.Install(m_nodes);
    internet.Install(others);
}

const NodeContainer&
ReplicaNetwork::GetNodes() const
{
    return m_nodes;
}

const std::vector<Ipv4Address>&
ReplicaNetwork::GetAddresses() const
{
    return m_addresses;
}

Ptr<PartitionFilter>
ReplicaNetwork::GetFilter(uint32_t replica) const
{
    return m_filters.at(replica - 1);
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
    m_filters.push_back(filter);
    filter->SetReplica(m_filters.size(), errors, sent);
    return filter;
}

void
ReplicaNetwork::AssignAddresses(const NetDeviceContainer& devices)
{
    const auto interfaces = Ipv4AddressHelper("100.64.0.0", "255.255.0.0").Assign(devices);
    for (uint32_t i = 0; i < interfaces.GetN(); i++)
    {
        m_addresses.push_back(interfaces.GetAddress(i));
    }
    NeighborCacheHelper().PopulateNeighborCache(interfaces);
}

ReplicaTopology::ReplicaTopology(const std::string& name, const ReplicaTopology& topology)
    : ReplicaTopology(topology)
{
    GetTopologies().emplace(name, topology);
}

ReplicaTopology::ReplicaTopology(Build build, Bound bound)
    : build(std::move(build)),
      bound(std::move(bound))
{
}

const std::map<std::string, ReplicaTopology>&
ReplicaTopology::GetAll()
{
    return GetTopologies();
}

} // namespace ns3
