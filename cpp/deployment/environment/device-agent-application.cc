// SPDX-License-Identifier: GPL-2.0-only

#include "device-agent-application.h"

#include "ns3/opengym-builders.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

namespace
{

/**
 * @param action Action of a central agent.
 * @param device Index of one of its devices, from 0.
 * @return the part of the action for the device
 */
Ptr<OpenGymDataContainer>
GetPart(Ptr<OpenGymDataContainer> action, uint32_t device)
{
    if (const auto choices = DynamicCast<OpenGymMultiDiscreteContainer>(action))
    {
        return MakeDiscreteContainer(choices->GetValue(device));
    }
    return MakeBoxContainer<float>(
        1,
        action->GetObject<OpenGymBoxContainer<float>>()->GetValue(device));
}

} // namespace

void
DeviceAgentApplication::DoDispose()
{
    m_decision.Cancel();
    AgentApplication::DoDispose();
}

void
DeviceAgentApplication::InitiateAction(Ptr<OpenGymDataContainer> action)
{
    if (!m_devices.central)
    {
        AgentApplication::InitiateAction(action);
        return;
    }
    for (uint32_t device = 0; device < m_devices.count; device++)
    {
        if (TakesActions(device))
        {
            SendAction(MakeDictContainer("default", GetPart(action, device)),
                       m_devices.first + device);
        }
    }
}

void
DeviceAgentApplication::Decide()
{
    InferAction();
}

void
DeviceAgentApplication::DecideSoon()
{
    if (!m_decision.IsPending())
    {
        m_decision = Simulator::ScheduleNow(&DeviceAgentApplication::Decide, this);
    }
}

uint32_t
DeviceAgentApplication::ReadState(uint32_t remoteAppId,
                                  const std::string& key,
                                  std::vector<float>& states)
{
    const auto message = m_obsDataStruct.GetNewestByID(remoteAppId)->data;
    const auto& state = message->Get(key)->GetObject<OpenGymBoxContainer<float>>()->GetData();
    const auto device = remoteAppId - m_devices.first;
    states.resize(m_devices.count * state.size());
    std::copy(state.begin(), state.end(), states.begin() + device * state.size());
    return device;
}

Ptr<OpenGymSpace>
DeviceAgentApplication::RepeatBox(const std::vector<float>& low,
                                  const std::vector<float>& high,
                                  const std::vector<std::string>& names) const
{
    std::vector<float> allLow;
    std::vector<float> allHigh;
    std::vector<std::string> allNames;
    for (uint32_t device = 0; device < m_devices.count; device++)
    {
        allLow.insert(allLow.end(), low.begin(), low.end());
        allHigh.insert(allHigh.end(), high.begin(), high.end());
        for (const auto& name : names)
        {
            allNames.push_back(m_devices.count > 1 ? name + "_" + std::to_string(device) : name);
        }
    }
    const auto space = MakeBoxSpace(allLow, allHigh);
    if (!names.empty())
    {
        space->SetElementNames(allNames);
    }
    return space;
}

Ptr<OpenGymSpace>
DeviceAgentApplication::MakeChoices(int64_t choices) const
{
    if (m_devices.central)
    {
        return CreateObject<OpenGymMultiDiscreteSpace>(
            std::vector<int64_t>(m_devices.count, choices));
    }
    return MakeDiscreteSpace(choices);
}

} // namespace ns3
