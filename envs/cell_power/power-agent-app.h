// SPDX-License-Identifier: GPL-2.0-only

#ifndef POWER_AGENT_APP_H
#define POWER_AGENT_APP_H

#include "lte-probe.h"
#include "periodic-agent-application.h"

#include "ns3/opengym-builders.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

constexpr float SCALE = 10;        // scale of dB and dBm
constexpr float LARGEST_POWER = 6; // in units of SCALE, of either sign

/**
 * @param message Message of an application.
 * @param key Key of an array in it.
 * @return the elements of the array
 */
inline std::vector<float>
ReadFloats(Ptr<OpenGymDictContainer> message, const std::string& key)
{
    return message->Get(key)->GetObject<OpenGymBoxContainer<float>>()->GetData();
}

/**
 * @brief The powers to choose from.
 */
struct PowerChoice
{
    double least{0};                     //!< Least power in dBm
    double largest{30};                  //!< Largest power in dBm
    uint32_t levels{7};                  //!< Number of discrete powers, evenly spread in dB
    std::string actionSpace{"discrete"}; //!< Kind: discrete or continuous

    /**
     * @param action Action of an agent.
     * @param index Index of the power.
     * @return the power in dBm
     */
    double Read(Ptr<OpenGymDataContainer> action, uint32_t index) const
    {
        if (const auto box = DynamicCast<OpenGymBoxContainer<float>>(action))
        {
            return std::clamp<double>(box->GetValue(index), least, largest);
        }
        const auto several = DynamicCast<OpenGymMultiDiscreteContainer>(action);
        const auto level = several ? several->GetValue(index)
                                   : action->GetObject<OpenGymDiscreteContainer>()->GetValue();
        return GetPower(level);
    }

    /**
     * @param level A discrete action.
     * @return the power in dBm
     */
    double GetPower(int64_t level) const
    {
        return least + level * (largest - least) / (levels - 1);
    }
};

/**
 * @brief Chooses the power of a cell, or of all cells, at an interval.
 *
 * It receives the SINR of the users, the load and the power of each of its cells, as entry "cell"
 * of a message: a box of float32. With neighbours, it sends them the power, the worst SINR and the
 * load of its cell after each decision, and receives theirs.
 *
 * Observation: Box of float32, the last reports of its cells, then of neighbours: SINR and power
 * in units of 10 dB and 10 dBm, loads from 0 to 1; 0 before the first report. Action: a level
 * (Discrete, MultiDiscrete of all cells), or dBm (Box of 1 or all cells x float32).
 */
class PowerAgentApp : public PeriodicAgentApplication
{
  public:
    static constexpr uint32_t REPORT_SIZE = 3; //!< Numbers in a report between agents

    /**
     * @param interval Time between two decisions.
     * @param choice The powers to choose from.
     * @param firstCell Number of its first cell.
     * @param users Number of users of each of its cells.
     */
    PowerAgentApp(Time interval,
                  PowerChoice choice,
                  uint32_t firstCell,
                  std::vector<uint32_t> users)
        : PeriodicAgentApplication({}, interval),
          m_choice(std::move(choice)),
          m_firstCell(firstCell),
          m_users(std::move(users))
    {
        for (const auto count : m_users)
        {
            m_cellReports.emplace_back(count + 2);
        }
    }

    /**
     * Set the neighbours of the agent.
     *
     * @param agents Numbers of other agents.
     */
    void SetNeighbours(std::vector<uint32_t> agents)
    {
        m_neighbours = std::move(agents);
        m_neighbourReports.assign(m_neighbours.size(), std::vector<float>(REPORT_SIZE));
    }

  private:
    void OnRecvObs(uint32_t remoteAppId) override
    {
        const auto message = m_obsDataStruct.GetNewestByID(remoteAppId)->data;
        auto& report = m_cellReports[remoteAppId - m_firstCell];
        report = ReadFloats(message, "cell");
        for (std::size_t i = 0; i < report.size(); i++)
        {
            report[i] /= i + 2 == report.size() ? 1 : SCALE; // the load is the last but one
        }
    }

