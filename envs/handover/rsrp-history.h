// SPDX-License-Identifier: GPL-2.0-only

#ifndef RSRP_HISTORY_H
#define RSRP_HISTORY_H

#include "ns3/nstime.h"

#include <deque>
#include <utility>

namespace ns3
{

/**
 * @brief What a user has reported of a cell in the last second, and how that changes.
 */
class RsrpHistory
{
  public:
    /**
     * Add a report, which is the newest.
     *
     * @param time When it was sent.
     * @param rsrp RSRP of the cell, in steps of 1 dB.
     */
    void Add(Time time, float rsrp);

    /**
     * @param period How long ago, at most a second.
     * @return the newest RSRP less that of the newest report which is older by the period at
     * least, or else of the oldest report; 0 without reports
     */
    float GetChange(Time period) const;

  private:
    std::deque<std::pair<Time, float>> m_reports; //!< Oldest first; the first may be older
};

} // namespace ns3

#endif // RSRP_HISTORY_H
