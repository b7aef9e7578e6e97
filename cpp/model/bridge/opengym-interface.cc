// SPDX-License-Identifier: GPL-2.0-only

#include "opengym-interface.h"

#include "opengym-env.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("OpenGymInterface");
NS_OBJECT_ENSURE_REGISTERED(OpenGymInterface);

namespace
{

/** Name of the only agent. */
const std::string AGENT = "agent_0";

Ptr<OpenGymInterface> g_gymInterface; //!< That of the present simulation

} // namespace

TypeId
OpenGymInterface::GetTypeId()
{
    static TypeId tid = TypeId("ns3::OpenGymInterface")
                            .SetParent<Object>()
                            .SetGroupName("defiance")
                            .AddConstructor<OpenGymInterface>();
    return tid;
}

Ptr<OpenGymInterface>
OpenGymInterface::Get(uint32_t port)
{
    if (!g_gymInterface)
    {
        g_gymInterface = CreateObject<OpenGymInterface>(port);
        Simulator::ScheduleDestroy([] { g_gymInterface = nullptr; });
    }
    return g_gymInterface;
}

OpenGymInterface::OpenGymInterface(uint32_t port)
{
}

OpenGymInterface::~OpenGymInterface() = default;

void
OpenGymInterface::DoDispose()
{
    // An environment holds this interface, and the callbacks hold the environment.
    m_getActionSpace.Nullify();
    m_getObservationSpace.Nullify();
    m_getGameOver.Nullify();
    m_getObservation.Nullify();
    m_getReward.Nullify();
    m_getExtraInfo.Nullify();
    m_executeActions.Nullify();
    m_interface = nullptr;
    Object::DoDispose();
}

void
OpenGymInterface::SetGetActionSpaceCb(Callback<Ptr<OpenGymSpace>> callback)
{
    m_getActionSpace = callback;
}

void
OpenGymInterface::SetGetObservationSpaceCb(Callback<Ptr<OpenGymSpace>> callback)
{
    m_getObservationSpace = callback;
}

void
OpenGymInterface::SetGetGameOverCb(Callback<bool> callback)
{
    m_getGameOver = callback;
}

void
OpenGymInterface::SetGetObservationCb(Callback<Ptr<OpenGymDataContainer>> callback)
{
    m_getObservation = callback;
}

void
OpenGymInterface::SetGetRewardCb(Callback<float> callback)
{
    m_getReward = callback;
}

void
OpenGymInterface::SetGetExtraInfoCb(Callback<std::string> callback)
{
    m_getExtraInfo = callback;
}

void
OpenGymInterface::SetExecuteActionsCb(Callback<bool, Ptr<OpenGymDataContainer>> callback)
{
    m_executeActions = callback;
}

void
OpenGymInterface::Register()
{
    if (m_interface)
    {
        return;
    }
    NS_ABORT_MSG_IF(m_getObservationSpace.IsNull() || m_getActionSpace.IsNull() ||
                        m_getObservation.IsNull() || m_executeActions.IsNull(),
                    "OpenGymInterface needs callbacks for both spaces, the observation and the "
                    "action: set each of them, or OpenGymEnv::SetOpenGymInterface()");
    m_interface = OpenGymMultiAgentInterface::Get();
    m_interface->SetGetObservationSpaceCb(AGENT, m_getObservationSpace);
    m_interface->SetGetActionSpaceCb(AGENT, m_getActionSpace);
    const Ptr<OpenGymInterface> self(this);
    m_interface->SetFinalStateCb(AGENT, MakeCallback(&OpenGymInterface::GetFinalState, self));
    Simulator::ScheduleDestroy(&OpenGymInterface::Dispose, self);
}

float
OpenGymInterface::GetReward()
{
    return m_getReward.IsNull() ? 0 : m_getReward();
}

OpenGymInfo
OpenGymInterface::GetInfo()
{
    const auto text = m_getExtraInfo.IsNull() ? std::string() : m_getExtraInfo();
    return text.empty() ? OpenGymInfo{} : OpenGymInfo{{"info", text}};
}

OpenGymFinalState
OpenGymInterface::GetFinalState()
{
    return {m_getObservation(), GetReward(), GetInfo()};
}

void
OpenGymInterface::Execute(Ptr<OpenGymDataContainer> action)
{
    if (!m_executeActions(action))
    {
        NS_LOG_WARN("Action " << action << " could not be executed");
    }
}

void
OpenGymInterface::NotifyCurrentState()
{
    Register();
    // In the order in which users of ns3-gym expect the calls.
    const auto observation = m_getObservation();
    const auto reward = GetReward();
    const auto isGameOver = !m_getGameOver.IsNull() && m_getGameOver();
    m_interface->NotifyCurrentState(
        AGENT,
        observation,
        reward,
        isGameOver,
        GetInfo(),
        Time(0),
        MakeCallback(&OpenGymInterface::Execute, Ptr<OpenGymInterface>(this)));
}

void
OpenGymInterface::Notify(Ptr<OpenGymEnv> env)
{
    env->SetOpenGymInterface(this);
    NotifyCurrentState();
}

void
OpenGymInterface::NotifySimulationEnd()
{
    Register();
    m_interface->NotifySimulationEnd();
}

} // namespace ns3
