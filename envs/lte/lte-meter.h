// SPDX-License-Identifier: GPL-2.0-only

#ifndef LTE_METER_H
#define LTE_METER_H

#include "lte-cells.h"
#include "lte-probe.h"

#include "ns3/lte-enb-phy.h"
#include "ns3/nstime.h"
#include "ns3/opengym-builders.h"
#include "ns3/opengym-info.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @param count Number of elements.
 * @param get Returns an element.
 * @return all elements
 */
inline Ptr<OpenGymBoxContainerBase>
Collect(uint32_t count, const std::function<double(uint32_t)>& get)
{
    std::vector<double> values(count);
    for (uint32_t i = 0; i < count; i++)
    {
        values[i] = get(i);
    }
    return MakeBoxContainer(std::move(values));
}

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
    LteMeter(const LteCells& cells, Time interval)
        : m_cells(cells),
          m_probe(cells.GetNetwork()),
          m_interval(interval),
          m_perUser(cells.CountUsers()),
          m_perCell(cells.CountCells())
    {
    }

    LteMeter(const LteMeter&) = delete;
    LteMeter& operator=(const LteMeter&) = delete;

    /**
     * Measure the interval since the last call, unless that was at this instant.
     */
    void Measure()
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

    /// @return last SINR, dB @param user number
    double GetSinr(uint32_t user) const
    {
        return m_probe.GetSinr(user);
    }

    /// @return mean SINR, dB @param user number
    double GetMeanSinr(uint32_t user) const
    {
        return m_perUser[user].mean;
    }

    /// @return in Mb/s @param user its number
    double GetThroughput(uint32_t user) const
    {
        return m_perUser[user].throughput;
    }

    /// @return from 0 to 1 @param cell its number
    double GetLoad(uint32_t cell) const
    {
        return m_perCell[cell].load;
    }

    /**
     * Describe positions and measurements, for pictures.
     *
     * @param info Info to extend: `cells` and `users` (x and y of each in m), `sinrs` (dB),
     * `throughputs` (Mb/s), `loads`, `powers` (dBm).
     */
    void Describe(OpenGymInfo& info) const
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
        double throughput = 0;
        for (const auto& user : m_perUser)
        {
            throughput += user.throughput;
        }
        info["throughput"] = throughput;
        info["loads"] = Collect(cells, [this](uint32_t i) { return GetLoad(i); });
        info["powers"] =
            Collect(cells, [this](uint32_t i) { return m_cells.GetCellPhy(i)->GetTxPower(); });
    }

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
