// SPDX-License-Identifier: GPL-2.0-only

#include "lte-meter.h"

#include "ns3/lte-common.h"
#include "ns3/lte-enb-net-device.h"
#include "ns3/lte-enb-phy.h"
#include "ns3/lte-ue-net-device.h"
#include "ns3/lte-ue-phy.h"
#include "ns3/opengym-builders.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace ns3
{

namespace
{

/**
 * @param count Number of elements.
 * @param get Returns an element.
 * @return all of them
 */
Ptr<OpenGymBoxContainerBase>
Collect(uint32_t count, const std::function<double(uint32_t)>& get)
{
    std::vector<double> values(count);
    for (uint32_t i = 0; i < count; i++)
    {
        values[i] = get(i);
    }
    return MakeBoxContainer(std::move(values));
}

} // namespace

LteMeter::LteMeter(const LteCells& cells, Time interval)
    : m_cells(cells),
      m_interval(interval),
      m_perUser(cells.CountUsers()),
      m_perCell(cells.CountCells())
{
    Watch();
}

void
LteMeter::Watch()
{
    for (uint32_t i = 0; i < m_perUser.size(); i++)
    {
        m_cells.GetUser(i)->GetPhy()->TraceConnectWithoutContext(
            "ReportCurrentCellRsrpSinr",
            Callback<void, uint16_t, uint16_t, double, double, uint8_t>(
                [&user = m_perUser[i]](uint16_t, uint16_t, double, double sinr, uint8_t) {
                    user.last = std::clamp(10 * std::log10(sinr), LEAST_SINR, LARGEST_SINR);
                    user.sum += user.last;
                    user.count++;
                }));
    }
    for (uint32_t i = 0; i < m_perCell.size(); i++)
    {
        m_cells.GetCell(i)->GetPhy()->TraceConnectWithoutContext(
            "DlPhyTransmission",
            Callback<void, PhyTransmissionStatParameters>(
                [&cell = m_perCell[i]](PhyTransmissionStatParameters sent) {
                    if (std::exchange(cell.subframe, sent.m_timestamp) != sent.m_timestamp)
                    {
                        cell.busy++;
                    }
                }));
    }
}

void
LteMeter::Measure()
{
    if (m_measured == Simulator::Now())
    {
        return;
    }
    m_measured = Simulator::Now();
    for (uint32_t i = 0; i < m_perUser.size(); i++)
    {
        auto& user = m_perUser[i];
        user.mean = user.count == 0 ? LEAST_SINR : user.sum / user.count;
        user.sum = 0;
        user.count = 0;
        const auto bytes = m_cells.GetReceivedBytes(i);
        user.throughput = (bytes - user.bytes) * 8 / m_interval.GetSeconds() / 1e6;
        user.bytes = bytes;
    }
    for (auto& cell : m_perCell)
    {
        cell.load = std::min(1., cell.busy / (m_interval.GetSeconds() * 1000));
        cell.busy = 0;
    }
}

double
LteMeter::GetSinr(uint32_t user) const
{
    return m_perUser[user].last;
}

double
LteMeter::GetMeanSinr(uint32_t user) const
{
    return m_perUser[user].mean;
}

double
LteMeter::GetThroughput(uint32_t user) const
{
    return m_perUser[user].throughput;
}

double
LteMeter::GetLoad(uint32_t cell) const
{
    return m_perCell[cell].load;
}

void
LteMeter::Describe(OpenGymInfo& info) const
{
    const auto cells = m_cells.CountCells();
    const auto users = m_cells.CountUsers();
    info["cells"] = Collect(2 * cells, [this](uint32_t i) {
        const auto position = m_cells.GetCellPosition(i / 2);
        return i % 2 == 0 ? position.x : position.y;
    });
    info["users"] = Collect(2 * users, [this](uint32_t i) {
        const auto position = m_cells.GetUserPosition(i / 2);
        return i % 2 == 0 ? position.x : position.y;
    });
    info["sinrs"] = Collect(users, [this](uint32_t i) { return GetSinr(i); });
    info["throughputs"] = Collect(users, [this](uint32_t i) { return GetThroughput(i); });
    info["loads"] = Collect(cells, [this](uint32_t i) { return GetLoad(i); });
    info["powers"] =
        Collect(cells, [this](uint32_t i) { return m_cells.GetCell(i)->GetPhy()->GetTxPower(); });
}

} // namespace ns3
