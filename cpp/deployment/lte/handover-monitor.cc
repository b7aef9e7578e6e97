// SPDX-License-Identifier: GPL-2.0-only

#include "handover-monitor.h"

#include "ns3/abort.h"
#include "ns3/lte-common.h"
#include "ns3/lte-enb-net-device.h"
#include "ns3/lte-enb-rrc.h"
#include "ns3/lte-ue-net-device.h"
#include "ns3/lte-ue-rrc.h"
#include "ns3/opengym-builders.h"
#include "ns3/rl-simulation.h"
#include "ns3/simulator.h"

#include <string>
#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(ReportPort);

TypeId
ReportPort::GetTypeId()
{
    static TypeId tid = TypeId("ns3::ReportPort")
                            .SetParent<Object>()
                            .SetGroupName("defiance")
                            .AddConstructor<ReportPort>()
                            .AddTraceSource("Report",
                                            "A measurement report of a user has arrived.",
                                            MakeTraceSourceAccessor(&ReportPort::m_report),
                                            "ns3::TracedValueCallback::Uint32");
    return tid;
}

HandoverMonitor::HandoverMonitor(const LteNetwork& cells, const ReportParameters& parameters)
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

void
HandoverMonitor::Configure(uint32_t cell, const ReportParameters& parameters)
{
    for (const auto& config : parameters.MakeConfigs())
    {
        for (const auto id : m_cells.GetCell(cell)->GetRrc()->AddUeMeasReportConfig(config))
        {
            m_measurements[cell][id] = config.eventId == LteRrcSap::ReportConfigEutra::EVENT_A3;
        }
    }
}

void
HandoverMonitor::WatchCell(uint32_t cell)
{
    m_cells.GetCell(cell)->GetRrc()->TraceConnectWithoutContext(
        "RecvMeasurementReport",
        Callback<void, uint64_t, uint16_t, uint16_t, LteRrcSap::MeasurementReport>(
            [this, cell](uint64_t imsi, uint16_t, uint16_t, LteRrcSap::MeasurementReport report) {
                if (m_measurements[cell].contains(report.measResults.measId))
                {
                    NotifyReport(imsi - 1, cell, report.measResults); // LTE numbers users from 1
                }
            }));
}

void
HandoverMonitor::WatchUser(uint32_t user)
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

void
HandoverMonitor::NotifyServed(uint32_t user, uint16_t cellId)
{
    m_users[user].serving = m_cells.FindCell(cellId);
    m_users[user].last = m_users[user].serving.value_or(m_users[user].last);
}

void
HandoverMonitor::NotifyReport(uint32_t user, uint32_t cell, const LteRrcSap::MeasResults& results)
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

const HandoverMonitor::User&
HandoverMonitor::GetUser(uint32_t user) const
{
    return m_users[user];
}

Ptr<ReportPort>
HandoverMonitor::GetUserPort(uint32_t user) const
{
    return m_userPorts[user];
}

Ptr<ReportPort>
HandoverMonitor::GetCellPort(uint32_t cell) const
{
    return m_cellPorts[cell];
}

void
HandoverMonitor::HandOver(uint32_t user, uint32_t cell) const
{
    const auto serving = m_users[user].serving;
    if (!serving || *serving == cell)
    {
        return;
    }
    const auto source = m_cells.GetCell(*serving)->GetRrc();
    const auto rrc = m_cells.GetUser(user)->GetRrc();
    if (rrc->GetState() == LteUeRrc::CONNECTED_NORMALLY && source->HasUeManager(rrc->GetRnti()) &&
        source->GetUeManager(rrc->GetRnti())->GetState() == UeManager::CONNECTED_NORMALLY)
    {
        source->SendHandoverRequest(rrc->GetRnti(), m_cells.GetCell(cell)->GetCellId());
    }
}

void
HandoverMonitor::Describe(OpenGymInfo& info) const
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

} // namespace ns3
