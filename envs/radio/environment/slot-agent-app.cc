// SPDX-License-Identifier: GPL-2.0-only

#include "slot-agent-app.h"

#include "ns3/opengym-builders.h"

#include <algorithm>
#include <utility>

namespace ns3
{

SlotAgentApp::SlotAgentApp(const AgentDevices& players, Time slot, const SlotChoice& choice)
    : PeriodicAgentApplication(players, slot),
      m_choice(choice),
      m_memories(players.count)
{
}

void
SlotAgentApp::OnRecvObs(uint32_t remoteAppId)
{
    const auto message = m_obsDataStruct.GetNewestByID(remoteAppId)->data;
    auto& samples = m_memories.at(remoteAppId - m_devices.first).samples;
    samples.push_front(message->Get("sample")->GetObject<OpenGymBoxContainer<float>>()->GetData());
    if (samples.size() > m_choice.history)
    {
        samples.pop_back();
    }
}

Ptr<OpenGymDataContainer>
SlotAgentApp::Summarise()
{
    const auto actionSize = m_choice.observesActions ? m_choice.actions : 0;
    const auto size = m_choice.history * (m_choice.sampleSize + actionSize);
    std::vector<float> observed(m_devices.count * size);
    for (uint32_t player = 0; player < m_devices.count; player++)
    {
        const auto& [samples, actions] = m_memories[player];
        auto place = observed.begin() + player * size;
        for (const auto& sample : samples)
        {
            place = std::copy(sample.begin(), sample.end(), place);
        }
        place = observed.begin() + player * size + m_choice.history * m_choice.sampleSize;
        for (const auto action : actions)
        {
            *(place + action) = 1;
            place += m_choice.actions;
        }
    }
    return MakeBoxContainer(std::move(observed));
}

Ptr<OpenGymSpace>
SlotAgentApp::GetObservationSpace()
{
    const auto size = m_choice.sampleSize + (m_choice.observesActions ? m_choice.actions : 0);
    return MakeBoxSpace<float>(m_devices.count * m_choice.history * size, 0, 1);
}

Ptr<OpenGymSpace>
SlotAgentApp::GetActionSpace()
{
    return MakeChoices(m_choice.actions);
}

void
SlotAgentApp::InitiateAction(Ptr<OpenGymDataContainer> action)
{
    const auto all = DynamicCast<OpenGymMultiDiscreteContainer>(action);
    for (uint32_t player = 0; player < m_devices.count; player++)
    {
        Remember(player,
                 all ? all->GetValue(player)
                     : action->GetObject<OpenGymDiscreteContainer>()->GetValue());
    }
    PeriodicAgentApplication::InitiateAction(action);
}

void
SlotAgentApp::Remember(uint32_t player, uint32_t action)
{
    auto& actions = m_memories.at(player).actions;
    if (m_choice.observesActions)
    {
        actions.push_front(action);
        if (actions.size() > m_choice.history)
        {
            actions.pop_back();
        }
    }
}

} // namespace ns3
