// SPDX-License-Identifier: GPL-2.0-only

#include "neighbour-links.h"

#include "access-network.h"
#include "point-to-point-links.h"

#include "ns3/rl-application-id.h"
#include "ns3/tcp-socket-factory.h"

namespace ns3
{

namespace
{

constexpr int64_t STREAM = 90000;        // after those of access networks
const Ipv4Address ADDRESSES("20.0.0.0"); // distinct from those of access networks

} // namespace

NeighbourLinks::NeighbourLinks(const LinkParameters& link,
                               std::string transport,
                               std::vector<Pair> pairs)
    : m_link(link),
      m_transport(std::move(transport)),
      m_pairs(std::move(pairs))
{
}

void
NeighbourLinks::Build(const NodeContainer& nodes)
{
    if (m_transport == "simple")
    {
        m_attributes.assign(m_pairs.size(), CommunicationAttributes{m_link.delay, m_link.loss});
        return;
    }
    const auto stream = STREAM + AccessNetwork::InstallInternet(nodes, STREAM);
    PointToPointLinks links(m_link, ADDRESSES);
    for (const auto& [one, other] : m_pairs)
    {
        const auto ends = links.Connect(nodes.Get(one), nodes.Get(other));
        SocketCommunicationAttributes sockets;
        sockets.clientAddress = ends.GetAddress(0);
        sockets.serverAddress = ends.GetAddress(1);
        if (m_transport == "tcp")
        {
            sockets.protocol = TcpSocketFactory::GetTypeId();
        }
        m_attributes.emplace_back(sockets);
    }
    links.AssignStreams(stream);
}

void
NeighbourLinks::Connect(const RlApplicationContainer& agents) const
{
    CommunicationHelper communication;
    communication.SetAgentApps(agents);
    communication.SetIds();
    for (std::size_t i = 0; i < m_pairs.size(); i++)
    {
        communication.AddCommunication({{{ApplicationType::AGENT, m_pairs[i].first},
                                         {ApplicationType::AGENT, m_pairs[i].second},
                                         m_attributes[i]}});
    }
}

std::vector<uint32_t>
NeighbourLinks::GetNeighbours(uint32_t cell) const
{
    std::vector<uint32_t> neighbours;
    for (const auto& [one, other] : m_pairs)
    {
        if (one == cell || other == cell)
        {
            neighbours.push_back(one == cell ? other : one);
        }
    }
    return neighbours;
}

} // namespace ns3
