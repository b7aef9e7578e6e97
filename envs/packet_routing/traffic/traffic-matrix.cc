// SPDX-License-Identifier: GPL-2.0-only

#include "traffic-matrix.h"

#include "ns3/regular-file.h"

#include <cmath>
#include <numeric>
#include <random>
#include <set>
#include <sstream>
#include <utility>

namespace ns3
{

namespace
{

/** The size limit of a file of weights: a thousand routers with 60 digits each. */
constexpr std::size_t MOST_MATRIX_BYTES = std::size_t{1} << 26;

/**
 * @param generator Source of random numbers.
 * @return a number from the standard normal distribution, equal on all machines
 */
double
DrawNormal(std::mt19937& generator)
{
    // Box and Muller's method: the distributions of libraries differ.
    const auto draw = [&generator] { return (generator() + 0.5) / 4294967296.0; };
    const auto radius = std::sqrt(-2 * std::log(draw()));
    return radius * std::cos(2 * M_PI * draw());
}

} // namespace

TrafficMatrix::TrafficMatrix(uint32_t routers)
    : m_weights(routers, std::vector<double>(routers)),
      m_shares(routers)
{
}

TrafficMatrix
TrafficMatrix::Find(const std::string& given,
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

void
TrafficMatrix::SetUniform()
{
    for (auto& row : m_weights)
    {
        row.assign(row.size(), 1);
    }
}

void
TrafficMatrix::SetGravity(uint32_t seed)
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

std::string
TrafficMatrix::ReadDemands(const std::string& text, const Topology& topology)
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
        const auto destination = topology.FindRouter(demand.substr(arrow + 1, colon - arrow - 1));
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

std::string
TrafficMatrix::ReadFile(const std::string& path)
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

std::string
TrafficMatrix::Normalise()
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

double
TrafficMatrix::GetShare(uint32_t source) const
{
    return m_shares[source];
}

uint32_t
TrafficMatrix::DrawDestination(uint32_t source, double uniform) const
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

} // namespace ns3
