// SPDX-License-Identifier: GPL-2.0-only

#ifndef HANDOVER_MONITOR_H
#define HANDOVER_MONITOR_H

#include "lte-network.h"
#include "report-parameters.h"

#include "ns3/lte-rrc-sap.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/opengym-info.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief The port of measurement reports: of a user, or of all users of a cell.
 */
class ReportPort : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    TracedCallback<uint32_t> m_report; //!< A report of a user has arrived
};

/**
 * @brief Records the serving cell of each user and the reports of users, and hands users over.
 *
 * Users report to their cell by RRC, with RSRP and RSRQ in the steps of TS 36.133 (section 9.1).
 */
class HandoverMonitor
{
  public:
    static constexpr double LARGEST_RSRP = 97; //!< Steps of 1 dB from -140 dBm
    static constexpr double LARGEST_RSRQ = 34; //!< Steps of 0.5 dB from -19.5 dB

    /// The report of a user.
    struct Report
    {
        std::vector<float> rsrp;     //!< RSRP of each cell, in steps; 0: not reported
        std::vector<float> rsrq;     //!< RSRQ of each cell, in steps; 0: not reported
        std::vector<uint32_t> order; //!< Neighbours, best first
        bool event{false};           //!< Whether event A3 caused the report
    };

    /// The state of a user.
    struct User
    {
        std::optional<uint32_t> serving; //!< Serving cell; none: the user searches
        uint32_t last{0};                //!< Last serving cell
        uint32_t handovers{0};           //!< Number of handovers that have begun
        uint32_t failures{0};            //!< Number of lost links and failed handovers
        Report report;                   //!< Last report of the user
    };

    /// A handover that has begun.
    struct Handover
    {
        Time time;     //!< Time of the command to the user
        uint32_t user; //!< The user
        uint32_t from; //!< The cell before
        uint32_t to;   //!< The cell after
    };

    /**
     * @param cells Cells and users; they live as long as the simulation.
     * @param parameters Reports of users.
     */
    HandoverMonitor(const LteNetwork& cells, const ReportParameters& parameters);
    HandoverMonitor(const HandoverMonitor&) = delete;
    HandoverMonitor& operator=(const HandoverMonitor&) = delete;

    const User& GetUser(uint32_t user) const;         //!< @return state @param user number
    Ptr<ReportPort> GetUserPort(uint32_t user) const; //!< @return its port @param user number
    Ptr<ReportPort> GetCellPort(uint32_t cell) const; //!< @return its port @param cell number

    /**
     * Hand a user over, if it is connected and no handover of it is under way.
     *
     * @param user Number of the user.
     * @param cell Number of the target cell.
     */
    void HandOver(uint32_t user, uint32_t cell) const;

    /**
     * Describe the serving cells of users, for policies and pictures.
     *
     * @param info Info to extend: `serving` (-1: none), `handovers` and `failures` of each user,
     * and `handover_log`: seconds, user, from, to of each handover.
     */
    void Describe(OpenGymInfo& info) const;

  private:
    /**
     * Configure the reports of a cell's users.
     *
     * @param cell Number of the cell.
     * @param parameters Reports of users.
     */
    void Configure(uint32_t cell, const ReportParameters& parameters);

    void WatchCell(uint32_t cell); //!< Listen to reports @param cell its number
    void WatchUser(uint32_t user); //!< Receive fates of handovers @param user number

    /**
     * Record the serving cell of a user.
     *
     * @param user Number of the user.
     * @param cellId LTE's id of the cell.
     */
    void NotifyServed(uint32_t user, uint16_t cellId);

    /**
     * Process a report.
     *
     * @param user Number of the user.
     * @param cell Number of the serving cell.
     * @param results The measurements.
     */
    void NotifyReport(uint32_t user, uint32_t cell, const LteRrcSap::MeasResults& results);

    const LteNetwork& m_cells; //!< Cells and users
    std::vector<User> m_users; //!< States of the users
    /// For each cell, the ids of its measurements, and whether event A3 causes their reports.
    std::vector<std::map<uint8_t, bool>> m_measurements;
    std::vector<Ptr<ReportPort>> m_userPorts; //!< Report port of each user
    std::vector<Ptr<ReportPort>> m_cellPorts; //!< Report port of each cell
    std::vector<Handover> m_log;              //!< All handovers
};

} // namespace ns3

#endif // HANDOVER_MONITOR_H
