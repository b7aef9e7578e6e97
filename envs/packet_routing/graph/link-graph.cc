// SPDX-License-Identifier: GPL-2.0-only

#include "link-graph.h"

#include "ns3/abort.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <sstream>
#include <utility>

namespace ns3
{

namespace
{

constexpr int64_t COST_UNIT = 10'000; //!< Unit of metric=delay, in ns

/**
 * @param given A link of the topology.
 * @param parameters The properties of links without their own.
 * @param packetSize Mean size of a packet in bytes.
 * @return the link
 */
LinkGraph::Link
Complete(const Topology::Link& given,
         const RoutingNetworkParameters& parameters,
         uint32_t packetSize)
{
    LinkGraph::Link link{given.first,
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
int64_t
GetDelayCost(const LinkGraph::Link& link)
{
    const auto cost = (link.delay.GetNanoSeconds() + COST_UNIT / 2) / COST_UNIT;
    return std::max<int64_t>(cost, 1);
}

} // namespace

LinkGraph::LinkGraph(const RoutingNetworkParameters& parameters, uint32_t packetSize)
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

std::string
LinkGraph::FindFault(const RoutingNetworkParameters& parameters, uint32_t packetSize)
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

const Topology&
LinkGraph::GetTopology() const
{
    return m_topology;
}

const std::vector<LinkGraph::Link>&
LinkGraph::GetLinks() const
{
    return m_links;
}

uint32_t
LinkGraph::CountRouters() const
{
    return m_topology.GetRouters().size();
}

const std::vector<uint32_t>&
LinkGraph::GetLinksOf(uint32_t router) const
{
    return m_linksOf[router];
}

void
LinkGraph::SetWorks(uint32_t link, bool works)
{
    m_links[link].works = works;
    m_version++;
    m_distancesHold = false;
}

uint32_t
LinkGraph::GetVersion() const
{
    return m_version;
}

double
LinkGraph::GetDistance(uint32_t from, uint32_t to) const
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

void
LinkGraph::ComputeDistancesTo(uint32_t to) const
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

std::string
LinkGraph::WriteLinks() const
{
    std::ostringstream text;
    for (const auto& link : m_links)
    {
        text << (text.tellp() > 0 ? "," : "[") << "[" << link.first << "," << link.second << ","
             << link.cost << "," << link.works << "]";
    }
    return text.str() + "]";
}

} // namespace ns3
