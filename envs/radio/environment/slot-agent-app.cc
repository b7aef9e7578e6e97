// SPDX-License-Identifier: GPL-2.0-only

#include "slot-agent-app.h"

#include "ns3/boolean.h"
#include "ns3/opengym-builders.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(SlotAgentApp);

TypeId
SlotAgentApp::GetTypeId()
{
    static TypeId tid = TypeId("ns3::SlotAgentApp")
                            .SetParent<AgentApplication>()
                            .SetGroupName("defiance")
                            .AddConstructor<SlotAgentApp>()
                            .AddAttribute("Slot",
                                          "Time between two decisions.",
                                          TimeValue(MilliSeconds(1)),
                                          MakeTimeAccessor(&SlotAgentApp::m_slot),
                                          MakeTimeChecker(NanoSeconds(1)))
                            .AddAttribute("FirstPlayer",
                                          "Number of the applications of its first player.",
                                          UintegerValue(0),
                                          MakeUintegerAccessor(&SlotAgentApp::m_firstPlayer),
                                          MakeUintegerChecker<uint32_t>())
                            .AddAttribute("Players",
                                          "It decides for so many.",
                                          UintegerValue(1),
                                          MakeUintegerAccessor(&SlotAgentApp::m_players),
                                          MakeUintegerChecker<uint32_t>(1))
                            .AddAttribute("Central",
                                          "Whether it decides for all.",
                                          BooleanValue(false),
                                          MakeBooleanAccessor(&SlotAgentApp::m_central),
                                          MakeBooleanChecker())
                            .AddAttribute("Actions",
                                          "Actions that there are to choose from for a player.",
                                          UintegerValue(2),
                                          MakeUintegerAccessor(&SlotAgentApp::m_actions),
                                          MakeUintegerChecker<uint32_t>(1))
                            .AddAttribute("SampleSize",
                                          "Numbers that a player measures in a slot.",
                                          UintegerValue(2),
                                          MakeUintegerAccessor(&SlotAgentApp::m_sampleSize),
                                          MakeUintegerChecker<uint32_t>(1))
                            .AddAttribute("History",
                                          "Samples of a player that it remembers.",
                                          UintegerValue(1),
                                          MakeUintegerAccessor(&SlotAgentApp::m_history),
                                          MakeUintegerChecker<uint32_t>(1))
                            .AddAttribute("ObservesActions",
                                          "Whether it observes what it has done.",
                                          BooleanValue(false),
                                          MakeBooleanAccessor(&SlotAgentApp::m_observesActions),
                                          MakeBooleanChecker());
    return tid;
}

void
SlotAgentApp::SetInfo(std::function<OpenGymInfo()> info)
{
    m_info = std::move(info);
}

void
SlotAgentApp::Setup()
{
    AgentApplication::Setup();
    m_memories.resize(m_players);
}

void
SlotAgentApp::DoDispose()
{
    m_event.Cancel();
    m_info = nullptr;
    AgentApplication::DoDispose();
}

void
SlotAgentApp::StartApplication()
{
    AgentApplication::StartApplication();
    Tick();
}

void
SlotAgentApp::StopApplication()
{
    m_event.Cancel();
    AgentApplication::StopApplication();
}

void
SlotAgentApp::OnRecvObs(uint32_t remoteAppId)
{
    const auto message = m_obsDataStruct.GetNewestByID(remoteAppId)->data;
    auto& samples = m_memories.at(remoteAppId - m_firstPlayer).samples;
    samples.push_front(message->Get("sample")->GetObject<OpenGymBoxContainer<float>>()->GetData());
    if (samples.size() > m_history)
    {
        samples.pop_back();
    }
}

void
SlotAgentApp::Tick()
{
    m_event = Simulator::Schedule(m_slot, &SlotAgentApp::Tick, this);
    // What arrives in this instant is under way already, or follows an event that is.
    Simulator::ScheduleNow(
        [self = Ptr<SlotAgentApp>(this)] { Simulator::ScheduleNow(&SlotAgentApp::Decide, self); });
}

void
SlotAgentApp::Decide()
{
    const auto size = m_history * m_sampleSize + (m_observesActions ? m_history * m_actions : 0);
    std::vector<float> observed(m_players * size);
    for (uint32_t player = 0; player < m_players; player++)
    {
        const auto& [samples, actions] = m_memories[player];
        auto place = observed.begin() + player * size;
        for (const auto& sample : samples)
        {
            place = std::copy(sample.begin(), sample.end(), place);
        }
        place = observed.begin() + player * size + m_history * m_sampleSize;
        for (const auto action : actions)
        {
            *(place + action) = 1;
            place += m_actions;
        }
    }
    m_observation = MakeBoxContainer(std::move(observed));
    InferAction();
}

Ptr<OpenGymSpace>
SlotAgentApp::GetObservationSpace()
{
    const auto size = m_sampleSize + (m_observesActions ? m_actions : 0);
    return MakeBoxSpace<float>(m_players * m_history * size, 0, 1);
}

Ptr<OpenGymSpace>
SlotAgentApp::GetActionSpace()
{
    if (m_central)
    {
        return CreateObject<OpenGymMultiDiscreteSpace>(std::vector<int64_t>(m_players, m_actions));
    }
    return MakeDiscreteSpace(m_actions);
}

void
SlotAgentApp::InitiateAction(Ptr<OpenGymDataContainer> action)
{
    if (!m_central)
    {
        Remember(0, action->GetObject<OpenGymDiscreteContainer>()->GetValue());
        AgentApplication::InitiateAction(action);
        return;
    }
    const auto actions = action->GetObject<OpenGymMultiDiscreteContainer>();
    for (uint32_t player = 0; player < m_players; player++)
    {
        const auto each = actions->GetValue(player);
        Remember(player, each);
        SendAction(MakeDictContainer("default", MakeDiscreteContainer(each)),
                   m_firstPlayer + player);
    }
}

void
SlotAgentApp::Remember(uint32_t player, uint32_t action)
{
    auto& actions = m_memories.at(player).actions;
    if (m_observesActions)
    {
        actions.push_front(action);
        if (actions.size() > m_history)
        {
            actions.pop_back();
        }
    }
}

OpenGymInfo
SlotAgentApp::GetExtraInfo()
{
    return m_info ? m_info() : OpenGymInfo();
}

} // namespace ns3
