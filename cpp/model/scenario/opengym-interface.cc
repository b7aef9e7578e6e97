// SPDX-License-Identifier: GPL-2.0-only

#include "opengym-interface.h"

#include "opengym-env.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/object-type.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <vector>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("OpenGymInterface");
NS_OBJECT_ENSURE_REGISTERED(OpenGymInterface);

namespace
{

Ptr<OpenGymInterface> g_gymInterface; //!< The result of Get() in the present simulation

std::vector<uint32_t> g_unnamedPorts; //!< Ports of agents without a name, in order

/**
 * Name an agent without a name.
 *
 * @param port Port of its interface, unique among interfaces without a name.
 * @return the name
 */
std::string
NameAgent(uint32_t port)
{
    const auto name = "agent_" + std::to_string(g_unnamedPorts.size());
    for (const auto taken : g_unnamedPorts)
    {
        NS_ABORT_MSG_IF(taken == port,
                        "Two environments without a name have port "
                            << port << " and would be one agent: name them with "
                            << "OpenGymEnv::SetAgentName(), or attribute AgentName of "
                            << "OpenGymInterface");
    }
    g_unnamedPorts.push_back(port);
    if (g_unnamedPorts.size() == 1)
    {
        Simulator::ScheduleDestroy([] { g_unnamedPorts.clear(); });
    }
    return name;
}

} // namespace

TypeId
OpenGymInterface::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<OpenGymInterface, Object>("ns3::OpenGymInterface")
            .AddAttribute("AgentName",
                          "Name of the agent; to be set before the callbacks. Empty: "
                          "agent_ and a number.",
                          StringValue(""),
                          MakeStringAccessor(&OpenGymInterface::m_agent),
                          MakeStringChecker());
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

void
OpenGymInterface::DoDispose()
{
    // An environment owns this interface, and the callbacks own the environment.
    m_getActionSpace.Nullify();
    m_getObservationSpace.Nullify();
    m_getGameOver.Nullify();
    m_getObservation.Nullify();
    m_getReward.Nullify();
    m_getExtraInfo.Nullify();
    m_getInfo.Nullify();
    m_executeActions.Nullify();
    m_interface = nullptr;
    Object::DoDispose();
}

void
OpenGymInterface::SetGetActionSpaceCb(Callback<Ptr<OpenGymSpace>> callback)
{
    m_getActionSpace = callback;
    RegisterIfComplete();
}

void
OpenGymInterface::SetGetObservationSpaceCb(Callback<Ptr<OpenGymSpace>> callback)
{
    m_getObservationSpace = callback;
    RegisterIfComplete();
}

void
OpenGymInterface::SetGetObservationCb(Callback<Ptr<OpenGymDataContainer>> callback)
{
    m_getObservation = callback;
    RegisterIfComplete();
}

void
OpenGymInterface::SetExecuteActionsCb(Callback<bool, Ptr<OpenGymDataContainer>> callback)
{
    m_executeActions = callback;
    RegisterIfComplete();
}

void
OpenGymInterface::RegisterIfComplete()
{
    if (m_interface || m_getObservationSpace.IsNull() || m_getActionSpace.IsNull() ||
        m_getObservation.IsNull() || m_executeActions.IsNull())
    {
        return;
    }
    if (m_agent.empty())
    {
        m_agent = NameAgent(m_port);
    }
    m_interface = OpenGymMultiAgentInterface::Get();
    // Callbacks that are replaced later are used as well.
    const Ptr<OpenGymInterface> self(this);
    m_interface->SetGetObservationSpaceCb(m_agent, Callback<Ptr<OpenGymSpace>>([self] {
                                              return self->m_getObservationSpace();
                                          }));
    m_interface->SetGetActionSpaceCb(m_agent, Callback<Ptr<OpenGymSpace>>([self] {
                                         return self->m_getActionSpace();
                                     }));
    m_interface->SetFinalStateCb(m_agent, MakeCallback(&OpenGymInterface::GetFinalState, self));
    Simulator::ScheduleDestroy(&OpenGymInterface::Dispose, self);
}

void
OpenGymInterface::RequireAgent() const
{
    NS_ABORT_MSG_UNLESS(m_interface,
                        "OpenGymInterface needs callbacks for both spaces, the observation and the "
                        "action: set each of them, or OpenGymEnv::SetOpenGymInterface()");
}

OpenGymInfo
OpenGymInterface::GetInfo()
{
    auto info = m_getInfo.IsNull() ? OpenGymInfo{} : m_getInfo();
    const auto text = m_getExtraInfo.IsNull() ? std::string() : m_getExtraInfo();
    if (!text.empty())
    {
        info.emplace("info", text);
    }
    return info;
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
    RequireAgent();
    // In the order of ns3-gym's calls.
    const auto observation = m_getObservation();
    const auto reward = GetReward();
    const auto isGameOver = !m_getGameOver.IsNull() && m_getGameOver();
    const auto info = GetInfo();
    if (isGameOver)
    {
        m_interface->NotifyAgentEnd(m_agent, observation, reward, true, info);
    }
    else if (const auto action = m_interface->RequestAction(m_agent, observation, reward, info))
    {
        Execute(action);
    }
}

void
OpenGymInterface::SetEnv(Ptr<OpenGymEnv> env)
{
    NS_ABORT_MSG_IF(m_env && m_env != env,
                    "Two environments use one OpenGymInterface and would be one agent: name them "
                    "with OpenGymEnv::SetAgentName(), or give each its own interface");
    if (m_env == env)
    {
        return;
    }
    m_env = PeekPointer(env);
    SetGetGameOverCb(MakeCallback(&OpenGymEnv::GetGameOver, env));
    SetGetRewardCb(MakeCallback(&OpenGymEnv::GetReward, env));
    SetGetExtraInfoCb(MakeCallback(&OpenGymEnv::GetExtraInfo, env));
    SetGetInfoCb(MakeCallback(&OpenGymEnv::GetInfo, env));
    SetExecuteActionsCb(MakeCallback(&OpenGymEnv::ExecuteActions, env));
    SetGetObservationCb(MakeCallback(&OpenGymEnv::GetObservation, env));
    SetGetObservationSpaceCb(MakeCallback(&OpenGymEnv::GetObservationSpace, env));
    SetGetActionSpaceCb(MakeCallback(&OpenGymEnv::GetActionSpace, env));
}

void
OpenGymInterface::Notify(Ptr<OpenGymEnv> env)
{
    env->SetOpenGymInterface(this);
    NotifyCurrentState();
}

} // namespace ns3
