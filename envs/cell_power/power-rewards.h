// SPDX-License-Identifier: GPL-2.0-only

#ifndef POWER_REWARDS_H
#define POWER_REWARDS_H

#include "lte-meter.h"

#include <string>

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
                 double largest);

    /**
     * @param cell Number of a cell.
     * @return its reward of the last interval
     */
    double Get(uint32_t cell) const;

    /**
     * @param cell Number of a cell.
     * @return r
     */
    double GetOwn(uint32_t cell) const;

  private:
    PowerRewardParameters m_parameters; //!< The prices
    const LteCells& m_cells;            //!< The cells
    const LteMeter& m_meter;            //!< The measurements
    double m_demand;                    //!< Demand of each user, in Mb/s
    double m_largest;                   //!< Largest power in dBm
};

} // namespace ns3

#endif // POWER_REWARDS_H
