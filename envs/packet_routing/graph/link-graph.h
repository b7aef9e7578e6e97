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
 * @brief The knowledge of all routers about the links: the cost of each, which work, and the
 * distances.
 *
 * The distance between two routers is the least sum of the delays of links that work, where the
 * delay of a link is that of a packet of mean size that waits nowhere.
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
        uint32_t second;  //!< Number of another one
        Time propagation; //!< One way
        DataRate rate;    //!< In each direction
        Time delay;       //!< Of a packet of mean size that does not wait
        uint16_t cost;    //!< Metric of shortest paths
        bool works{true}; //!< It has not failed
    };

    static constexpr double UNREACHABLE = 1e3; //!< Distance in s where there is no way

    /**
     * @param parameters The properties of the network.
     * @param packetSize Mean size of a packet at a link, in bytes.
     */
    LinkGraph(const RoutingNetworkParameters& parameters, uint32_t packetSize);

    /**
     * @param parameters The properties of the network.
     * @param packetSize Mean size of a packet at a link, in bytes.
     * @return what is wrong with the costs of links, or an empty string
     */
    static std::string FindFault(const RoutingNetworkParameters& parameters, uint32_t packetSize);

    const Topology& GetTopology() const;       //!< @return what there is
    const std::vector<Link>& GetLinks() const; //!< @return all links
    uint32_t CountRouters() const;             //!< @return how many there are

    /**
     * @param router Number of a router.
     * @return the numbers of its links, in the order of its ports
     */
    const std::vector<uint32_t>& GetLinksOf(uint32_t router) const;

    /**
     * Note that a link has failed, or has been repaired.
     *
     * @param link Its number.
     * @param works Whether it works from now on.
     */
    void SetWorks(uint32_t link, bool works);

    /**
     * @return how often a link has failed or been repaired
     */
    uint32_t GetVersion() const;

    /**
     * @param from Number of a router.
     * @param to Number of a router.
     * @return the distance in s; UNREACHABLE: there is no way
     */
    double GetDistance(uint32_t from, uint32_t to) const;

    /**
     * @return the links as JSON: [first, second, cost, works] each, for who computes shortest paths
     */
    std::string WriteLinks() const;

  private:
    /// Compute all distances.
    void ComputeDistances() const;

    /**
     * Compute the distances to a router.
     *
     * @param to Its number.
     */
    void ComputeDistancesTo(uint32_t to) const;

    Topology m_topology;                                  //!< The network
    std::vector<Link> m_links;                            //!< By number
    std::vector<std::vector<uint32_t>> m_linksOf;         //!< Numbers of links, by router
    uint32_t m_version{0};                                //!< Changes so far
    mutable std::vector<std::vector<double>> m_distances; //!< In s: [to][from]
    mutable bool m_distancesHold{false};                  //!< They are those of the present
};

} // namespace ns3

#endif // LINK_GRAPH_H
