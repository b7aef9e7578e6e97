// SPDX-License-Identifier: GPL-2.0-only

#ifndef REPLICA_NETWORK_H
#define REPLICA_NETWORK_H

#include "partition-filter.h"

#include "ns3/data-rate.h"
#include "ns3/ipv4-address.h"
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
    std::string GetCapture(uint32_t replica) const;

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
class ReplicaNetwork
{
  public:
    virtual ~ReplicaNetwork() = default;

    const NodeContainer& GetNodes() const;                //!< @return nodes of replicas
    const std::vector<Ipv4Address>& GetAddresses() const; //!< @return addresses of replicas

    /**
     * @param replica Number of a replica.
     * @return the filter that cuts it off from others
     */
    Ptr<PartitionFilter> GetFilter(uint32_t replica) const;

  protected:
    /**
     * Make nodes with IPv4, the replicas' nodes first.
     *
     * @param replicas Number of replicas.
     * @param others Further nodes, without applications.
     */
    explicit ReplicaNetwork(uint32_t replicas, const NodeContainer& others = {});

    /**
     * Make the filter of a replica, which also loses packets at random.
     *
     * @param loss Probability.
     * @param sent Loses the replica's packets at the other end of its link; null: none.
     * @return the filter
     */
    Ptr<PartitionFilter> MakeFilter(double loss, Ptr<ErrorModel> sent = nullptr);

    /**
     * Put all replicas into one subnet, with permanent ARP entries.
     *
     * @param devices Devices of the replicas.
     */
    void AssignAddresses(const NetDeviceContainer& devices);

    NodeContainer m_nodes;                       //!< Nodes of replicas
    std::vector<Ipv4Address> m_addresses;        //!< Addresses of replicas
    std::vector<Ptr<PartitionFilter>> m_filters; //!< Filters of replicas
};

/**
 * @brief A kind of network: its construction, and its speed.
 *
 * Each kind has its own object of this class: a program linked with ns-3's models for all kinds
 * would start slowly.
 */
class ReplicaTopology
{
  public:
    /// Builds a network for a number of replicas.
    using Build = std::function<std::unique_ptr<ReplicaNetwork>(uint32_t, const ReplicaLinks&)>;
    /// Returns the longest time until all packets that replicas send at once have arrived.
    using Bound = std::function<Time(uint32_t, const ReplicaLinks&, const ReplicaTraffic&)>;

    /**
     * @param name Value of parameter `topology`.
     * @param topology The kind.
     */
    ReplicaTopology(const std::string& name, const ReplicaTopology& topology);

    /**
     * @param build Builds the network.
     * @param bound Returns the bound of the travel time.
     */
    ReplicaTopology(Build build, Bound bound);

    /**
     * @return each linked kind, by name
     */
    static const std::map<std::string, ReplicaTopology>& GetAll();

    /**
     * @tparam Network A ReplicaNetwork with a constructor and a GetLongestWay() of these arguments.
     * @return the topology of the network
     */
    template <typename Network>
    static ReplicaTopology Of()
    {
        return {[](uint32_t replicas, const ReplicaLinks& links) {
                    return std::make_unique<Network>(replicas, links);
                },
                &Network::GetLongestWay};
    }

    Build build; //!< Builds the network
    Bound bound; //!< Returns the bound of the travel time
};

} // namespace ns3

#endif // REPLICA_NETWORK_H
