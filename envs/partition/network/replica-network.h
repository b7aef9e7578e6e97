// SPDX-License-Identifier: GPL-2.0-only

#ifndef REPLICA_NETWORK_H
#define REPLICA_NETWORK_H

#include "partition-filter.h"

#include "ns3/data-rate.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-address.h"
#include "ns3/neighbor-cache-helper.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief The properties of links between replicas.
 */
struct ReplicaLinks
{
    DataRate rate{"100Mbps"};      //!< Data rate of each link, or of the bus
    Time delay{MicroSeconds(100)}; //!< One-way delay of each link, or of the bus
    double loss{0};                //!< Probability that a device loses a received packet
    std::string pcap;              //!< Prefix of captures; empty: none

    /**
     * @param replica Number of a replica.
     * @return the file that captures its link
     */
    std::string GetCapture(uint32_t replica) const
    {
        return pcap + "-replica-" + std::to_string(replica) + ".pcap";
    }

    bool operator==(const ReplicaLinks&) const = default;
};

/**
 * @brief Largest number of messages between replicas in a tick.
 */
struct ReplicaTraffic
{
    uint32_t bytes{0};     //!< Payload of a datagram
    uint32_t datagrams{0}; //!< Datagrams from one replica to another
};

/**
 * @brief The nodes of replicas, their network, and IPv4.
 *
 * Addresses are in 100.64.0.0/10, which deployments do not use.
 */
struct ReplicaNetwork
{
    /**
     * Make nodes with IPv4, and nothing between them.
     *
     * @param replicas Number of replicas.
     * @param others Further nodes, without applications.
     */
    explicit ReplicaNetwork(uint32_t replicas, const NodeContainer& others = {})
        : nodes(replicas)
    {
        InternetStackHelper internet;
        internet.SetIpv6StackInstall(false);
        internet.Install(nodes);
        internet.Install(others);
    }

    /**
     * Make the filter of the next replica, which cuts it off from others, and also loses packets at
     * random.
     *
     * @param loss Probability.
     * @param sent Loses the replica's packets at the other end of its link; null: none.
     * @return the filter
     */
    Ptr<PartitionFilter> MakeFilter(double loss, Ptr<ErrorModel> sent = nullptr)
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

    /**
     * Put all replicas into one subnet, with permanent ARP entries.
     *
     * @param devices Devices of the replicas.
     */
    void AssignAddresses(const NetDeviceContainer& devices)
    {
        const auto interfaces = Ipv4AddressHelper("100.64.0.0", "255.255.0.0").Assign(devices);
        for (uint32_t i = 0; i < interfaces.GetN(); i++)
        {
            addresses.push_back(interfaces.GetAddress(i));
        }
        NeighborCacheHelper().PopulateNeighborCache(interfaces);
    }

    NodeContainer nodes;                       //!< Nodes of replicas
    std::vector<Ipv4Address> addresses;        //!< Addresses of replicas
    std::vector<Ptr<PartitionFilter>> filters; //!< Filters of replicas
};

/**
 * @brief A kind of network: its construction, and its speed.
 *
 * Each kind has its own file, which adds it to GetAll(): a program linked with ns-3's models for
 * all kinds would start slowly.
 */
struct ReplicaTopology
{
    /// Builds a network for a number of replicas.
    using Build = std::function<std::unique_ptr<ReplicaNetwork>(uint32_t, const ReplicaLinks&)>;
    /// Returns the longest time until all packets that replicas send at once have arrived.
    using Bound = std::function<Time(uint32_t, const ReplicaLinks&, const ReplicaTraffic&)>;

    /**
     * @return each linked kind, by the value of parameter `topology`
     */
    static std::map<std::string, ReplicaTopology>& GetAll()
    {
        static std::map<std::string, ReplicaTopology> topologies;
        return topologies;
    }

    Build build; //!< Builds the network
    Bound bound; //!< Returns the bound of the travel time
};

} // namespace ns3

#endif // REPLICA_NETWORK_H
