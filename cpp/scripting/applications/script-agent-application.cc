// SPDX-License-Identifier: GPL-2.0-only

#include "script-agent-application.h"

#include "gym-values.h"
#include "message-content.h"
#include "script-collector.h"
#include "script-place.h"

#include "ns3/rl-simulation.h"

#include <cmath>
#include <sstream>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(ScriptAgentApplication);

TypeId
ScriptAgentApplication::GetTypeId()
{
    static TypeId tid = TypeId("ns3::ScriptAgentApplication")
                            .SetParent<AgentApplication>()
                            .SetGroupName("defiance")
                            .AddConstructor<ScriptAgentApplication>();
    return tid;
}

void
ScriptAgentApplication::SetSpaces(Ptr<OpenGymSpace> observations, Ptr<OpenGymSpace> actions)
{
    m_observations = observations;
    m_actions = actions;
}

ScriptAgentApplication::Hooks&
ScriptAgentApplication::GetHooks()
{
    return m_hooks;
}

void
ScriptAgentApplication::SetObservation(nb::handle observation)
{
    if (!observation.is_none())
    {
        m_sender.reset();
        m_observation = ToContainer(observation, m_observations);
    }
}

void
ScriptAgentApplication::Decide(nb::handle observation, std::optional<uint32_t> remoteAppId)
{
    SetObservation(observation);
    if (!m_observation)
    {
        throw nb::value_error("an agent cannot decide before its first observation");
    }
    remoteAppId ? InferAction(*remoteAppId) : InferAction();
}

nb::object
ScriptAgentApplication::Request(nb::handle observation)
{
    SetObservation(observation);
    if (!m_observation)
    {
        throw nb::value_error("an agent cannot decide before its first observation");
    }
    return FromAction(RequestAction());
}

double
ScriptAgentApplication::GetReward() const
{
    return m_reward;
}

void
ScriptAgentApplication::SetReward(double reward)
{
    if (!std::isfinite(reward))
    {
        std::ostringstream text;
        text << "the reward of " << GetId() << " cannot be " << reward
             << ": a reward is a finite number";
        throw nb::value_error(text.str().c_str());
    }
    m_reward = reward;
}

nb::object
ScriptAgentApplication::GetObservation() const
{
    return FromContainer(m_observation);
}

void
ScriptAgentApplication::Setup()
{
    AgentApplication::Setup();
    TimeValue stepInterval;
    GetAttribute("StepInterval", stepInterval);
    m_decidesBySteps = !stepInterval.Get().IsZero();
}

void
ScriptAgentApplication::DoDispose()
{
    for (auto* hook : {&m_hooks.observation,
                       &m_hooks.reward,
                       &m_hooks.message,
                       &m_hooks.action,
                       &m_hooks.observe,
                       &m_hooks.info})
    {
        hook->Drop();
    }
    AgentApplication::DoDispose();
}

std::string
ScriptAgentApplication::DescribeMessage(RlApplicationId sender) const
{
    std::ostringstream text;
    text << FindSendingPlace(sender) << "  In what " << GetId() << " has received from " << sender
         << ": ";
    return text.str();
}

void
ScriptAgentApplication::OnRecvObs(uint32_t remoteAppId)
{
    const auto message = m_obsDataStruct.GetNewestByID(remoteAppId)->data;
    if (m_hooks.observation)
    {
        const auto takesArrays = m_hooks.takesArrays;
        m_hooks.observation(remoteAppId,
                            takesArrays ? FromAction(message) : FromContainer(message));
        return;
    }
    m_observation = GetContent(message);
    if (!m_observations->FindFault(PeekPointer(m_observation), false).empty())
    {
        // A received list of numbers does not have the space's element type.
        Guarded([&] { SetObservation(FromContainer(m_observation)); },
                [&] {
                    return DescribeMessage({ApplicationType::OBSERVATION, remoteAppId}) +
                           "on_observation() takes a value outside of its space\n";
                });
    }
    m_sender = remoteAppId;
    if (!m_decidesBySteps)
    {
        InferAction();
    }
}

void
ScriptAgentApplication::OnRecvReward(uint32_t remoteAppId)
{
    const auto message = m_rewardDataStruct.GetNewestByID(remoteAppId)->data;
    if (m_hooks.reward)
    {
        m_hooks.reward(remoteAppId, FromContainer(message));
        return;
    }
    const auto number = ToNumber(GetContent(message, "reward"));
    if (!number)
    {
        std::ostringstream text;
        text << "\n"
             << DescribeMessage({ApplicationType::REWARD, remoteAppId})
             << "on_reward() takes a message without a single number under the key 'reward'\n"
             << "TypeError: " << message << " is not a reward: send one number\n";
        RlSimulation::Fail(text.str());
    }
    if (!std::isfinite(*number))
    {
        std::ostringstream text;
        text << "\n"
             << DescribeMessage({ApplicationType::REWARD, remoteAppId})
             << "on_reward() takes a reward\nValueError: " << *number
             << " is not a reward: send a finite number\n";
        RlSimulation::Fail(text.str());
    }
    m_reward += *number;
}

void
ScriptAgentApplication::OnRecvFromAgent(uint32_t remoteAppId, Ptr<OpenGymDictContainer> payload)
{
    m_hooks.message(remoteAppId, FromContainer(payload));
}

void
ScriptAgentApplication::InitiateAction(Ptr<OpenGymDataContainer> action)
{
    if (m_hooks.action)
    {
        m_hooks.action(FromAction(action));
    }
    else if (!m_actionInterfaces.empty()) // otherwise Python has warned before the episode
    {
        AgentApplication::InitiateAction(action);
    }
}

Ptr<OpenGymDataContainer>
ScriptAgentApplication::Observe()
{
    if (!m_hooks.observe)
    {
        return AgentApplication::Observe();
    }
    const auto observed = m_hooks.observe();
    m_sender.reset();
    return observed.is_none() ? nullptr : GuardedAfter(m_hooks.observe, [&] {
        return ToContainer(observed, m_observations);
    });
}

OpenGymInfo
ScriptAgentApplication::GetExtraInfo()
{
    const auto values = m_hooks.info();
    return GuardedAfter(m_hooks.info, [&] { return ToInfo(values); });
}

std::string
ScriptAgentApplication::FindObservationOrigin()
{
    if (m_sender)
    {
        return FindSendingPlace({ApplicationType::OBSERVATION, *m_sender});
    }
    const auto place = FindPlace(); // the place of the call of decide() or request()
    return place.empty() ? m_hooks.observe.Locate() : place;
}

Ptr<OpenGymSpace>
ScriptAgentApplication::GetObservationSpace()
{
    return m_observations;
}

Ptr<OpenGymSpace>
ScriptAgentApplication::GetActionSpace()
{
    return m_actions;
}

} // namespace ns3
