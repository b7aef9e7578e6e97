// SPDX-License-Identifier: GPL-2.0-only

#ifndef LINK_GRAPH_H
#define LINK_GRAPH_H

#include "network-parameters.h"
#include "topology.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief The knowledge of all routers about the links: the cost and state of each link, and the
 * distances.
 *
 * The distance between two routers is the least sum of delays of working links. A link's delay is
 * the delay of a mean-size packet without waiting.
 */
class LinkGraph
{
  public:
    /**
     * A link.
     */
    struct Link
    {
        uint32_t first;   //!< Number of a router
        uint32_t second;  //!< Number of the second router
        Time propagation; //!< One-way propagation delay
        DataRate rate;    //!< Data rate in each direction
        Time delay;       //!< Delay of a mean packet without waiting
        uint16_t cost;    //!< Metric of shortest paths
        bool works{true}; //!< Whether the link works
    };

    static constexpr double UNREACHABLE = 1e3; //!< Distance of unreachable routers, in s

    /**
     * @param parameters The properties of the network.
     * @param packetSize Mean size of a packet at a link, in bytes.
     */
    LinkGraph(const RoutingNetworkParameters& parameters, uint32_t packetSize);

    /**
     * @param parameters The properties of the network.
     * @param packetSize Mean size of a packet at a link, in bytes.
     * @return a fault of the costs of links, or an empty string
     */
    static std::string FindFault(const RoutingNetworkParameters& parameters, uint32_t packetSize);

    const Topology& GetTopology() const;       //!< @return the topology
    const std::vector<Link>& GetLinks() const; //!< @return all links
    uint32_t CountRouters() const;             //!< @return number of routers

    /**
     * @param router Number of a router.
     * @return the numbers of its links, in the order of its ports
     */
    const std::vector<uint32_t>& GetLinksOf(uint32_t router) const;

    /**
     * Record that a link has failed, or has been repaired.
     *
     * @param link Number of the link.
     * @param works Whether it works from now on.
     */
    void SetWorks(uint32_t link, bool works);

    /**
     * @return the number of failures and repairs so far
     */
    uint32_t GetVersion() const;

    /**
     * @param from Number of a router.
     * @param to Number of a router.
     * @return the distance in s; UNREACHABLE: there is no path
     */
    double GetDistance(uint32_t from, uint32_t to) const;

    /**
     * @return the links as JSON: [first, second, cost, works] each, for computing shortest paths
     */
    std::string WriteLinks() const;

  private:
    /**
     * Compute the distances to a router.
     *
     * @param to Number of the router.
     */
    void ComputeDistancesTo(uint32_t to) const;

    Topology m_topology;                                  //!< The network
    std::vector<Link> m_links;                            //!< Links by number
    std::vector<std::vector<uint32_t>> m_linksOf;         //!< Numbers of links, by router
    uint32_t m_version{0};                                //!< Number of changes so far
    mutable std::vector<std::vector<double>> m_distances; //!< Distances in s: [to][from]
    mutable bool m_distancesHold{false};                  //!< Whether m_distances are valid
};

} // namespace ns3

#endif // LINK_GRAPH_H
