// SPDX-License-Identifier: GPL-2.0-only

#ifndef TRAFFIC_MATRIX_H
#define TRAFFIC_MATRIX_H

#include "topology.h"

#include "ns3/regular-file.h"

#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/** The size limit of a file of weights: a thousand routers with 60 digits each. */
constexpr std::size_t MOST_MATRIX_BYTES = std::size_t{1} << 26;

/**
 * @param generator Source of random numbers.
 * @return a number from the standard normal distribution, equal on all machines
 */
inline double
DrawNormal(std::mt19937& generator)
{
    // Box and Muller's method: the distributions of libraries differ.
    const auto draw = [&generator] { return (generator() + 0.5) / 4294967296.0; };
    const auto radius = std::sqrt(-2 * std::log(draw()));
    return radius * std::cos(2 * M_PI * draw());
}

/**
 * @brief The share of all packets for each pair of sender and receiver.
 */
class TrafficMatrix
{
  public:
    /**
     * Find a matrix.
     *
     * @param given uniform, gravity, demands as a text, or the path of a file.
     * @param seed Seed of gravity.
     * @param topology The routers.
     * @param fault Set to the fault; empty: no fault.
     * @return the matrix
     */
    static TrafficMatrix Find(const std::string& given,
                              uint32_t seed,
                              const Topology& topology,
                              std::string& fault)
    {
        TrafficMatrix matrix(topology.GetRouters().size());
        fault.clear();
        if (given == "uniform")
        {
            matrix.SetUniform();
        }
        else if (given == "gravity")
        {
            matrix.SetGravity(seed);
        }
        else if (given.find('>') != std::string::npos)
        {
            fault = matrix.ReadDemands(given, topology);
        }
        else
        {
            fault = matrix.ReadFile(given);
        }
        fault = fault.empty() ? matrix.Normalise() : fault;
        if (!fault.empty())
        {
            fault = "matrix=" + given + " " + fault;
        }
        return matrix;
    }

    /**
     * @param source Number of a router.
     * @return the share of all packets that enter at the router
     */
    double GetShare(uint32_t source) const
    {
        return m_shares[source];
    }

    /**
     * @param source Number of a router where packets enter.
     * @param uniform A number from 0 to 1, drawn uniformly.
     * @return the number of the destination
     */
    uint32_t DrawDestination(uint32_t source, double uniform) const
    {
        const auto& weights = m_weights[source];
        auto rest = uniform * std::accumulate(weights.begin(), weights.end(), 0.0);
        uint32_t last = source;
        for (uint32_t destination = 0; destination < weights.size(); destination++)
        {
            if (weights[destination] > 0)
            {
                last = destination;
                rest -= weights[destination];
                if (rest < 0)
                {
                    break;
                }
            }
        }
        return last;
    }

  private:
    /**
     * @param routers Number of routers.
     */
    explicit TrafficMatrix(uint32_t routers)
        : m_weights(routers, std::vector<double>(routers)),
          m_shares(routers)
    {
    }

    /// Give every pair the same weight.
    void SetUniform()
    {
        for (auto& row : m_weights)
        {
            row.assign(row.size(), 1);
        }
    }

    /**
     * Set a pair's weight to the product of its routers' weights, whose logarithms are drawn from
     * the normal distribution.
     *
     * @param seed Seed of the random numbers.
     */
    void SetGravity(uint32_t seed)
    {
        std::mt19937 generator(seed);
        std::vector<double> weights;
        for (std::size_t i = 0; i < m_weights.size(); i++)
        {
            weights.push_back(std::exp(DrawNormal(generator)));
        }
        for (std::size_t i = 0; i < weights.size(); i++)
        {
            for (std::size_t j = 0; j < weights.size(); j++)
            {
                m_weights[i][j] = weights[i] * weights[j];
            }
        }
    }

    /**
     * Read demands.
     *
     * @param text <name>><name>:<weight>,..., each pair once.
     * @param topology Routers with their names.
     * @return a fault of the text, or an empty string
     */
    std::string ReadDemands(const std::string& text, const Topology& topology)
    {
        std::set<std::pair<uint32_t, uint32_t>> named;
        std::istringstream stream(text);
        for (std::string demand; std::getline(stream, demand, ',');)
        {
            const auto arrow = demand.find('>');
            const auto colon = demand.rfind(':');
            if (arrow == std::string::npos || colon == std::string::npos || colon < arrow)
            {
                return "has \"" + demand + "\", which is not <name>><name>:<weight>";
            }
            const auto source = topology.FindRouter(demand.substr(0, arrow));
            const auto destination =
                topology.FindRouter(demand.substr(arrow + 1, colon - arrow - 1));
            std::istringstream number(demand.substr(colon + 1));
            double weight = 0;
            if (!source || !destination || !(number >> weight) || !number.eof())
            {
                return "has \"" + demand + "\", which is not two routers and a weight";
            }
            if (!named.emplace(*source, *destination).second)
            {
                return "has \"" + demand + "\", whose pair of routers was named before";
            }
            m_weights[*source][*destination] = weight;
        }
        return "";
    }

    /**
     * Read a file.
     *
     * @param path Path of the file.
     * @return a fault of the file, or an empty string
     */
    std::string ReadFile(const std::string& path)
    {
        const auto read = ReadRegularFile(path, MOST_MATRIX_BYTES);
        if (!read.fault.empty())
        {
            return "must be uniform, gravity, <name>><name>:<weight>,... or a readable file: " +
                   read.fault;
        }
        std::istringstream file(read.content);
        std::size_t rows = 0;
        for (std::string line; std::getline(file, line);)
        {
            std::istringstream words(line.substr(0, line.find('#')));
            std::vector<double> row;
            for (double weight; words >> weight;)
            {
                row.push_back(weight);
            }
            if (!words.eof())
            {
                return "has a word that is not a number in \"" + line + "\"";
            }
            if (row.empty())
            {
                continue;
            }
            if (rows == m_weights.size() || row.size() != m_weights.size())
            {
                return "has " + std::to_string(row.size()) + " weights in its line " +
                       std::to_string(rows + 1) + ", where there are " +
                       std::to_string(m_weights.size()) + " routers, each with a line";
            }
            m_weights[rows++] = row;
        }
        return rows == m_weights.size() ? ""
                                        : "has " + std::to_string(rows) + " lines, but there are " +
                                              std::to_string(m_weights.size()) + " routers";
    }

    /**
     * Convert weights to shares.
     *
     * @return a fault of the weights, or an empty string
     */
    std::string Normalise()
    {
        double sum = 0;
        for (std::size_t i = 0; i < m_weights.size(); i++)
        {
            m_weights[i][i] = 0;
            for (const auto weight : m_weights[i])
            {
                if (!(weight >= 0) || !std::isfinite(weight))
                {
                    return "has a weight that is negative or not a finite number";
                }
                sum += weight;
            }
        }
        if (!std::isfinite(sum))
        {
            return "has weights whose sum is not a finite number";
        }
        if (sum <= 0)
        {
            return "has no weight above 0 between two routers";
        }
        for (std::size_t i = 0; i < m_weights.size(); i++)
        {
            m_shares[i] = std::accumulate(m_weights[i].begin(), m_weights[i].end(), 0.0) / sum;
        }
        return "";
    }

    std::vector<std::vector<double>> m_weights; //!< Shares: [source][destination]
    std::vector<double> m_shares;               //!< Share of each source
};

} // namespace ns3

#endif // TRAFFIC_MATRIX_H
