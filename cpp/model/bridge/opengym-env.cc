// SPDX-License-Identifier: GPL-2.0-only

#include "opengym-env.h"

#include "ns3/log.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("OpenGymEnv");

NS_OBJECT_ENSURE_REGISTERED(OpenGymEnv);

namespace
{

/** Name of the only agent. */
const std::string AGENT = "agent_0";

} // namespace

TypeId
OpenGymEnv::GetTypeId()
{
    static TypeId tid = TypeId("ns3::OpenGymEnv").SetParent<Object>().SetGroupName("defiance");
    return tid;
}

void
OpenGymEnv::Register()
{
    const auto interface = OpenGymMultiAgentInterface::Get();
    if (m_interface == interface)
    {
        return;
    }
    m_interface = interface;
    const Ptr<OpenGymEnv> self(this);
    interface->SetGetObservationSpaceCb(AGENT,
                                        MakeCallback(&OpenGymEnv::GetObservationSpace, self));
    interface->SetGetActionSpaceCb(AGENT, MakeCallback(&OpenGymEnv::GetActionSpace, self));
    interface->SetFinalStateCb(AGENT, MakeCallback(&OpenGymEnv::GetFinalState, self));
}

OpenGymInfo
OpenGymEnv::GetInfo()
{
    const auto text = GetExtraInfo();
    return text.empty() ? OpenGymInfo{} : OpenGymInfo{{"info", text}};
}

OpenGymFinalState
OpenGymEnv::GetFinalState()
{
    return {GetObservation(), GetReward(), GetInfo()};
}

void
OpenGymEnv::Execute(Ptr<OpenGymDataContainer> action)
{
    if (!ExecuteActions(action))
    {
        NS_LOG_WARN("Action " << action << " could not be executed");
    }
}

void
OpenGymEnv::Notify()
{
    Register();
    // In the order in which users of ns3-gym expect the calls.
    const auto observation = GetObservation();
    const auto reward = GetReward();
    const auto isGameOver = GetGameOver();
    m_interface->NotifyCurrentState(AGENT,
                                    observation,
                                    reward,
                                    isGameOver,
                                    GetInfo(),
                                    Time(0),
                                    MakeCallback(&OpenGymEnv::Execute, Ptr<OpenGymEnv>(this)));
}

void
OpenGymEnv::NotifyCurrentState()
{
    Notify();
}

void
OpenGymEnv::NotifySimulationEnd()
{
    if (!m_interface)
    {
        Register();
    }
    m_interface->NotifySimulationEnd();
}

} // namespace ns3
