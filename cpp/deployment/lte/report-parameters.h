// SPDX-License-Identifier: GPL-2.0-only

#ifndef REPORT_PARAMETERS_H
#define REPORT_PARAMETERS_H

#include "ns3/lte-rrc-sap.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

class RlSimulation;

/**
 * @brief When users report what they measure: periodically of all cells (event A4 with the least
 * threshold), or by event A3 of those cells that have fulfilled it, or both.
 */
struct ReportParameters
{
    /**
     * Declare them.
     *
     * @param simulation Where.
     */
    void Declare(RlSimulation& simulation);

    /**
     * @param usesEvent Whether something else than reports to agents needs event A3.
     * @return what is wrong with the values together, and what would be right; or an empty string
     */
    std::string FindContradiction(bool usesEvent) const;

    /**
     * @return the measurements that users are to report, as RRC has them
     */
    std::vector<LteRrcSap::ReportConfigEutra> MakeConfigs() const;

    std::string kind{"periodic"};          //!< periodic, a3 or both
    uint32_t interval{240};                //!< Between two periodic ones, in ms
    double hysteresis{3};                  //!< Of event A3, in dB
    Time timeToTrigger{MilliSeconds(256)}; //!< Of event A3
};

} // namespace ns3

#endif // REPORT_PARAMETERS_H
