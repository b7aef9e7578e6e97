// SPDX-License-Identifier: GPL-2.0-only

#ifndef TOPOLOGY_H
#define TOPOLOGY_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace ns3
{

const std::string GRID = "grid:";

/**
 * @param item Words separated by blanks.
 * @return the words
 */
inline std::vector<std::string>
SplitWords(const std::string& item)
{
    std::istringstream stream(item);
    std::vector<std::string> words;
    for (std::string word; stream >> word;)
    {
        words.push_back(word);
    }
    return words;
}

/**
 * @tparam T double, uint32_t.
 * @param word A word.
 * @return the number; none: the word is not a finite number
 */
template <typename T>
inline std::optional<T>
ReadNumber(const std::string& word)
{
    T number{};
    const auto* end = word.data() + word.size();
    const auto [rest, error] = std::from_chars(word.data(), end, number);
    const bool whole = error == std::errc() && rest == end;
    return whole && std::isfinite(static_cast<double>(number)) ? std::optional(number)
                                                               : std::nullopt;
}

/**
 * @param word A word.
 * @param most Largest number of each allowed unit; ns-3 would abort on numbers beyond its range,
 * instead of rejecting them.
 * @return whether it is a number from 0 to this limit, and the unit
 */
inline bool
IsQuantity(const std::string& word, const std::map<std::string, double>& most)
{
    const auto unit = std::min(word.find_first_not_of("0123456789."), word.size());
    const auto number = ReadNumber<double>(word.substr(0, unit));
    const auto found = most.find(word.substr(unit));
    return number && found != most.end() && *number <= found->second;
}

/**
 * @param word A number with a unit of time.
 * @return the time; none: it is not a time from 0 to 10 s
 */
inline std::optional<Time>
ReadDelay(const std::string& word)
{
    const bool is = IsQuantity(word, {{"s", 10}, {"ms", 1e4}, {"us", 1e7}, {"ns", 1e10}});
    return is ? std::optional(Time(word)) : std::nullopt;
}

/**
 * @param word A number with a unit.
 * @return the data rate; none: it is not a rate from 1 kb/s to 100 Gb/s
 */
inline std::optional<DataRate>
ReadRate(const std::string& word)
{
    const bool is =
        IsQuantity(word, {{"bps", 1e11}, {"kbps", 1e8}, {"Mbps", 1e5}, {"Gbps", 100}}) &&
        DataRate(word) >= DataRate("1kbps");
    return is ? std::optional(DataRate(word)) : std::nullopt;
}

/**
 * @param given grid:<rows>x<columns>.
 * @param most Most routers.
 * @return the text of the grid; empty: no grid of this size exists
 */
inline std::string
WriteGrid(const std::string& given, uint32_t most)
{
    const auto cross = given.find('x');
    if (cross == std::string::npos)
    {
        return "";
    }
    const auto rows = ReadNumber<uint32_t>(given.substr(GRID.size(), cross - GRID.size()));
    const auto columns = ReadNumber<uint32_t>(given.substr(cross + 1));
    if (!rows || !columns || uint64_t(*rows) * *columns < 2 || uint64_t(*rows) * *columns > most)
    {
        return "";
    }
    std::ostringstream nodes;
    std::ostringstream links;
    for (uint32_t i = 0; i < *rows * *columns; i++)
    {
        const auto row = i / *columns;
        const auto column = i % *columns;
        nodes << "node r" << i << " " << column << " " << *rows - 1 - row << "\n";
        if (column + 1 < *columns)
        {
            links << "link r" << i << " r" << i + 1 << "\n";
        }
        if (row + 1 < *rows)
        {
            links << "link r" << i << " r" << i + *columns << "\n";
        }
    }
    return nodes.str() + links.str();
}

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
    static Topology Find(const std::string& given, std::string& fault)
    {
        if (given.starts_with(GRID))
        {
            const auto text = WriteGrid(given, MOST_ROUTERS);
            if (text.empty())
            {
                fault = "topology=" + given + " is not grid:<rows>x<columns> with 2 to " +
                        std::to_string(MOST_ROUTERS) + " routers";
                return {};
            }
            return Read(text, fault);
        }
        if (const auto shipped = SHIPPED_TOPOLOGIES.find(given);
            shipped != SHIPPED_TOPOLOGIES.end())
        {
            return Read(shipped->second, fault);
        }
        if (given.find("link ") == std::string::npos)
        {
            fault = "topology=" + given + " must be one of ";
            for (const auto& [name, text] : SHIPPED_TOPOLOGIES)
            {
                fault += name + ", ";
            }
            fault += "grid:<rows>x<columns>, or a text of routers and links";
            return {};
        }
        return Read(given, fault);
    }

    /**
     * Read a text.
     *
     * @param text Routers and links.
     * @param fault Set to the fault; empty: no fault.
     * @return the topology; an empty one on a fault
     */
    static Topology Read(const std::string& text, std::string& fault)
    {
        Topology topology;
        fault.clear();
        for (std::size_t begin = 0; fault.empty() && begin < text.size();)
        {
            auto end = std::min(text.find_first_of("\n;#", begin), text.size());
            fault = topology.Add(text.substr(begin, end - begin));
            if (text[end] == '#')
            {
                end = std::min(text.find('\n', end), text.size());
            }
            begin = end + 1;
        }
        if (fault.empty())
        {
            fault = topology.FindFault();
        }
        return fault.empty() ? topology : Topology();
    }

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
    std::string Add(const std::string& item)
    {
        const auto words = SplitWords(item);
        if (words.empty())
        {
            return "";
        }
        const auto fault = words[0] == "node"   ? AddRouter(words)
                           : words[0] == "link" ? AddLink(words)
                                                : "must begin with node or link";
        return fault.empty() ? "" : "topology has \"" + item + "\", which " + fault;
    }

    /**
     * Read a router.
     *
     * @param words Words of the item.
     * @return a fault of the item, or an empty string
     */
    std::string AddRouter(const std::vector<std::string>& words)
    {
        if (words.size() != 2 && words.size() != 4)
        {
            return "is not node <name> [<x> <y>]";
        }
        Router router{words[1]};
        if (words.size() == 4)
        {
            const auto x = ReadNumber<double>(words[2]);
            const auto y = ReadNumber<double>(words[3]);
            if (!x || !y)
            {
                return "is not node <name> [<x> <y>] with two numbers";
            }
            router.x = *x;
            router.y = *y;
        }
        if (!m_numbers.emplace(router.name, m_routers.size()).second)
        {
            return "names a router that exists already";
        }
        m_routers.push_back(router);
        return "";
    }

    /**
     * Read a link.
     *
     * @param words Words of the item.
     * @return a fault of the item, or an empty string
     */
    std::string AddLink(const std::vector<std::string>& words)
    {
        if (words.size() < 3 || words.size() % 2 == 0)
        {
            return "is not link <name> <name> [delay <time>] [rate <data rate>]";
        }
        const auto first = FindRouter(words[1]);
        const auto second = FindRouter(words[2]);
        if (!first || !second)
        {
            return "names " + words[first ? 2 : 1] + ", which is not a node before it";
        }
        if (*first == *second)
        {
            return "joins a router with itself";
        }
        for (const auto& link : m_links)
        {
            if (std::minmax(link.first, link.second) == std::minmax(*first, *second))
            {
                return "joins routers that are joined already; give one link with both rates";
            }
        }
        Link link{*first, *second, {}, {}};
        for (std::size_t i = 3; i < words.size(); i += 2)
        {
            if (words[i] == "delay" && !link.delay)
            {
                link.delay = ReadDelay(words[i + 1]);
            }
            else if (words[i] == "rate" && !link.rate)
            {
                link.rate = ReadRate(words[i + 1]);
            }
            if ((words[i] != "delay" || !link.delay) && (words[i] != "rate" || !link.rate))
            {
                return "has no delay from 0s to 10s, or rate from 1kbps to 100Gbps, in \"" +
                       words[i] + " " + words[i + 1] + "\"";
            }
        }
        m_links.push_back(link);
        m_degrees.resize(m_routers.size());
        m_maxDegree = std::max({m_maxDegree, ++m_degrees[link.first], ++m_degrees[link.second]});
        return "";
    }

    /**
     * @return a fault of the whole topology, or an empty string
     */
    std::string FindFault() const
    {
        if (m_routers.size() < 2 || m_routers.size() > MOST_ROUTERS || m_links.size() > MOST_LINKS)
        {
            return "topology has " + std::to_string(m_routers.size()) + " routers and " +
                   std::to_string(m_links.size()) + " links; 2 to " + std::to_string(MOST_ROUTERS) +
                   " routers and up to " + std::to_string(MOST_LINKS) + " links can be";
        }
        if (const auto cutOff = FindCutOff())
        {
            return "topology is not connected: there is no path from " + m_routers[0].name +
                   " to " + m_routers[*cutOff].name;
        }
        return "";
    }

    /**
     * @return a router without a path to the first one; none: all have one
     */
    std::optional<uint32_t> FindCutOff() const
    {
        std::vector<std::vector<uint32_t>> neighbours(m_routers.size());
        for (const auto& link : m_links)
        {
            neighbours[link.first].push_back(link.second);
            neighbours[link.second].push_back(link.first);
        }
        std::vector<bool> reached(m_routers.size());
        std::vector<uint32_t> open{0};
        reached[0] = true;
        while (!open.empty())
        {
            const auto here = open.back();
            open.pop_back();
            for (const auto there : neighbours[here])
            {
                if (!reached[there])
                {
                    reached[there] = true;
                    open.push_back(there);
                }
            }
        }
        const auto missing = std::find(reached.begin(), reached.end(), false);
        return missing == reached.end() ? std::nullopt
                                        : std::optional<uint32_t>(missing - reached.begin());
    }

    std::vector<Router> m_routers;             //!< Routers by number
    std::vector<Link> m_links;                 //!< Links by number
    std::vector<uint32_t> m_degrees;           //!< Number of links of each router
    uint32_t m_maxDegree{0};                   //!< Largest degree of a router
    std::map<std::string, uint32_t> m_numbers; //!< Numbers of routers by name
};

} // namespace ns3

#endif // TOPOLOGY_H
