// SPDX-License-Identifier: GPL-2.0-only

#include "handover-agent-app.h"

#include "handover-monitor.h"

#include "ns3/opengym-builders.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace ns3
{

namespace
{

constexpr double LONGEST_STAY = 5;       // in s: longer ones are not told from it
const Time LONGEST_SILENCE = Seconds(2); // who reports nothing for so long has gone elsewhere

} // namespace

HandoverAgentApp::HandoverAgentApp(Time interval,
                                   uint32_t cells,
                                   uint32_t firstUser,
                                   uint32_t users)
    : PeriodicAgentApplication({}, interval),
      m_onReports(interval.IsZero()),
      m_cells(cells),
      m_firstUser(firstUser),
      m_users(users)
{
}

void
HandoverAgentApp::OnRecvObs(uint32_t remoteAppId)
{
    const auto message = m_obsDataStruct.GetNewestByID(remoteAppId)->data;
    const auto told = message->Get("report")->GetObject<OpenGymBoxContainer<float>>()->GetData();
    auto& user = m_users[static_cast<uint32_t>(told[0]) - m_firstUser];
    const auto serving = static_cast<uint32_t>(told[1]);
    if (std::exchange(user.serving, serving) != serving)
    {
        user.since = Simulator::Now();
    }
    user.report.assign(told.begin() + 2, told.end());
    user.heard = Simulator::Now();
    if (m_onReports)
    {
        DecideLast();
    }
}

Ptr<OpenGymDataContainer>
HandoverAgentApp::Summarise()
{
    std::vector<float> all;
    m_order.clear();
    for (auto& user : m_users)
    {
        const auto& report = user.report;
        if (report.empty() || Simulator::Now() > user.heard + LONGEST_SILENCE)
        {
            all.insert(all.end(), 3 * m_cells + 1, 0);
            m_order.insert(m_order.end(), m_cells, -1);
            continue;
        }
        for (uint32_t i = 0; i < m_cells; i++)
        {
            all.push_back(report[i] / HandoverMonitor::LARGEST_RSRP);
        }
        for (uint32_t i = 0; i < m_cells; i++)
        {
            all.push_back(report[m_cells + i] / HandoverMonitor::LARGEST_RSRQ);
        }
        for (uint32_t i = 0; i < m_cells; i++)
        {
            all.push_back(user.serving == i ? 1 : 0);
        }
        const double stay = (Simulator::Now() - user.since).GetSeconds() / LONGEST_STAY;
        all.push_back(std::min(1., stay));
        m_order.insert(m_order.end(), report.begin() + 2 * m_cells, report.end());
        if (m_onReports)
        {
            user.report.clear();
        }
    }
    return MakeBoxContainer(std::move(all));
}

Ptr<OpenGymSpace>
HandoverAgentApp::GetObservationSpace()
{
    return MakeBoxSpace<float>(m_users.size() * (3 * m_cells + 1), 0, 1);
}

Ptr<OpenGymSpace>
HandoverAgentApp::GetActionSpace()
{
    if (m_users.size() > 1)
    {
        return CreateObject<OpenGymMultiDiscreteSpace>(
            std::vector<int64_t>(m_users.size(), m_cells + 1));
    }
    return MakeDiscreteSpace(m_cells + 1);
}

OpenGymInfo
HandoverAgentApp::GetExtraInfo()
{
    auto info = PeriodicAgentApplication::GetExtraInfo();
    info["reported"] = MakeBoxContainer(m_order);
    return info;
}

} // namespace ns3
