// SPDX-License-Identifier: GPL-2.0-only

#ifndef NEIGHBOUR_LINKS_H
#define NEIGHBOUR_LINKS_H

#include "link-parameters.h"

#include "ns3/communication-helper.h"
#include "ns3/node-container.h"
#include "ns3/rl-application-container.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

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
    NeighbourLinks(const LinkParameters& link, std::string transport, std::vector<Pair> pairs);

    /**
     * Build point-to-point links, if messages need packets, before simulated time passes.
     *
     * @param nodes Nodes of agents.
     */
    void Build(const NodeContainer& nodes);

    /**
     * Connect agents.
     *
     * @param agents Agent of each cell.
     */
    void Connect(const RlApplicationContainer& agents) const;

    /**
     * @param cell Number of a cell.
     * @return numbers of the neighbouring cells
     */
    std::vector<uint32_t> GetNeighbours(uint32_t cell) const;

  private:
    LinkParameters m_link;                                //!< The properties of each link
    std::string m_transport;                              //!< The transport of messages
    std::vector<Pair> m_pairs;                            //!< Pairs of neighbouring cells
    std::vector<AnyCommunicationAttributes> m_attributes; //!< Attributes of each pair's channel
};

} // namespace ns3

#endif // NEIGHBOUR_LINKS_H
