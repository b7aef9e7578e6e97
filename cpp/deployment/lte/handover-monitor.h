// SPDX-License-Identifier: GPL-2.0-only

#ifndef HANDOVER_MONITOR_H
#define HANDOVER_MONITOR_H

#include "lte-network.h"
#include "report-parameters.h"

#include "ns3/lte-common.h"
#include "ns3/lte-enb-net-device.h"
#include "ns3/lte-enb-rrc.h"
#include "ns3/lte-rrc-sap.h"
#include "ns3/lte-ue-net-device.h"
#include "ns3/lte-ue-rrc.h"
#include "ns3/nstime.h"
#include "ns3/object-type.h"
#include "ns3/object.h"
#include "ns3/opengym-builders.h"
#include "ns3/opengym-info.h"
#include "ns3/rl-simulation.h"
#include "ns3/simulator.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
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
    static TypeId GetTypeId()
    {
        static TypeId tid = MakeTypeId<ReportPort, Object>("ns3::ReportPort")
                                .AddTraceSource("Report",
                                                "A measurement report of a user has arrived.",
                                                MakeTraceSourceAccessor(&ReportPort::m_report),
                                                "ns3::TracedValueCallback::Uint32");
        return tid;
    }

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
    HandoverMonitor(const LteNetwork& cells, const ReportParameters& parameters)
        : m_cells(cells),
          m_users(cells.CountUsers()),
          m_measurements(cells.CountCells())
    {
        for (uint32_t cell = 0; cell < cells.CountCells(); cell++)
        {
            m_cellPorts.push_back(CreateObject<ReportPort>());
            Configure(cell, parameters);
            WatchCell(cell);
        }
        for (uint32_t user = 0; user < m_users.size(); user++)
        {
            m_userPorts.push_back(CreateObject<ReportPort>());
            m_users[user].last = cells.GetFirstCell(user);
            m_users[user].report = {.rsrp = std::vector<float>(cells.CountCells()),
                                    .rsrq = std::vector<float>(cells.CountCells()),
                                    .order = {}};
            WatchUser(user);
        }
    }

    HandoverMonitor(const HandoverMonitor&) = delete;
    HandoverMonitor& operator=(const HandoverMonitor&) = delete;

    /// @return state @param user number
    const User& GetUser(uint32_t user) const
    {
        return m_users[user];
    }

    /// @return its port @param user number
    Ptr<ReportPort> GetUserPort(uint32_t user) const
    {
        return m_userPorts[user];
    }

    /// @return its port @param cell number
    Ptr<ReportPort> GetCellPort(uint32_t cell) const
    {
        return m_cellPorts[cell];
    }

    /**
     * Hand a user over, if it is connected and no handover of it is under way.
     *
     * @param user Number of the user.
     * @param cell Number of the target cell.
     */
    void HandOver(uint32_t user, uint32_t cell) const
    {
        const auto serving = m_users[user].serving;
        if (!serving || *serving == cell)
        {
            return;
        }
        const auto source = m_cells.GetCell(*serving)->GetRrc();
        const auto rrc = m_cells.GetUser(user)->GetRrc();
        if (rrc->GetState() == LteUeRrc::CONNECTED_NORMALLY &&
            source->HasUeManager(rrc->GetRnti()) &&
            source->GetUeManager(rrc->GetRnti())->GetState() == UeManager::CONNECTED_NORMALLY)
        {
            source->SendHandoverRequest(rrc->GetRnti(), m_cells.GetCell(cell)->GetCellId());
        }
    }

    /**
     * Describe the serving cells of users, for policies and pictures.
     *
     * @param info Info to extend: `serving` (-1: none), `handovers` and `failures` of each user,
     * and `handover_log`: seconds, user, from, to of each handover.
     */
    void Describe(OpenGymInfo& info) const
    {
        std::vector<int32_t> serving;
        std::vector<int32_t> handovers;
        std::vector<int32_t> failures;
        for (const auto& user : m_users)
        {
            serving.push_back(user.serving ? static_cast<int32_t>(*user.serving) : -1);
            handovers.push_back(user.handovers);
            failures.push_back(user.failures);
        }
        std::vector<double> log;
        for (const auto& [time, user, from, to] : m_log)
        {
            log.insert(log.end(), {time.GetSeconds(), double(user), double(from), double(to)});
        }
        info["serving"] = MakeBoxContainer(std::move(serving));
        info["handovers"] = MakeBoxContainer(std::move(handovers));
        info["failures"] = MakeBoxContainer(std::move(failures));
        info["handover_log"] = MakeBoxContainer(std::move(log));
    }

  private:
    /**
     * Configure the reports of a cell's users.
     *
     * @param cell Number of the cell.
     * @param parameters Reports of users.
     */
    void Configure(uint32_t cell, const ReportParameters& parameters)
    {
        for (const auto& config : parameters.MakeConfigs())
        {
            for (const auto id : m_cells.GetCell(cell)->GetRrc()->AddUeMeasReportConfig(config))
            {
                m_measurements[cell][id] = config.eventId == LteRrcSap::ReportConfigEutra::EVENT_A3;
            }
        }
    }

    /// Listen to reports @param cell its number
    void WatchCell(uint32_t cell)
    {
        m_cells.GetCell(cell)->GetRrc()->TraceConnectWithoutContext(
            "RecvMeasurementReport",
            Callback<void, uint64_t, uint16_t, uint16_t, LteRrcSap::MeasurementReport>(
                [this,
                 cell](uint64_t imsi, uint16_t, uint16_t, LteRrcSap::MeasurementReport report) {
                    if (m_measurements[cell].contains(report.measResults.measId))
                    {
                        NotifyReport(imsi - 1,
                                     cell,
                                     report.measResults); // LTE numbers users from 1
                    }
                }));
    }

    /// Receive fates of handovers @param user number
    void WatchUser(uint32_t user)
    {
        const auto rrc = m_cells.GetUser(user)->GetRrc();
        using Notice = Callback<void, uint64_t, uint16_t, uint16_t>;
        const Notice served(
            [this, user](uint64_t, uint16_t cellId, uint16_t) { NotifyServed(user, cellId); });
        const Notice lost([this, user](uint64_t, uint16_t, uint16_t) {
            m_users[user].failures++;
            m_users[user].serving.reset();
            RlSimulation::NoteEvent("radio link failure", "user " + std::to_string(user));
        });
        rrc->TraceConnectWithoutContext("ConnectionEstablished", served);
        rrc->TraceConnectWithoutContext("HandoverEndOk", served);
        rrc->TraceConnectWithoutContext("HandoverEndError", lost);
        rrc->TraceConnectWithoutContext("RadioLinkFailure", lost);
        rrc->TraceConnectWithoutContext(
            "HandoverStart",
            Callback<void, uint64_t, uint16_t, uint16_t, uint16_t>(
                [this, user](uint64_t, uint16_t from, uint16_t, uint16_t to) {
                    m_users[user].handovers++;
                    m_log.push_back({.time = Simulator::Now(),
                                     .user = user,
                                     .from = m_cells.FindCell(from).value(),
                                     .to = m_cells.FindCell(to).value()});
                    RlSimulation::NoteEvent("handover",
                                            "user " + std::to_string(user) + " from cell " +
                                                std::to_string(m_log.back().from) + " to cell " +
                                                std::to_string(m_log.back().to));
                }));
    }

    /**
     * Record the serving cell of a user.
     *
     * @param user Number of the user.
     * @param cellId LTE's id of the cell.
     */
    void NotifyServed(uint32_t user, uint16_t cellId)
    {
        m_users[user].serving = m_cells.FindCell(cellId);
        m_users[user].last = m_users[user].serving.value_or(m_users[user].last);
    }

    /**
     * Process a report.
     *
     * @param user Number of the user.
     * @param cell Number of the serving cell.
     * @param results The measurements.
     */
    void NotifyReport(uint32_t user, uint32_t cell, const LteRrcSap::MeasResults& results)
    {
        Report report{.rsrp = std::vector<float>(m_cells.CountCells()),
                      .rsrq = std::vector<float>(m_cells.CountCells()),
                      .order = {},
                      .event = m_measurements[cell].at(results.measId)};
        report.rsrp[cell] = results.measResultPCell.rsrpResult;
        report.rsrq[cell] = results.measResultPCell.rsrqResult;
        for (const auto& neighbour : results.measResultListEutra)
        {
            const auto other = m_cells.FindCell(neighbour.physCellId).value();
            report.rsrp[other] = neighbour.rsrpResult;
            report.rsrq[other] = neighbour.rsrqResult;
            report.order.push_back(other);
        }
        m_users[user].report = std::move(report);
        m_userPorts[user]->m_report(user);
        m_cellPorts[cell]->m_report(user);
    }

    const LteNetwork& m_cells; //!< Cells and users
    std::vector<User> m_users; //!< States of the users
    /// For each cell, the ids of its measurements, and whether event A3 causes their reports.
    std::vector<std::map<uint8_t, bool>> m_measurements;
    std::vector<Ptr<ReportPort>> m_userPorts; //!< Report port of each user
    std::vector<Ptr<ReportPort>> m_cellPorts; //!< Report port of each cell
    std::vector<Handover> m_log;              //!< All handovers
};

NS_OBJECT_ENSURE_REGISTERED(ReportPort);

} // namespace ns3

#endif // HANDOVER_MONITOR_H
