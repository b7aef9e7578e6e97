// SPDX-License-Identifier: GPL-2.0-only

#ifndef POWER_REWARDS_H
#define POWER_REWARDS_H

#include "lte-meter.h"

#include "ns3/lte-enb-phy.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace ns3
{

/**
 * @brief The weights of SINR, throughput and power.
 */
struct PowerRewardParameters
{
    std::string kind{"cooperative"}; //!< Kind: cooperative or competitive
    double targetSinr{5};            //!< Target SINR in dB
    double sinrWeight{1};            //!< Weight of 10 dB below the target
    double throughputWeight{1};      //!< Weight of a user's whole demand
    double powerWeight{0.2};         //!< Weight of the largest power
};

/**
 * @brief The rewards of cells.
 *
 * Let u be the mean over the users of a cell, S a user's mean SINR of the interval in dB, T its
 * throughput, and D its demand. P is the power of the cell (in mW, as a share of the largest):
 *
 * r = sinrWeight u(min(0, S - target) / 10) + throughputWeight u(min(1, T / D)) - powerWeight P
 *
 * Cooperative: each cell receives the mean of r over all cells; competitive: its own r.
 */
class PowerRewards
{
  public:
    /**
     * @param parameters The weights.
     * @param cells The cells; they live as long as the simulation.
     * @param meter The measurements; they live as long as the simulation.
     * @param demand Traffic to each user.
     * @param largest Largest power in dBm.
     */
    PowerRewards(PowerRewardParameters parameters,
                 const LteCells& cells,
                 const LteMeter& meter,
                 DataRate demand,
                 double largest)
        : m_parameters(std::move(parameters)),
          m_cells(cells),
          m_meter(meter),
          m_demand(demand.GetBitRate() / 1e6),
          m_largest(largest)
    {
    }

    /**
     * @param cell Number of a cell.
     * @return its reward of the last interval
     */
    double Get(uint32_t cell) const
    {
        if (m_parameters.kind == "competitive")
        {
            return GetOwn(cell);
        }
        double sum = 0;
        for (uint32_t each = 0; each < m_cells.CountCells(); each++)
        {
            sum += GetOwn(each);
        }
        return sum / m_cells.CountCells();
    }

    /**
     * @param cell Number of a cell.
     * @return r
     */
    double GetOwn(uint32_t cell) const
    {
        double sinr = 0;
        double throughput = 0;
        uint32_t users = 0;
        for (uint32_t user = cell; user < m_cells.CountUsers(); user += m_cells.CountCells())
        {
            sinr += std::min(0., m_meter.GetMeanSinr(user) - m_parameters.targetSinr) / 10;
            throughput += std::min(1., m_meter.GetThroughput(user) / m_demand);
            users++;
        }
        const double power =
            std::pow(10, (m_cells.GetCellPhy(cell)->GetTxPower() - m_largest) / 10);
        return (m_parameters.sinrWeight * sinr + m_parameters.throughputWeight * throughput) /
                   users -
               m_parameters.powerWeight * power;
    }

  private:
    PowerRewardParameters m_parameters; //!< The prices
    const LteCells& m_cells;            //!< The cells
    const LteMeter& m_meter;            //!< The measurements
    double m_demand;                    //!< Demand of each user, in Mb/s
    double m_largest;                   //!< Largest power in dBm
};

} // namespace ns3

#endif // POWER_REWARDS_H
