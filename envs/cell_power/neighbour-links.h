// SPDX-License-Identifier: GPL-2.0-only

#ifndef NEIGHBOUR_LINKS_H
#define NEIGHBOUR_LINKS_H

#include "access-network.h"
#include "link-parameters.h"
#include "point-to-point-links.h"

#include "ns3/communication-helper.h"
#include "ns3/node-container.h"
#include "ns3/rl-application-container.h"
#include "ns3/rl-application-id.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

constexpr int64_t STREAM = 90000;        // after those of access networks
const Ipv4Address ADDRESSES("20.0.0.0"); // distinct from those of access networks

/**
 * @brief The links between agents of neighbouring cells, as between base stations over X2.
 */
class NeighbourLinks
{
  public:
    /// Numbers of two cells.
    using Pair = std::pair<uint32_t, uint32_t>;

    /**
     * @param link The properties of each link.
     * @param transport The transport of messages: simple, udp, tcp.
     * @param pairs Pairs of neighbouring cells.
     */
    NeighbourLinks(const LinkParameters& link, std::string transport, std::vector<Pair> pairs)
        : m_link(link),
          m_transport(std::move(transport)),
          m_pairs(std::move(pairs))
    {
    }

    /**
     * Build point-to-point links, if messages need packets, before simulated time passes.
     *
     * @param nodes Nodes of agents.
     */
    void Build(const NodeContainer& nodes)
    {
        if (m_transport == "simple")
        {
            m_attributes.assign(m_pairs.size(), m_link.MakeAttributes(m_transport));
            return;
        }
        const auto stream = STREAM + AccessNetwork::InstallInternet(nodes, STREAM);
        PointToPointLinks links(m_link, ADDRESSES);
        for (const auto& [one, other] : m_pairs)
        {
            const auto ends = links.Connect(nodes.Get(one), nodes.Get(other));
            m_attributes.push_back(
                m_link.MakeAttributes(m_transport, ends.GetAddress(0), ends.GetAddress(1)));
        }
        links.AssignStreams(stream);
    }

    /**
     * Connect agents.
     *
     * @param agents Agent of each cell.
     */
    void Connect(const RlApplicationContainer& agents) const
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

    /**
     * @param cell Number of a cell.
     * @return numbers of the neighbouring cells
     */
    std::vector<uint32_t> GetNeighbours(uint32_t cell) const
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

  private:
    LinkParameters m_link;                                //!< The properties of each link
    std::string m_transport;                              //!< The transport of messages
    std::vector<Pair> m_pairs;                            //!< Pairs of neighbouring cells
    std::vector<AnyCommunicationAttributes> m_attributes; //!< Attributes of each pair's channel
};

} // namespace ns3

#endif // NEIGHBOUR_LINKS_H
