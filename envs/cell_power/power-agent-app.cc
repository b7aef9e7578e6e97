// SPDX-License-Identifier: GPL-2.0-only

#include "power-agent-app.h"

#include "lte-probe.h"

#include "ns3/opengym-builders.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace ns3
{

namespace
{

constexpr float SCALE = 10;        // scale of dB and dBm
constexpr float LARGEST_POWER = 6; // in units of SCALE, of either sign

/**
 * @param message Message of an application.
 * @param key Key of an array in it.
 * @return the elements of the array
 */
std::vector<float>
ReadFloats(Ptr<OpenGymDictContainer> message, const std::string& key)
{
    return message->Get(key)->GetObject<OpenGymBoxContainer<float>>()->GetData();
}

} // namespace

double
PowerChoice::Read(Ptr<OpenGymDataContainer> action, uint32_t index) const
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

double
PowerChoice::GetPower(int64_t level) const
{
    return least + level * (largest - least) / (levels - 1);
}

PowerAgentApp::PowerAgentApp(Time interval,
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

void
PowerAgentApp::SetNeighbours(std::vector<uint32_t> agents)
{
    m_neighbours = std::move(agents);
    m_neighbourReports.assign(m_neighbours.size(), std::vector<float>(REPORT_SIZE));
}

void
PowerAgentApp::OnRecvObs(uint32_t remoteAppId)
{
    const auto message = m_obsDataStruct.GetNewestByID(remoteAppId)->data;
    auto& report = m_cellReports[remoteAppId - m_firstCell];
    report = ReadFloats(message, "cell");
    for (std::size_t i = 0; i < report.size(); i++)
    {
        report[i] /= i + 2 == report.size() ? 1 : SCALE; // the load is the last but one
    }
}

void
PowerAgentApp::OnRecvFromAgent(uint32_t remoteAppId, Ptr<OpenGymDictContainer> payload)
{
    const auto who = std::find(m_neighbours.begin(), m_neighbours.end(), remoteAppId);
    m_neighbourReports[std::distance(m_neighbours.begin(), who)] = ReadFloats(payload, "told");
}

Ptr<OpenGymDataContainer>
PowerAgentApp::Summarise()
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

Ptr<OpenGymSpace>
PowerAgentApp::GetObservationSpace()
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

Ptr<OpenGymSpace>
PowerAgentApp::GetActionSpace()
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

void
PowerAgentApp::InitiateAction(Ptr<OpenGymDataContainer> action)
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

} // namespace ns3
