// SPDX-License-Identifier: GPL-2.0-only

#ifndef TRAFFIC_MATRIX_H
#define TRAFFIC_MATRIX_H

#include "topology.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

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
                              std::string& fault);

    /**
     * @param source Number of a router.
     * @return the share of all packets that enter at the router
     */
    double GetShare(uint32_t source) const;

    /**
     * @param source Number of a router where packets enter.
     * @param uniform A number from 0 to 1, drawn uniformly.
     * @return the number of the destination
     */
    uint32_t DrawDestination(uint32_t source, double uniform) const;

  private:
    /**
     * @param routers Number of routers.
     */
    explicit TrafficMatrix(uint32_t routers);

    /// Give every pair the same weight.
    void SetUniform();

    /**
     * Set a pair's weight to the product of its routers' weights, whose logarithms are drawn from
     * the normal distribution.
     *
     * @param seed Seed of the random numbers.
     */
    void SetGravity(uint32_t seed);

    /**
     * Read demands.
     *
     * @param text <name>><name>:<weight>,..., each pair once.
     * @param topology Routers with their names.
     * @return a fault of the text, or an empty string
     */
    std::string ReadDemands(const std::string& text, const Topology& topology);

    /**
     * Read a file.
     *
     * @param path Path of the file.
     * @return a fault of the file, or an empty string
     */
    std::string ReadFile(const std::string& path);

    /**
     * Convert weights to shares.
     *
     * @return a fault of the weights, or an empty string
     */
    std::string Normalise();

    std::vector<std::vector<double>> m_weights; //!< Shares: [source][destination]
    std::vector<double> m_shares;               //!< Share of each source
};

} // namespace ns3

#endif // TRAFFIC_MATRIX_H
