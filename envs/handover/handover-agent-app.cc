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

constexpr double LONGEST_STAY = 5;       // in s: the largest observed stay
const Time LONGEST_SILENCE = Seconds(2); // users without a report for this time have left

} // namespace

HandoverAgentApp::HandoverAgentApp(const HandoverAgentParameters& parameters,
                                   uint32_t firstUser,
                                   uint32_t users)
    : PeriodicAgentApplication({},
                               parameters.reports == "periodic" ? parameters.interval : Time(0)),
      m_parameters(parameters),
      m_users(users),
      m_firstUser(firstUser)
{
}

void
HandoverAgentApp::OnRecvObs(uint32_t remoteAppId)
{
    const auto message = m_obsDataStruct.GetNewestByID(remoteAppId)->data;
    const auto report = message->Get("report")->GetObject<OpenGymBoxContainer<float>>()->GetData();
    const auto number = static_cast<uint32_t>(report[0]) - m_firstUser;
    auto& user = m_users[number];
    const auto serving = static_cast<uint32_t>(report[1]);
    if (std::exchange(user.serving, serving) != serving)
    {
        user.since = Simulator::Now();
    }
    const auto cells = m_parameters.cells;
    const auto part = [&](uint32_t index) { return report.begin() + 2 + index * cells; };
    const std::vector<float> rsrp(part(0), part(1));
    const std::vector<float> rsrq(part(1), part(2));
    const bool both = m_parameters.reports == "both";
    if (user.rsrp.empty() || !both)
    {
        user.rsrp.assign(cells, 0);
        user.rsrq.assign(cells, 0);
        user.order.assign(cells, -1);
    }
    for (uint32_t cell = 0; cell < cells; cell++)
    {
        if (!both || rsrp[cell] > 0)
        {
            user.rsrp[cell] = rsrp[cell];
            user.rsrq[cell] = rsrq[cell];
        }
    }
    const bool extended = part(3) != report.end();
    if (!both || *part(3) > 0)
    {
        user.order.assign(part(2), part(3));
    }
    user.arrived = Simulator::Now();
    user.sent = extended ? Seconds(report.back()) : user.arrived;
    NoteReport(number, rsrp);
    if (m_parameters.reports != "periodic")
    {
        DecideLast();
    }
}

void
HandoverAgentApp::NoteReport(uint32_t user, const std::vector<float>& rsrp)
{
}

Ptr<OpenGymDataContainer>
HandoverAgentApp::Summarise()
{
    std::vector<float> all;
    m_order.clear();
    for (uint32_t number = 0; number < m_users.size(); number++)
    {
        auto& user = m_users[number];
        if (user.rsrp.empty() || Simulator::Now() > user.arrived + LONGEST_SILENCE)
        {
            user.rsrp.clear();
            all.insert(all.end(), CountNumbers(), 0);
            m_order.insert(m_order.end(), m_parameters.cells, -1);
            continue;
        }
        Describe(number, all);
        m_order.insert(m_order.end(), user.order.begin(), user.order.end());
        if (m_parameters.reports == "a3")
        {
            user.rsrp.clear();
        }
        if (m_parameters.reports == "both")
        {
            user.order.assign(m_parameters.cells, -1);
        }
    }
    return MakeBoxContainer(std::move(all));
}

void
HandoverAgentApp::Describe(uint32_t user, std::vector<float>& numbers)
{
    const auto& known = m_users[user];
    for (const auto rsrp : known.rsrp)
    {
        numbers.push_back(rsrp / HandoverMonitor::LARGEST_RSRP);
    }
    for (const auto rsrq : known.rsrq)
    {
        numbers.push_back(rsrq / HandoverMonitor::LARGEST_RSRQ);
    }
    for (uint32_t cell = 0; cell < m_parameters.cells; cell++)
    {
        numbers.push_back(known.serving == cell ? 1 : 0);
    }
    numbers.push_back(GetStay(known));
}

double
HandoverAgentApp::GetStay(const User& user) const
{
    return std::min(1., (Simulator::Now() - user.since).GetSeconds() / LONGEST_STAY);
}

uint32_t
HandoverAgentApp::CountNumbers() const
{
    return 3 * m_parameters.cells + 1;
}

uint32_t
HandoverAgentApp::CountChoices() const
{
    return m_parameters.cells + 1;
}

float
HandoverAgentApp::GetLeast() const
{
    return 0;
}

Ptr<OpenGymSpace>
HandoverAgentApp::GetObservationSpace()
{
    return MakeBoxSpace<float>(m_users.size() * CountNumbers(), GetLeast(), 1);
}

Ptr<OpenGymSpace>
HandoverAgentApp::GetActionSpace()
{
    if (m_users.size() > 1)
    {
        return CreateObject<OpenGymMultiDiscreteSpace>(
            std::vector<int64_t>(m_users.size(), CountChoices()));
    }
    return MakeDiscreteSpace(CountChoices());
}

OpenGymInfo
HandoverAgentApp::GetExtraInfo()
{
    auto info = PeriodicAgentApplication::GetExtraInfo();
    info["reported"] = MakeBoxContainer(m_order);
    return info;
}

} // namespace ns3
