// SPDX-License-Identifier: GPL-2.0-only

#ifndef LINK_GRAPH_H
#define LINK_GRAPH_H

#include "network-parameters.h"
#include "topology.h"

#include "ns3/abort.h"
#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

constexpr int64_t COST_UNIT = 10'000; //!< Unit of metric=delay, in ns

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
    LinkGraph(const RoutingNetworkParameters& parameters, uint32_t packetSize)
    {
        std::string fault;
        m_topology = Topology::Find(parameters.topology, fault);
        NS_ABORT_MSG_UNLESS(fault.empty(), fault);
        m_linksOf.resize(CountRouters());
        for (const auto& given : m_topology.GetLinks())
        {
            auto link = Complete(given, parameters, packetSize);
            if (parameters.metric == "delay")
            {
                link.cost = static_cast<uint16_t>(GetDelayCost(link));
            }
            const auto number = static_cast<uint32_t>(m_links.size());
            m_linksOf[link.first].push_back(number);
            m_linksOf[link.second].push_back(number);
            m_links.push_back(link);
        }
    }

    /**
     * @param parameters The properties of the network.
     * @param packetSize Mean size of a packet at a link, in bytes.
     * @return a fault of the costs of links, or an empty string
     */
    static std::string FindFault(const RoutingNetworkParameters& parameters, uint32_t packetSize)
    {
        std::string fault;
        const auto topology = Topology::Find(parameters.topology, fault);
        for (const auto& given : topology.GetLinks())
        {
            const auto link = Complete(given, parameters, packetSize);
            if (parameters.metric == "delay" &&
                GetDelayCost(link) > std::numeric_limits<uint16_t>::max())
            {
                const auto& routers = topology.GetRouters();
                return "metric=delay supports up to 655 ms, but a packet takes longer from " +
                       routers[link.first].name + " to " + routers[link.second].name +
                       "; use metric=hops";
            }
        }
        return fault;
    }

    /// @return the topology
    const Topology& GetTopology() const
    {
        return m_topology;
    }

    /// @return all links
    const std::vector<Link>& GetLinks() const
    {
        return m_links;
    }

    /// @return number of routers
    uint32_t CountRouters() const
    {
        return m_topology.GetRouters().size();
    }

    /**
     * @param router Number of a router.
     * @return the numbers of its links, in the order of its ports
     */
    const std::vector<uint32_t>& GetLinksOf(uint32_t router) const
    {
        return m_linksOf[router];
    }

    /**
     * Record that a link has failed, or has been repaired.
     *
     * @param link Number of the link.
     * @param works Whether it works from now on.
     */
    void SetWorks(uint32_t link, bool works)
    {
        m_links[link].works = works;
        m_version++;
        m_distancesHold = false;
    }

    /**
     * @return the number of failures and repairs so far
     */
    uint32_t GetVersion() const
    {
        return m_version;
    }

    /**
     * @param from Number of a router.
     * @param to Number of a router.
     * @return the distance in s; UNREACHABLE: there is no path
     */
    double GetDistance(uint32_t from, uint32_t to) const
    {
        if (!m_distancesHold)
        {
            m_distances.assign(CountRouters(), std::vector<double>(CountRouters(), UNREACHABLE));
            for (uint32_t router = 0; router < CountRouters(); router++)
            {
                ComputeDistancesTo(router);
            }
            m_distancesHold = true;
        }
        return m_distances[to][from];
    }

    /**
     * @return the links as JSON: [first, second, cost, works] each, for computing shortest paths
     */
    std::string WriteLinks() const
    {
        std::ostringstream text;
        for (const auto& link : m_links)
        {
            text << (text.tellp() > 0 ? "," : "[") << "[" << link.first << "," << link.second << ","
                 << link.cost << "," << link.works << "]";
        }
        return text.str() + "]";
    }

  private:
    /**
     * @param given A link of the topology.
     * @param parameters The properties of links without their own.
     * @param packetSize Mean size of a packet in bytes.
     * @return the link
     */
    static Link Complete(const Topology::Link& given,
                         const RoutingNetworkParameters& parameters,
                         uint32_t packetSize)
    {
        Link link{given.first,
                  given.second,
                  given.delay.value_or(parameters.linkDelay),
                  given.rate.value_or(parameters.linkRate),
                  {},
                  1};
        link.delay = link.propagation + link.rate.CalculateBytesTxTime(packetSize);
        return link;
    }

    /**
     * @param link A link.
     * @return the cost with metric=delay
     */
    static int64_t GetDelayCost(const Link& link)
    {
        const auto cost = (link.delay.GetNanoSeconds() + COST_UNIT / 2) / COST_UNIT;
        return std::max<int64_t>(cost, 1);
    }

    /**
     * Compute the distances to a router.
     *
     * @param to Number of the router.
     */
    void ComputeDistancesTo(uint32_t to) const
    {
        // Dijkstra's algorithm.
        using Reached = std::pair<double, uint32_t>;
        std::priority_queue<Reached, std::vector<Reached>, std::greater<>> open;
        auto& distances = m_distances[to];
        distances[to] = 0;
        open.emplace(0, to);
        while (!open.empty())
        {
            const auto [distance, here] = open.top();
            open.pop();
            if (distance > distances[here])
            {
                continue;
            }
            for (const auto number : m_linksOf[here])
            {
                const auto& link = m_links[number];
                const auto there = link.first == here ? link.second : link.first;
                const auto longer = distance + link.delay.GetSeconds();
                if (link.works && longer < distances[there])
                {
                    distances[there] = longer;
                    open.emplace(longer, there);
                }
            }
        }
    }

    Topology m_topology;                                  //!< The network
    std::vector<Link> m_links;                            //!< Links by number
    std::vector<std::vector<uint32_t>> m_linksOf;         //!< Numbers of links, by router
    uint32_t m_version{0};                                //!< Number of changes so far
    mutable std::vector<std::vector<double>> m_distances; //!< Distances in s: [to][from]
    mutable bool m_distancesHold{false};                  //!< Whether m_distances are valid
};

} // namespace ns3

#endif // LINK_GRAPH_H
