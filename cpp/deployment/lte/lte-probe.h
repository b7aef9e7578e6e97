// SPDX-License-Identifier: GPL-2.0-only

#ifndef LTE_PROBE_H
#define LTE_PROBE_H

#include "lte-network.h"

#include "ns3/lte-common.h"
#include "ns3/lte-enb-net-device.h"
#include "ns3/lte-enb-phy.h"
#include "ns3/lte-ue-net-device.h"
#include "ns3/lte-ue-phy.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief Records the SINR of users, and counts the subframes in which cells send data.
 *
 * Users measure in the control region, where all cells send on the whole bandwidth. So the
 * measurements do not depend on the traffic.
 */
class LteProbe
{
  public:
    static constexpr double LEAST_SINR = -50;   //!< Least SINR in dB; initial value
    static constexpr double LARGEST_SINR = 100; //!< Largest measured SINR, in dB

    /**
     * @param network The measured network; it lives as long as the simulation.
     */
    explicit LteProbe(const LteNetwork& network)
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

    LteProbe(const LteProbe&) = delete;
    LteProbe& operator=(const LteProbe&) = delete;

    /// @return of the last subframe, dB @param user number
    double GetSinr(uint32_t user) const
    {
        return m_users[user].last;
    }

    /// @return of its last cell, in W @param user number
    double GetRsrp(uint32_t user) const
    {
        return m_users[user].rsrp;
    }

    /**
     * @param user Number of a user.
     * @return the mean SINR since the last call, dB
     */
    double TakeMeanSinr(uint32_t user)
    {
        auto& [last, rsrp, sum, count] = m_users[user];
        const double mean = count == 0 ? LEAST_SINR : sum / count;
        sum = 0;
        count = 0;
        return mean;
    }

    /**
     * @param cell Number of a cell.
     * @return subframes with data so far
     */
    uint64_t CountBusy(uint32_t cell) const
    {
        return m_cells[cell].busy;
    }

  private:
    /// The measurements of a user.
    struct User
    {
        double last{LEAST_SINR}; //!< SINR of the last subframe, in dB
        double rsrp{0};          //!< RSRP of the last subframe, in W
        double sum{0};           //!< Sum of SINRs since the last mean, in dB
        uint32_t count{0};       //!< Number of SINRs in the sum
    };

    /// The subframes in which a cell has sent data.
    struct Cell
    {
        int64_t subframe{-1}; //!< Last subframe with data, in ms
        uint64_t busy{0};     //!< Subframes with data
    };

    std::vector<User> m_users; //!< Measurements of each user
    std::vector<Cell> m_cells; //!< Activity of each cell
};

} // namespace ns3

#endif // LTE_PROBE_H
