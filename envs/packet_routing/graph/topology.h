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

/**
 * @brief Routers and the links between them, as a text has them.
 *
 * Items are separated by line breaks or semicolons; # begins a comment:
 *
 *     node <name> [<x> <y>]
 *     link <name> <name> [delay <time>] [rate <data rate>]
 *
 * Routers have numbers in the order of their nodes, links in the order in which they stand.
 */
class Topology
{
  public:
    /**
     * A router.
     */
    struct Router
    {
        std::string name; //!< Without blanks
        double x{0};      //!< Where it is drawn; longitude in degrees on a map
        double y{0};      //!< Where it is drawn; latitude in degrees on a map
    };

    /**
     * A link, in both directions.
     */
    struct Link
    {
        uint32_t first;               //!< Number of a router
        uint32_t second;              //!< Number of another one
        std::optional<Time> delay;    //!< One way; none: as the parameter says
        std::optional<DataRate> rate; //!< None: as the parameter says
    };

    static constexpr uint32_t MOST_ROUTERS = 1000; //!< Of a topology
    static constexpr uint32_t MOST_LINKS = 10'000; //!< Of a topology

    /**
     * Find a topology.
     *
     * @param given Name of one that is shipped, grid:<rows>x<columns>, or a text.
     * @param fault Is set to what is wrong with it; empty: nothing.
     * @return the topology; an empty one if something is wrong
     */
    static Topology Find(const std::string& given, std::string& fault);

    /**
     * Read a text.
     *
     * @param text Routers and links.
     * @param fault Is set to what is wrong with it; empty: nothing.
     * @return the topology; an empty one if something is wrong
     */
    static Topology Read(const std::string& text, std::string& fault);

    /**
     * @param name A name.
     * @return the number of the router; none: there is no such router
     */
    std::optional<uint32_t> FindRouter(const std::string& name) const;

    const std::vector<Router>& GetRouters() const; //!< @return the routers
    const std::vector<Link>& GetLinks() const;     //!< @return the links

    /**
     * @return the greatest number of links of a router
     */
    uint32_t GetMaxDegree() const;

  private:
    /**
     * Read one item.
     *
     * @param item The item.
     * @return what is wrong with it, or an empty string
     */
    std::string Add(const std::string& item);

    /**
     * Read a router.
     *
     * @param words Words of the item.
     * @return what is wrong with it, or an empty string
     */
    std::string AddRouter(const std::vector<std::string>& words);

    /**
     * Read a link.
     *
     * @param words Words of the item.
     * @return what is wrong with it, or an empty string
     */
    std::string AddLink(const std::vector<std::string>& words);

    /**
     * @return what is wrong with the whole, or an empty string
     */
    std::string FindFault() const;

    /**
     * @return a router that has no way to the first one; none: all have one
     */
    std::optional<uint32_t> FindCutOff() const;

    std::vector<Router> m_routers;             //!< By number
    std::vector<Link> m_links;                 //!< By number
    std::vector<uint32_t> m_degrees;           //!< Number of links of each router
    uint32_t m_maxDegree{0};                   //!< The greatest of them
    std::map<std::string, uint32_t> m_numbers; //!< Of routers, by name
};

} // namespace ns3

#endif // TOPOLOGY_H
