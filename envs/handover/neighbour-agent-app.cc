// SPDX-License-Identifier: GPL-2.0-only

#include "neighbour-agent-app.h"

#include "handover-monitor.h"

#include "ns3/opengym-builders.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <iterator>

namespace ns3
{

namespace
{

constexpr uint32_t NEIGHBOURS = 3;      // the best neighbours; others are useless for a user
constexpr uint32_t NUMBERS_OF_USER = 6; // in addition to those of neighbours
constexpr uint32_t NUMBERS_OF_NEIGHBOUR = 5;
constexpr float SCALE = 20; // scale of differences and changes, in dB

/**
 * @param decibels A difference or change.
 * @return the value in units of the scale, limited to 1
 */
float
Scale(float decibels)
{
    return std::clamp(decibels / SCALE, -1.F, 1.F);
}

} // namespace

NeighbourAgentApp::NeighbourAgentApp(const HandoverAgentParameters& parameters,
                                     uint32_t firstUser,
                                     uint32_t users)
    : HandoverAgentApp(parameters, firstUser, users),
      m_histories(users, std::vector<RsrpHistory>(parameters.cells)),
      m_neighbours(users * NEIGHBOURS, -1)
{
}

void
NeighbourAgentApp::NoteReport(uint32_t user, const std::vector<float>& rsrp)
{
    for (uint32_t cell = 0; cell < rsrp.size(); cell++)
    {
        if (rsrp[cell] > 0)
        {
            m_histories[user][cell].Add(m_users[user].sent, rsrp[cell]);
        }
    }
}

Ptr<OpenGymDataContainer>
NeighbourAgentApp::Summarise()
{
    m_neighbours.assign(m_users.size() * NEIGHBOURS, -1);
    return HandoverAgentApp::Summarise();
}

std::vector<int32_t>
NeighbourAgentApp::RankNeighbours(const User& user) const
{
    std::vector<int32_t> ranked;
    if (m_parameters.reports != "periodic")
    {
        std::copy_if(user.order.begin(),
                     user.order.end(),
                     std::back_inserter(ranked),
                     [](int32_t cell) { return cell >= 0; });
    }
    const auto events = ranked.size();
    for (uint32_t cell = 0; cell < m_parameters.cells; cell++)
    {
        if (cell != user.serving && user.rsrp[cell] > 0 &&
            std::find(ranked.begin(), ranked.end(), cell) == ranked.end())
        {
            ranked.push_back(cell);
        }
    }
    std::stable_sort(ranked.begin() + events, ranked.end(), [&user](int32_t one, int32_t other) {
        return user.rsrp[one] > user.rsrp[other];
    });
    return ranked;
}

void
NeighbourAgentApp::Describe(uint32_t user, std::vector<float>& numbers)
{
    const auto& known = m_users[user];
    const auto serving = known.serving.value();
    numbers.push_back(known.rsrp[serving] / HandoverMonitor::LARGEST_RSRP);
    numbers.push_back(known.rsrq[serving] / HandoverMonitor::LARGEST_RSRQ);
    AppendChanges(user, serving, numbers);
    numbers.push_back(GetStay(known));
    // A message has the time as a float, which may be rounded up.
    numbers.push_back(std::clamp((Simulator::Now() - known.sent).GetSeconds(), 0., 1.));

    const auto ranked = RankNeighbours(known);
    for (uint32_t i = 0; i < NEIGHBOURS; i++)
    {
        if (i >= ranked.size())
        {
            numbers.insert(numbers.end(), NUMBERS_OF_NEIGHBOUR, 0);
            continue;
        }
        const auto cell = ranked[i];
        m_neighbours[user * NEIGHBOURS + i] = cell;
        numbers.push_back(1);
        numbers.push_back(Scale(known.rsrp[cell] - known.rsrp[serving]));
        AppendChanges(user, cell, numbers);
        const bool event =
            m_parameters.reports != "periodic" &&
            std::find(known.order.begin(), known.order.end(), cell) != known.order.end();
        numbers.push_back(event ? 1 : 0);
    }
}

void
NeighbourAgentApp::AppendChanges(uint32_t user, uint32_t cell, std::vector<float>& numbers) const
{
    const auto& history = m_histories[user][cell];
    numbers.push_back(Scale(history.GetChange(MilliSeconds(200))));
    numbers.push_back(Scale(history.GetChange(Seconds(1))));
}

uint32_t
NeighbourAgentApp::CountNumbers() const
{
    return NUMBERS_OF_USER + NEIGHBOURS * NUMBERS_OF_NEIGHBOUR;
}

uint32_t
NeighbourAgentApp::CountChoices() const
{
    return NEIGHBOURS + 1;
}

float
NeighbourAgentApp::GetLeast() const
{
    return -1;
}

int64_t
NeighbourAgentApp::FindCell(uint32_t user, int64_t choice) const
{
    return choice > 0 ? m_neighbours[user * NEIGHBOURS + choice - 1] + 1 : 0;
}

void
NeighbourAgentApp::InitiateAction(Ptr<OpenGymDataContainer> action)
{
    const auto all = DynamicCast<OpenGymMultiDiscreteContainer>(action);
    if (!all)
    {
        const auto choice = action->GetObject<OpenGymDiscreteContainer>()->GetValue();
        HandoverAgentApp::InitiateAction(MakeDiscreteContainer(FindCell(0, choice)));
        return;
    }
    const auto cells = CreateObject<OpenGymMultiDiscreteContainer>();
    for (uint32_t user = 0; user < m_users.size(); user++)
    {
        cells->AddValue(FindCell(user, all->GetValue(user)));
    }
    HandoverAgentApp::InitiateAction(cells);
}

OpenGymInfo
NeighbourAgentApp::GetExtraInfo()
{
    auto info = HandoverAgentApp::GetExtraInfo();
    info["neighbours"] = MakeBoxContainer(m_neighbours);
    return info;
}

} // namespace ns3
