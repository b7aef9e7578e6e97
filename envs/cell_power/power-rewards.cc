// SPDX-License-Identifier: GPL-2.0-only

#include "power-rewards.h"

#include "ns3/lte-enb-phy.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ns3
{

PowerRewards::PowerRewards(PowerRewardParameters parameters,
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

double
PowerRewards::Get(uint32_t cell) const
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

double
PowerRewards::GetOwn(uint32_t cell) const
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
    const double power = std::pow(10, (m_cells.GetCellPhy(cell)->GetTxPower() - m_largest) / 10);
    return (m_parameters.sinrWeight * sinr + m_parameters.throughputWeight * throughput) / users -
           m_parameters.powerWeight * power;
}

} // namespace ns3
