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
     * @param topology Routers that it is about.
     * @param fault Is set to what is wrong with it; empty: nothing.
     * @return the matrix
     */
    static TrafficMatrix Find(const std::string& given,
                              uint32_t seed,
                              const Topology& topology,
                              std::string& fault);

    /**
     * @param source Number of a router.
     * @return the share of all packets that enter there
     */
    double GetShare(uint32_t source) const;

    /**
     * @param source Number of a router where packets enter.
     * @param uniform A number from 0 to 1, drawn uniformly.
     * @return the number of the router where the packet is bound for
     */
    uint32_t DrawDestination(uint32_t source, double uniform) const;

  private:
    /**
     * @param routers How many there are.
     */
    explicit TrafficMatrix(uint32_t routers);

    /// Every pair is alike.
    void SetUniform();

    /**
     * A pair's weight is the product of those of its routers, whose logarithms are drawn from the
     * normal distribution.
     *
     * @param seed Seed of the random numbers.
     */
    void SetGravity(uint32_t seed);

    /**
     * Read demands.
     *
     * @param text <name>><name>:<weight>,..., each pair once.
     * @param topology Has the names.
     * @return what is wrong with it, or an empty string
     */
    std::string ReadDemands(const std::string& text, const Topology& topology);

    /**
     * Read a file.
     *
     * @param path Path of the file.
     * @return what is wrong with it, or an empty string
     */
    std::string ReadFile(const std::string& path);

    /**
     * Make shares of weights.
     *
     * @return what is wrong with them, or an empty string
     */
    std::string Normalise();

    std::vector<std::vector<double>> m_weights; //!< Shares: [source][destination]
    std::vector<double> m_shares;               //!< Of each source
};

} // namespace ns3

#endif // TRAFFIC_MATRIX_H
