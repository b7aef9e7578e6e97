// SPDX-License-Identifier: GPL-2.0-only

#ifndef HANDOVER_AGENT_APP_H
#define HANDOVER_AGENT_APP_H

#include "handover-monitor.h"
#include "periodic-agent-application.h"

#include "ns3/opengym-builders.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

constexpr double LONGEST_STAY = 5;       // in s: the largest observed stay
const Time LONGEST_SILENCE = Seconds(2); // users without a report for this time have left

/**
 * @brief Parameters that the agents of an environment share.
 */
struct HandoverAgentParameters
{
    std::string reports; //!< Kind: periodic; a3 and both: an agent decides on each report
    Time interval;       //!< Time between two decisions with periodic reports
    uint32_t cells;      //!< Number of cells
};

/**
 * @brief Picks the cells that serve users, by the users' reports.
 *
 * It receives reports as entry "report" of a message, a box of float32. The box has the numbers of
 * the user and of its cell, the RSRP and then the RSRQ of each cell, in steps, and the neighbours
 * in the order of the report, padded with -1. With reports of both kinds, and for a
 * NeighbourAgentApp, two numbers follow: 1 for a report by event A3 and 0 for others, and the
 * sending time in s.
 *
 * Observation: Box of float32 from 0 to 1. For each user: RSRP of each cell / 97, RSRQ of each cell
 * / 34, 1 for the serving cell and 0 for others, and the time of this service / 5 s, at most 1.
 * Missing values are 0. Action, for each user (Discrete, or MultiDiscrete): 0 keeps its cell, k
 * hands the user over to cell k - 1.
 */
class HandoverAgentApp : public PeriodicAgentApplication
{
  public:
    /**
     * @param parameters Parameters that all agents share.
     * @param firstUser Number of its first user.
     * @param users Number of its users.
     */
    HandoverAgentApp(const HandoverAgentParameters& parameters, uint32_t firstUser, uint32_t users)
        : PeriodicAgentApplication({},
                                   parameters.reports == "periodic" ? parameters.interval
                                                                    : Time(0)),
          m_parameters(parameters),
          m_users(users),
          m_firstUser(firstUser)
    {
    }

  protected:
    /// Known state of a user. Vectors are empty before the first report.
    struct User
    {
        std::vector<float> rsrp;         //!< RSRP of each cell, in steps; 0: not reported
        std::vector<float> rsrq;         //!< RSRQ of each cell, in steps; 0: not reported
        std::vector<int32_t> order;      //!< Neighbours in the order of the report, then -1
        std::optional<uint32_t> serving; //!< Serving cell
        Time since{};                    //!< Begin of the service
        Time arrived{};                  //!< Arrival of the last report
        Time sent{};                     //!< Sending time of the last report, if reported
    };

    /**
     * React to a report.
     *
     * @param user Number of the user, among the agent's users.
     * @param rsrp RSRP of each cell in steps; 0: not reported.
     */
    virtual void NoteReport(uint32_t user, const std::vector<float>& rsrp)
    {
    }

    /**
     * Append the numbers of a user that has reported.
     *
     * @param user Number of the user, among the agent's users.
     * @param numbers Vector to extend.
     */
    virtual void Describe(uint32_t user, std::vector<float>& numbers)
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

    /// @return the numbers that describe a user
    virtual uint32_t CountNumbers() const
    {
        return 3 * m_parameters.cells + 1;
    }

    /// @return the actions for a user
    virtual uint32_t CountChoices() const
    {
        return m_parameters.cells + 1;
    }

    /// @return the lower bound of the numbers
    virtual float GetLeast() const
    {
        return 0;
    }

    /// @return the stay @param user observed user
    double GetStay(const User& user) const
    {
        return std::min(1., (Simulator::Now() - user.since).GetSeconds() / LONGEST_STAY);
    }

    Ptr<OpenGymSpace> GetObservationSpace() override
    {
        return MakeBoxSpace<float>(m_users.size() * CountNumbers(), GetLeast(), 1);
    }

    Ptr<OpenGymSpace> GetActionSpace() override
    {
        if (m_users.size() > 1)
        {
            return CreateObject<OpenGymMultiDiscreteSpace>(
                std::vector<int64_t>(m_users.size(), CountChoices()));
        }
        return MakeDiscreteSpace(CountChoices());
    }

    OpenGymInfo GetExtraInfo() override
    {
        auto info = PeriodicAgentApplication::GetExtraInfo();
        info["reported"] = MakeBoxContainer(m_order);
        return info;
    }

    Ptr<OpenGymDataContainer> Summarise() override
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

    const HandoverAgentParameters m_parameters; //!< Parameters of all agents
    std::vector<User> m_users;                  //!< Known states of users

  private:
    void OnRecvObs(uint32_t remoteAppId) override
    {
        const auto message = m_obsDataStruct.GetNewestByID(remoteAppId)->data;
        const auto report =
            message->Get("report")->GetObject<OpenGymBoxContainer<float>>()->GetData();
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

    uint32_t m_firstUser;         //!< Number of its first user
    std::vector<int32_t> m_order; //!< Neighbours of each user in the order of the last report
};

} // namespace ns3

#endif // HANDOVER_AGENT_APP_H
