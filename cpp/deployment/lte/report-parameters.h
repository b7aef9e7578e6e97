// SPDX-License-Identifier: GPL-2.0-only

#ifndef REPORT_PARAMETERS_H
#define REPORT_PARAMETERS_H

#include "ns3/lte-common.h"
#include "ns3/lte-rrc-sap.h"
#include "ns3/nstime.h"
#include "ns3/rl-simulation.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

using ReportConfig = LteRrcSap::ReportConfigEutra;

/// Intervals of periodic reports, by ms.
const std::map<uint32_t, decltype(ReportConfig::reportInterval)> INTERVALS{
    {120, ReportConfig::MS120},
    {240, ReportConfig::MS240},
    {480, ReportConfig::MS480},
    {640, ReportConfig::MS640},
    {1024, ReportConfig::MS1024}};

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
    void Declare(RlSimulation& simulation)
    {
        simulation.AddChoice("reports",
                             "When users report: periodically (agents decide each interval), by "
                             "event A3 or both (agents decide on each report).",
                             kind,
                             {"periodic", "a3", "both"});
        simulation.AddValue(
            "report_interval",
            "Interval between two periodic reports in ms: 120, 240, 480, 640 or 1024.",
            interval,
            120U,
            1024U);
        simulation.AddValue(
            "hysteresis",
            "Hysteresis of event A3 in dB, in steps of 0.5: the lead of a neighbour's RSRP.",
            hysteresis,
            0.,
            15.);
        simulation.AddValue("time_to_trigger",
                            "Time to trigger of event A3: the duration of this lead.",
                            timeToTrigger,
                            Time(0),
                            MilliSeconds(5120));
    }

    /**
     * @param usesEvent Whether event A3 is needed for more than reports to agents.
     * @return a contradiction between values, with its remedy; or an empty string
     */
    std::string FindContradiction(bool usesEvent) const
    {
        const ReportParameters usual;
        if (!INTERVALS.contains(interval))
        {
            return "report_interval=" + std::to_string(interval) +
                   " must be 120, 240, 480, 640 or 1024 ms";
        }
        if (kind == "periodic" && !usesEvent &&
            (hysteresis != usual.hysteresis || timeToTrigger != usual.timeToTrigger))
        {
            return "hysteresis and time_to_trigger configure event A3: they need reports=a3, "
                   "reports=both or algorithm=a3_rsrp; otherwise leave them at 3 and 256ms";
        }
        return "";
    }

    /**
     * @return the measurements of users, as RRC has them
     */
    std::vector<LteRrcSap::ReportConfigEutra> MakeConfigs() const
    {
        std::vector<ReportConfig> configs;
        if (kind != "a3")
        {
            ReportConfig config;
            config.triggerQuantity = ReportConfig::RSRP;
            config.eventId = ReportConfig::EVENT_A4;
            config.threshold1.choice = LteRrcSap::ThresholdEutra::THRESHOLD_RSRP;
            config.threshold1.range = 0;
            config.reportInterval = INTERVALS.at(interval);
            configs.push_back(config);
        }
        if (kind != "periodic")
        {
            ReportConfig config;
            config.triggerQuantity = ReportConfig::RSRP;
            config.eventId = ReportConfig::EVENT_A3;
            config.a3Offset = 0;
            config.hysteresis = EutranMeasurementMapping::ActualHysteresis2IeValue(hysteresis);
            config.timeToTrigger = timeToTrigger.GetMilliSeconds();
            config.reportOnLeave = false;
            config.reportInterval = ReportConfig::MS1024;
            configs.push_back(config);
        }
        return configs;
    }

    std::string kind{"periodic"};          //!< Kind of reports: periodic, a3 or both
    uint32_t interval{240};                //!< Interval between two periodic reports, in ms
    double hysteresis{3};                  //!< Hysteresis of event A3, in dB
    Time timeToTrigger{MilliSeconds(256)}; //!< Time to trigger of event A3
};

} // namespace ns3

#endif // REPORT_PARAMETERS_H
