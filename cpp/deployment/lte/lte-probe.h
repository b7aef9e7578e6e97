// SPDX-License-Identifier: GPL-2.0-only

#ifndef LTE_PROBE_H
#define LTE_PROBE_H

#include "lte-network.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @brief Notes what users receive in each subframe, and in how many of them cells send data.
 *
 * Users measure in the control region, where all cells send on the whole bandwidth; so what they
 * measure does not depend on the traffic.
 */
class LteProbe
{
  public:
    static constexpr double LEAST_SINR = -50; //!< In dB, and the value before the first measurement
    static constexpr double LARGEST_SINR = 100; //!< In dB

    /**
     * @param network The network that is measured; it lives as long as the simulation.
     */
    explicit LteProbe(const LteNetwork& network);
    LteProbe(const LteProbe&) = delete;
    LteProbe& operator=(const LteProbe&) = delete;

    double GetSinr(uint32_t user) const; //!< @return of the last subframe, dB @param user which
    double GetRsrp(uint32_t user) const; //!< @return of the last serving cell, W @param user which

    /**
     * @param user Number of a user.
     * @return the mean SINR since the last call, dB
     */
    double TakeMeanSinr(uint32_t user);

    /**
     * @param cell Number of a cell.
     * @return subframes with data so far
     */
    uint64_t CountBusy(uint32_t cell) const;

  private:
    /// The measurements of a user.
    struct User
    {
        double last{LEAST_SINR}; //!< SINR of the last subframe, in dB
        double rsrp{0};          //!< Of the last subframe, in W
        double sum{0};           //!< Of SINRs since the mean was taken, in dB
        uint32_t count{0};       //!< Of them
    };

    /// The bytes that a cell has sent.
    struct Cell
    {
        int64_t subframe{-1}; //!< The last one in which it sent data, in ms
        uint64_t busy{0};     //!< Subframes with data
    };

    std::vector<User> m_users; //!< Of each user
    std::vector<Cell> m_cells; //!< Of each cell
};

} // namespace ns3

#endif // LTE_PROBE_H
