// SPDX-License-Identifier: GPL-2.0-only

#ifndef LTE_METER_H
#define LTE_METER_H

#include "lte-cells.h"
#include "lte-probe.h"

#include "ns3/nstime.h"
#include "ns3/opengym-info.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @brief The measurements of each user and each cell in the last interval.
 *
 * SINRs are those of LteProbe. The load of a cell is the share of subframes in which it sends data.
 * Throughput is the payload of received packets.
 */
class LteMeter
{
  public:
    /**
     * @param cells The measured network; it lives as long as the simulation.
     * @param interval Length of an interval.
     */
    LteMeter(const LteCells& cells, Time interval);
    LteMeter(const LteMeter&) = delete;
    LteMeter& operator=(const LteMeter&) = delete;

    /**
     * Measure the interval since the last call, unless that was at this instant.
     */
    void Measure();

    double GetSinr(uint32_t user) const;       //!< @return last SINR, dB @param user number
    double GetMeanSinr(uint32_t user) const;   //!< @return mean SINR, dB @param user number
    double GetThroughput(uint32_t user) const; //!< @return in Mb/s @param user its number
    double GetLoad(uint32_t cell) const;       //!< @return from 0 to 1 @param cell its number

    /**
     * Describe positions and measurements, for pictures.
     *
     * @param info Info to extend: `cells` and `users` (x and y of each in m), `sinrs` (dB),
     * `throughputs` (Mb/s), `loads`, `powers` (dBm).
     */
    void Describe(OpenGymInfo& info) const;

  private:
    /// The measurements of a user.
    struct User
    {
        uint64_t bytes{0};                 //!< Bytes until the last interval
        double mean{LteProbe::LEAST_SINR}; //!< SINR of the last interval, in dB
        double throughput{0};              //!< Throughput of the last interval, in Mb/s
    };

    /// The measurements of a cell.
    struct Cell
    {
        uint64_t busy{0}; //!< Subframes with data until the last interval
        double load{0};   //!< Load of the last interval
    };

    const LteCells& m_cells;     //!< The measured network
    LteProbe m_probe;            //!< Probe of the network
    Time m_interval;             //!< Length of an interval
    Time m_measured{-1};         //!< End of the last interval
    std::vector<User> m_perUser; //!< Measurements of each user
    std::vector<Cell> m_perCell; //!< Measurements of each cell
};

} // namespace ns3

#endif // LTE_METER_H
