// SPDX-License-Identifier: GPL-2.0-only

#ifndef TOPOLOGY_H
#define TOPOLOGY_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

extern const std::map<std::string, std::string> SHIPPED_TOPOLOGIES; //!< Texts by name

/**
 * @brief Routers and the links between them, in the notation of a text.
 *
 * Items are separated by line breaks or semicolons; # begins a comment:
 *
 *     node <name> [<x> <y>]
 *     link <name> <name> [delay <time>] [rate <data rate>]
 *
 * Routers are numbered in the order of their nodes, links in their own order.
 */
class Topology
{
  public:
    /**
     * A router.
     */
    struct Router
    {
        std::string name; //!< Name, without blanks
        double x{0};      //!< Horizontal position; longitude in degrees on a map
        double y{0};      //!< Vertical position; latitude in degrees on a map
    };

    /**
     * A link, in both directions.
     */
    struct Link
    {
        uint32_t first;               //!< Number of a router
        uint32_t second;              //!< Number of the second router
        std::optional<Time> delay;    //!< One-way delay; none: the parameter's
        std::optional<DataRate> rate; //!< Data rate; none: the parameter's
    };

    static constexpr uint32_t MOST_ROUTERS = 1000; //!< Maximum number of routers
    static constexpr uint32_t MOST_LINKS = 10'000; //!< Maximum number of links

    /**
     * Find a topology.
     *
     * @param given Name of a shipped topology, grid:<rows>x<columns>, or a text.
     * @param fault Set to the fault; empty: no fault.
     * @return the topology; an empty one on a fault
     */
    static Topology Find(const std::string& given, std::string& fault);

    /**
     * Read a text.
     *
     * @param text Routers and links.
     * @param fault Set to the fault; empty: no fault.
     * @return the topology; an empty one on a fault
     */
    static Topology Read(const std::string& text, std::string& fault);

    /**
     * @param name A name.
     * @return the number of the router; none: there is no such router
     */
    std::optional<uint32_t> FindRouter(const std::string& name) const
    {
        const auto found = m_numbers.find(name);
        return found == m_numbers.end() ? std::nullopt : std::optional(found->second);
    }

    /// @return the routers
    const std::vector<Router>& GetRouters() const
    {
        return m_routers;
    }

    /// @return the links
    const std::vector<Link>& GetLinks() const
    {
        return m_links;
    }

    /**
     * @return the greatest number of links of a router
     */
    uint32_t GetMaxDegree() const
    {
        return m_maxDegree;
    }

  private:
    /**
     * Read one item.
     *
     * @param item The item.
     * @return a fault of the item, or an empty string
     */
    std::string Add(const std::string& item);

    /**
     * Read a router.
     *
     * @param words Words of the item.
     * @return a fault of the item, or an empty string
     */
    std::string AddRouter(const std::vector<std::string>& words);

    /**
     * Read a link.
     *
     * @param words Words of the item.
     * @return a fault of the item, or an empty string
     */
    std::string AddLink(const std::vector<std::string>& words);

    /**
     * @return a fault of the whole topology, or an empty string
     */
    std::string FindFault() const;

    /**
     * @return a router without a path to the first one; none: all have one
     */
    std::optional<uint32_t> FindCutOff() const;

    std::vector<Router> m_routers;             //!< Routers by number
    std::vector<Link> m_links;                 //!< Links by number
    std::vector<uint32_t> m_degrees;           //!< Number of links of each router
    uint32_t m_maxDegree{0};                   //!< Largest degree of a router
    std::map<std::string, uint32_t> m_numbers; //!< Numbers of routers by name
};

} // namespace ns3

#endif // TOPOLOGY_H
