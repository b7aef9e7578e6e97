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
 * @brief Where measurement reports come out: of a user, or of all users of a cell.
 */
class ReportPort : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    TracedCallback<uint32_t> m_report; //!< A report of this user has arrived
};

/**
 * @brief The serving cell of each user, the reports of users and the fate of reports; it hands
 * users over, too.
 *
 * Users report to their cell by RRC, with RSRP and RSRQ in the steps of TS 36.133 (section 9.1).
 */
class HandoverMonitor
{
  public:
    static constexpr double LARGEST_RSRP = 97; //!< In steps of 1 dB from -140 dBm
    static constexpr double LARGEST_RSRQ = 34; //!< In steps of 0.5 dB from -19.5 dB

    /// The report of a user.
    struct Report
    {
        std::vector<float> rsrp;     //!< Of each cell, in steps; 0: not reported
        std::vector<float> rsrq;     //!< Of each cell, in steps; 0: not reported
        std::vector<uint32_t> order; //!< Neighbours, the best first
        bool event{false};           //!< Event A3 was its cause
    };

    /// The state of a user.
    struct User
    {
        std::optional<uint32_t> serving; //!< Its cell; none: it is looking for one
        uint32_t last{0};                //!< The cell that served it last
        uint32_t handovers{0};           //!< That have begun
        uint32_t failures{0};            //!< Radio links lost, and handovers that failed
        Report report;                   //!< The last one
    };

    /// A handover that has begun.
    struct Handover
    {
        Time time;     //!< Time of the command to the user
        uint32_t user; //!< The user
        uint32_t from; //!< From this cell
        uint32_t to;   //!< To that one
    };

    /**
     * @param cells Which cells and users; they live as long as the simulation.
     * @param parameters When users report.
     */
    HandoverMonitor(const LteNetwork& cells, const ReportParameters& parameters);
    HandoverMonitor(const HandoverMonitor&) = delete;
    HandoverMonitor& operator=(const HandoverMonitor&) = delete;

    const User& GetUser(uint32_t user) const;         //!< @return about it @param user which
    Ptr<ReportPort> GetUserPort(uint32_t user) const; //!< @return of a user @param user which
    Ptr<ReportPort> GetCellPort(uint32_t cell) const; //!< @return of a cell @param cell which

    /**
     * Hand a user over, if its cell may do so now: it is connected, and not being handed over.
     *
     * @param user Number of the user.
     * @param cell Number of the cell that is to serve it.
     */
    void HandOver(uint32_t user, uint32_t cell) const;

    /**
     * Say who is served by whom, for policies and pictures.
     *
     * @param info Where that is added: `serving` (-1: none), `handovers` and `failures` of each
     * user, and `handover_log`: seconds, user, from, to of each handover.
     */
    void Describe(OpenGymInfo& info) const;

  private:
    /**
     * Have the users of a cell report.
     *
     * @param cell Number of the cell.
     * @param parameters When they report.
     */
    void Configure(uint32_t cell, const ReportParameters& parameters);

    void WatchCell(uint32_t cell); //!< Listen to its reports @param cell which
    void WatchUser(uint32_t user); //!< Receive the fate of a handover @param user which

    /**
     * A user has its cell.
     *
     * @param user Number of the user.
     * @param cellId As LTE has it.
     */
    void NotifyServed(uint32_t user, uint16_t cellId);

    /**
     * A report has arrived.
     *
     * @param user Number of the user.
     * @param cell Number of the cell that serves it.
     * @param results The measurements.
     */
    void NotifyReport(uint32_t user, uint32_t cell, const LteRrcSap::MeasResults& results);

    const LteNetwork& m_cells; //!< Which cells and users
    std::vector<User> m_users; //!< States of the users
    /// For each cell, the ids of its measurements, and whether event A3 causes their reports.
    std::vector<std::map<uint8_t, bool>> m_measurements;
    std::vector<Ptr<ReportPort>> m_userPorts; //!< Of each user
    std::vector<Ptr<ReportPort>> m_cellPorts; //!< Of each cell
    std::vector<Handover> m_log;              //!< All handovers
};

} // namespace ns3

#endif // HANDOVER_MONITOR_H
