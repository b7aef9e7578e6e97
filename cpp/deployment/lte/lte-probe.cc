// SPDX-License-Identifier: GPL-2.0-only

#include "lte-probe.h"

#include "ns3/lte-common.h"
#include "ns3/lte-enb-net-device.h"
#include "ns3/lte-enb-phy.h"
#include "ns3/lte-ue-net-device.h"
#include "ns3/lte-ue-phy.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ns3
{

LteProbe::LteProbe(const LteNetwork& network)
    : m_users(network.CountUsers()),
      m_cells(network.CountCells())
{
    for (uint32_t i = 0; i < m_users.size(); i++)
    {
        network.GetUser(i)->GetPhy()->TraceConnectWithoutContext(
            "ReportCurrentCellRsrpSinr",
            Callback<void, uint16_t, uint16_t, double, double, uint8_t>(
                [&user = m_users[i]](uint16_t, uint16_t, double rsrp, double sinr, uint8_t) {
                    user.last = std::clamp(10 * std::log10(sinr), LEAST_SINR, LARGEST_SINR);
                    user.rsrp = rsrp;
                    user.sum += user.last;
                    user.count++;
                }));
    }
    for (uint32_t i = 0; i < m_cells.size(); i++)
    {
        network.GetCell(i)->GetPhy()->TraceConnectWithoutContext(
            "DlPhyTransmission",
            Callback<void, PhyTransmissionStatParameters>(
                [&cell = m_cells[i]](PhyTransmissionStatParameters sent) {
                    if (std::exchange(cell.subframe, sent.m_timestamp) != sent.m_timestamp)
                    {
                        cell.busy++;
                    }
                }));
    }
}

double
LteProbe::TakeMeanSinr(uint32_t user)
{
    auto& [last, rsrp, sum, count] = m_users[user];
    const double mean = count == 0 ? LEAST_SINR : sum / count;
    sum = 0;
    count = 0;
    return mean;
}

} // namespace ns3
