// SPDX-License-Identifier: GPL-2.0-only

#ifndef RSRP_HISTORY_H
#define RSRP_HISTORY_H

#include "ns3/nstime.h"

#include <deque>
#include <utility>

namespace ns3
{

/**
 * @brief A user's reports of a cell in the last second, and their change.
 */
class RsrpHistory
{
  public:
    /**
     * Add the newest report.
     *
     * @param time Sending time of the report.
     * @param rsrp RSRP of the cell, in steps of 1 dB.
     */
    void Add(Time time, float rsrp);

    /**
     * @param period Age of the report to compare with, at most a second.
     * @return the newest RSRP minus an earlier one: of the newest report that is older by at least
     * the period, or else of the oldest report; 0 without reports
     */
    float GetChange(Time period) const;

  private:
    std::deque<std::pair<Time, float>> m_reports; //!< Reports, oldest first
};

} // namespace ns3

#endif // RSRP_HISTORY_H
