// SPDX-License-Identifier: GPL-2.0-only

#include "lte-meter.h"

#include "ns3/lte-enb-phy.h"
#include "ns3/opengym-builders.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace ns3
{

namespace
{

/**
 * @param count Number of elements.
 * @param get Returns an element.
 * @return all elements
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
      m_probe(cells.GetNetwork()),
      m_interval(interval),
      m_perUser(cells.CountUsers()),
      m_perCell(cells.CountCells())
{
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
        user.mean = m_probe.TakeMeanSinr(i);
        const auto bytes = m_cells.GetReceivedBytes(i);
        user.throughput = (bytes - user.bytes) * 8 / m_interval.GetSeconds() / 1e6;
        user.bytes = bytes;
    }
    for (uint32_t i = 0; i < m_perCell.size(); i++)
    {
        auto& cell = m_perCell[i];
        const auto busy = m_probe.CountBusy(i);
        cell.load = std::min(1., (busy - cell.busy) / (m_interval.GetSeconds() * 1000));
        cell.busy = busy;
    }
}

double
LteMeter::GetSinr(uint32_t user) const
{
    return m_probe.GetSinr(user);
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
        Collect(cells, [this](uint32_t i) { return m_cells.GetCellPhy(i)->GetTxPower(); });
}

} // namespace ns3