    void OnRecvFromAgent(uint32_t remoteAppId, Ptr<OpenGymDictContainer> payload) override
    {
        const auto who = std::find(m_neighbours.begin(), m_neighbours.end(), remoteAppId);
        m_neighbourReports[std::distance(m_neighbours.begin(), who)] = ReadFloats(payload, "told");
    }

    Ptr<OpenGymDataContainer> Summarise() override
    {
        std::vector<float> all;
        for (const auto* parts : {&m_cellReports, &m_neighbourReports})
        {
            for (const auto& part : *parts)
            {
                all.insert(all.end(), part.begin(), part.end());
            }
        }
        return MakeBoxContainer(std::move(all));
    }

    Ptr<OpenGymSpace> GetObservationSpace() override
    {
        const auto sinr = std::pair<float, float>(LteProbe::LEAST_SINR, LteProbe::LARGEST_SINR);
        std::vector<float> low;
        std::vector<float> high;
        std::vector<std::string> names;
        const auto add = [&](const std::string& name, float from, float to) {
            low.push_back(from);
            high.push_back(to);
            names.push_back(name);
        };
        for (std::size_t cell = 0; cell < m_users.size(); cell++)
        {
            const auto suffix = m_users.size() > 1 ? "_" + std::to_string(cell) : "";
            for (uint32_t user = 0; user < m_users[cell]; user++)
            {
                const auto name = "sinr_" + std::to_string(user) + suffix;
                add(name, sinr.first / SCALE, sinr.second / SCALE);
            }
            add("load" + suffix, 0, 1);
            add("power" + suffix, -LARGEST_POWER, LARGEST_POWER);
        }
        for (std::size_t i = 0; i < m_neighbours.size(); i++)
        {
            const auto name = "neighbour_" + std::to_string(i);
            add(name + "_power", -LARGEST_POWER, LARGEST_POWER);
            add(name + "_sinr", sinr.first / SCALE, sinr.second / SCALE);
            add(name + "_load", 0, 1);
        }
        const auto space = MakeBoxSpace(std::move(low), std::move(high));
        space->SetElementNames(std::move(names));
        return space;
    }

    Ptr<OpenGymSpace> GetActionSpace() override
    {
        if (m_choice.actionSpace == "continuous")
        {
            return MakeBoxSpace<float>(m_users.size(), m_choice.least, m_choice.largest);
        }
        if (m_users.size() > 1)
        {
            return CreateObject<OpenGymMultiDiscreteSpace>(
                std::vector<int64_t>(m_users.size(), m_choice.levels));
        }
        return MakeDiscreteSpace(m_choice.levels);
    }

    void InitiateAction(Ptr<OpenGymDataContainer> action) override
    {
        PeriodicAgentApplication::InitiateAction(action);
        if (!m_neighbours.empty())
        {
            const auto& report = m_cellReports.front();
            const float power = m_choice.Read(action, 0) / SCALE;
            const float worst = *std::min_element(report.begin(), report.end() - 2);
            SendToAgent(MakeDictContainer(
                "told",
                MakeBoxContainer<float>(REPORT_SIZE, power, worst, *(report.end() - 2))));
        }
    }

    PowerChoice m_choice;                               //!< Choice of powers
    uint32_t m_firstCell;                               //!< Number of its first cell
    std::vector<uint32_t> m_users;                      //!< Users of each cell
    std::vector<std::vector<float>> m_cellReports;      //!< Last report of each cell
    std::vector<uint32_t> m_neighbours;                 //!< Numbers of other agents
    std::vector<std::vector<float>> m_neighbourReports; //!< Last report of each neighbour
};

} // namespace ns3

#endif // POWER_AGENT_APP_H
