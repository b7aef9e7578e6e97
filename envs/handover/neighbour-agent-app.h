// SPDX-License-Identifier: GPL-2.0-only

#ifndef NEIGHBOUR_AGENT_APP_H
#define NEIGHBOUR_AGENT_APP_H

#include "handover-agent-app.h"
#include "handover-monitor.h"

#include "ns3/nstime.h"
#include "ns3/opengym-builders.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <iterator>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief A user's reports of a cell in the last second, and their change.
 */
class RsrpHistory
{
  public:
    /**
     * Add the newest report.
     *
     * @param time Sending time of the report.
     * @param rsrp RSRP of the cell, in steps of 1 dB.
     */
    void Add(Time time, float rsrp)
    {
        m_reports.emplace_back(time, rsrp);
        while (m_reports.size() > 1 && m_reports[1].first <= time - Seconds(1))
        {
            m_reports.pop_front();
        }
    }

    /**
     * @param period Age of the report to compare with, at most a second.
     * @return the newest RSRP minus an earlier one: of the newest report that is older by at least
     * the period, or else of the oldest report; 0 without reports
     */
    float GetChange(Time period) const
    {
        if (m_reports.empty())
        {
            return 0;
        }
        const auto& [now, rsrp] = m_reports.back();
        const auto earlier =
            std::find_if(m_reports.rbegin(), m_reports.rend(), [now, period](const auto& report) {
                return report.first <= now - period;
            });
        return rsrp - (earlier == m_reports.rend() ? m_reports.front() : *earlier).second;
    }

  private:
    std::deque<std::pair<Time, float>> m_reports; //!< Reports, oldest first
};

constexpr uint32_t NEIGHBOURS = 3;      // the best neighbours; others are useless for a user
constexpr uint32_t NUMBERS_OF_USER = 6; // in addition to those of neighbours
constexpr uint32_t NUMBERS_OF_NEIGHBOUR = 5;
constexpr float SCALE = 20; // scale of differences and changes, in dB

/**
 * @param decibels A difference or change.
 * @return the value in units of the scale, limited to 1
 */
inline float
Scale(float decibels)
{
    return std::clamp(decibels / SCALE, -1.F, 1.F);
}

/**
 * @brief Picks the cells that serve users, among the best received neighbours.
 *
 * Observation: Box of float32 from -1 to 1. For each user: RSRP and RSRQ of its cell as in the base
 * class, and the change of this RSRP in 0.2 s and in 1 s. Next come the time of this service / 5 s
 * and the age of the last report / s, each at most 1. For each of three neighbours: 1 (0: no
 * neighbour), its RSRP minus the cell's, and the change of its RSRP in 0.2 s and in 1 s. The last
 * number is 1 if a report by event A3 with the neighbour has arrived since the last decision.
 * Differences and changes are in 20 dB. Neighbours in such a report come first, in its order;
 * others follow by RSRP.
 *
 * Action, for each user: 0 keeps its cell, k hands the user over to its k-th neighbour in the last
 * observation.
 */
class NeighbourAgentApp : public HandoverAgentApp
{
  public:
    /**
     * @param parameters Parameters that all agents share.
     * @param firstUser Number of its first user.
     * @param users Number of its users.
     */
    NeighbourAgentApp(const HandoverAgentParameters& parameters, uint32_t firstUser, uint32_t users)
        : HandoverAgentApp(parameters, firstUser, users),
          m_histories(users, std::vector<RsrpHistory>(parameters.cells)),
          m_neighbours(users * NEIGHBOURS, -1)
    {
    }

  private:
    void NoteReport(uint32_t user, const std::vector<float>& rsrp) override
    {
        for (uint32_t cell = 0; cell < rsrp.size(); cell++)
        {
            if (rsrp[cell] > 0)
            {
                m_histories[user][cell].Add(m_users[user].sent, rsrp[cell]);
            }
        }
    }

    Ptr<OpenGymDataContainer> Summarise() override
    {
        m_neighbours.assign(m_users.size() * NEIGHBOURS, -1);
        return HandoverAgentApp::Summarise();
    }

    void Describe(uint32_t user, std::vector<float>& numbers) override
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

    uint32_t CountNumbers() const override
    {
        return NUMBERS_OF_USER + NEIGHBOURS * NUMBERS_OF_NEIGHBOUR;
    }

    uint32_t CountChoices() const override
    {
        return NEIGHBOURS + 1;
    }

    float GetLeast() const override
    {
        return -1;
    }

    void InitiateAction(Ptr<OpenGymDataContainer> action) override
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

    OpenGymInfo GetExtraInfo() override
    {
        auto info = HandoverAgentApp::GetExtraInfo();
        info["neighbours"] = MakeBoxContainer(m_neighbours);
        return info;
    }

    /**
     * @param user State of a user.
     * @return its reported neighbours, in the order of observations
     */
    std::vector<int32_t> RankNeighbours(const User& user) const
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
        std::stable_sort(
            ranked.begin() + events,
            ranked.end(),
            [&user](int32_t one, int32_t other) { return user.rsrp[one] > user.rsrp[other]; });
        return ranked;
    }

    /**
     * Append the changes of the RSRP of a cell.
     *
     * @param user Number of the user, among the agent's users.
     * @param cell Number of the cell.
     * @param numbers Vector to extend.
     */
    void AppendChanges(uint32_t user, uint32_t cell, std::vector<float>& numbers) const
    {
        const auto& history = m_histories[user][cell];
        numbers.push_back(Scale(history.GetChange(MilliSeconds(200))));
        numbers.push_back(Scale(history.GetChange(Seconds(1))));
    }

    /**
     * @param user Number of the user, among the agent's users.
     * @param choice Action for the user.
     * @return the action with the cells' numbers at devices
     */
    int64_t FindCell(uint32_t user, int64_t choice) const
    {
        return choice > 0 ? m_neighbours[user * NEIGHBOURS + choice - 1] + 1 : 0;
    }

    std::vector<std::vector<RsrpHistory>> m_histories; //!< Histories by user and cell
    std::vector<int32_t> m_neighbours;                 //!< Three neighbours of each user; -1: none
};

} // namespace ns3

#endif // NEIGHBOUR_AGENT_APP_H
