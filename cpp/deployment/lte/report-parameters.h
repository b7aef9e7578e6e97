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
 * @brief Measurement reports of users: periodic reports of all cells (event A4 with the lowest
 * threshold), or reports by event A3 of the cells that fulfil it, or both.
 */
struct ReportParameters
{
    /**
     * Declare the parameters.
     *
     * @param simulation The scenario.
     */
    void Declare(RlSimulation& simulation);

    /**
     * @param usesEvent Whether event A3 is needed for more than reports to agents.
     * @return a contradiction between values, with its remedy; or an empty string
     */
    std::string FindContradiction(bool usesEvent) const;

    /**
     * @return the measurements of users, as RRC has them
     */
    std::vector<LteRrcSap::ReportConfigEutra> MakeConfigs() const;

    std::string kind{"periodic"};          //!< Kind of reports: periodic, a3 or both
    uint32_t interval{240};                //!< Interval between two periodic reports, in ms
    double hysteresis{3};                  //!< Hysteresis of event A3, in dB
    Time timeToTrigger{MilliSeconds(256)}; //!< Time to trigger of event A3
};

} // namespace ns3

#endif // REPORT_PARAMETERS_H
