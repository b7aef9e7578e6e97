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
    DataRate rate{"100Mbps"};      //!< Of each link, or of the bus
    Time delay{MicroSeconds(100)}; //!< Of each link, or of the bus, one way
    double loss{0};                //!< Probability that a device loses a packet that it receives
    std::string pcap;              //!< How names of captures begin; empty: there are none

    /**
     * @param replica Number of a replica.
     * @return the file in which what crosses its link is captured
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
    uint32_t datagrams{0}; //!< From one replica to another one
};

/**
 * @brief Replicas' nodes, what connects them, and IPv4.
 *
 * Addresses are in 100.64.0.0/10, where deployments have none.
 */
class ReplicaNetwork
{
  public:
    virtual ~ReplicaNetwork() = default;

    const NodeContainer& GetNodes() const;                //!< @return replicas' nodes
    const std::vector<Ipv4Address>& GetAddresses() const; //!< @return their addresses

    /**
     * @param replica Number of a replica.
     * @return what cuts it off from others
     */
    Ptr<PartitionFilter> GetFilter(uint32_t replica) const;

  protected:
    /**
     * Make nodes with IPv4, of which the first are those of replicas.
     *
     * @param replicas How many.
     * @param others Further nodes, without applications.
     */
    explicit ReplicaNetwork(uint32_t replicas, const NodeContainer& others = {});

    /**
     * Make the filter of a replica, which loses packets by chance, too.
     *
     * @param loss Probability.
     * @param sent Loses what the replica sends, at the other end of its link; null: nothing does.
     * @return the filter
     */
    Ptr<PartitionFilter> MakeFilter(double loss, Ptr<ErrorModel> sent = nullptr);

    /**
     * Put all replicas into one subnet, in which they know each other's hardware addresses.
     *
     * @param devices Devices of the replicas.
     */
    void AssignAddresses(const NetDeviceContainer& devices);

    NodeContainer m_nodes;                       //!< Of replicas
    std::vector<Ipv4Address> m_addresses;        //!< Of replicas
    std::vector<Ptr<PartitionFilter>> m_filters; //!< Of replicas
};

/**
 * @brief A kind of network: its construction, and its speed.
 *
 * Each kind has one object of this class: what is linked with all models of ns-3 that any of the
 * kinds needs would start slowly.
 */
class ReplicaTopology
{
  public:
    /// Builds a network of so many replicas.
    using Build = std::function<std::unique_ptr<ReplicaNetwork>(uint32_t, const ReplicaLinks&)>;
    /// Tells how long it takes at most until all that replicas send at once has arrived.
    using Bound = std::function<Time(uint32_t, const ReplicaLinks&, const ReplicaTraffic&)>;

    /**
     * @param name As parameter `topology` calls it.
     * @param topology The kind.
     */
    ReplicaTopology(const std::string& name, const ReplicaTopology& topology);

    /**
     * @param build Builds it.
     * @param bound How fast it is.
     */
    ReplicaTopology(Build build, Bound bound);

    /**
     * @return each kind that is linked, by name
     */
    static const std::map<std::string, ReplicaTopology>& GetAll();

    /**
     * @tparam Network A ReplicaNetwork with a constructor and a GetLongestWay() of these arguments.
     * @return its topology
     */
    template <typename Network>
    static ReplicaTopology Of()
    {
        return {[](uint32_t replicas, const ReplicaLinks& links) {
                    return std::make_unique<Network>(replicas, links);
                },
                &Network::GetLongestWay};
    }

    Build build; //!< Builds it
    Bound bound; //!< How fast it is
};

} // namespace ns3

#endif // REPLICA_NETWORK_H
