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
 * SINRs are those of LteProbe. The load of a cell is the share of
 * subframes in which it sends data. Throughput is the payload of packets that have arrived.
 */
class LteMeter
{
  public:
    /**
     * @param cells The network that is measured; it lives as long as the simulation.
     * @param interval How often.
     */
    LteMeter(const LteCells& cells, Time interval);
    LteMeter(const LteMeter&) = delete;
    LteMeter& operator=(const LteMeter&) = delete;

    /**
     * Take what happened since the last time, unless that was in this instant.
     */
    void Measure();

    double GetSinr(uint32_t user) const;       //!< @return the last one, dB @param user which
    double GetMeanSinr(uint32_t user) const;   //!< @return of the interval, dB @param user which
    double GetThroughput(uint32_t user) const; //!< @return in Mb/s @param user which
    double GetLoad(uint32_t cell) const;       //!< @return from 0 to 1 @param cell which

    /**
     * Say where all are and how they fare, for pictures.
     *
     * @param info Where that is added: `cells` and `users` (x and y of each in m), `sinrs` (dB),
     * `throughputs` (Mb/s), `loads`, `powers` (dBm).
     */
    void Describe(OpenGymInfo& info) const;

  private:
    /// The measurements of a user.
    struct User
    {
        uint64_t bytes{0};                 //!< Until the last interval
        double mean{LteProbe::LEAST_SINR}; //!< SINR of the last interval, in dB
        double throughput{0};              //!< Of the last interval, in Mb/s
    };

    /// The bytes that a cell has sent.
    struct Cell
    {
        uint64_t busy{0}; //!< Subframes with data until the last interval
        double load{0};   //!< Of the last interval
    };

    const LteCells& m_cells;     //!< The network that is measured
    LteProbe m_probe;            //!< Measures it
    Time m_interval;             //!< How often
    Time m_measured{-1};         //!< When the last interval ended
    std::vector<User> m_perUser; //!< Of each user
    std::vector<Cell> m_perCell; //!< Of each cell
};

} // namespace ns3

#endif // LTE_METER_H
