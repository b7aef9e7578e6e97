// SPDX-License-Identifier: GPL-2.0-only

#ifndef STAR_NETWORK_H
#define STAR_NETWORK_H

#include "ns3/data-rate.h"
#include "ns3/ipv4-address.h"
#include "ns3/node-container.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @brief What links between replicas and the router are like.
 */
struct StarParameters
{
    DataRate rate{"100Mbps"};    //!< Of each link
    Time delay{MilliSeconds(1)}; //!< Of each link, one way
    double loss{0};              //!< Probability that a link loses a packet
};

/**
 * @brief Replicas' nodes, each with a point-to-point link to one router, and IPv4.
 *
 * Link i has the addresses 100.64.i.1 (router) and 100.64.i.2, which deployments do not take.
 */
class StarNetwork
{
  public:
    /**
     * Build it.
     *
     * @param replicas Number of nodes beside the router, at most 250.
     * @param parameters What links are like.
     */
    StarNetwork(uint32_t replicas, const StarParameters& parameters);

    const NodeContainer& GetNodes() const;                //!< @return replicas' nodes
    const std::vector<Ipv4Address>& GetAddresses() const; //!< @return their addresses

    /**
     * @param parameters What links are like.
     * @param bytes Size of a datagram's payload.
     * @param datagrams Sent to one node at once.
     * @return the time until the last of them has arrived there
     */
    static Time GetLongestWay(const StarParameters& parameters, uint32_t bytes, uint32_t datagrams);

  private:
    NodeContainer m_nodes;                //!< Of replicas
    std::vector<Ipv4Address> m_addresses; //!< Of replicas
};

} // namespace ns3

#endif // STAR_NETWORK_H
