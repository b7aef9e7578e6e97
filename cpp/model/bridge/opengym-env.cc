// SPDX-License-Identifier: GPL-2.0-only

#include "opengym-env.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(OpenGymEnv);

TypeId
OpenGymEnv::GetTypeId()
{
    static TypeId tid = TypeId("ns3::OpenGymEnv").SetParent<Object>().SetGroupName("defiance");
    return tid;
}

void
OpenGymEnv::DoDispose()
{
    m_openGymInterface = nullptr;
    Object::DoDispose();
}

void
OpenGymEnv::SetOpenGymInterface(Ptr<OpenGymInterface> interface)
{
    m_openGymInterface = interface;
    const Ptr<OpenGymEnv> self(this);
    interface->SetGetObservationSpaceCb(MakeCallback(&OpenGymEnv::GetObservationSpace, self));
    interface->SetGetActionSpaceCb(MakeCallback(&OpenGymEnv::GetActionSpace, self));
    interface->SetGetGameOverCb(MakeCallback(&OpenGymEnv::GetGameOver, self));
    interface->SetGetObservationCb(MakeCallback(&OpenGymEnv::GetObservation, self));
    interface->SetGetRewardCb(MakeCallback(&OpenGymEnv::GetReward, self));
    interface->SetGetExtraInfoCb(MakeCallback(&OpenGymEnv::GetExtraInfo, self));
    interface->SetExecuteActionsCb(MakeCallback(&OpenGymEnv::ExecuteActions, self));
}

Ptr<OpenGymInterface>
OpenGymEnv::GetInterface()
{
    if (!m_openGymInterface)
    {
        SetOpenGymInterface(OpenGymInterface::Get());
    }
    return m_openGymInterface;
}

void
OpenGymEnv::Notify()
{
    GetInterface()->NotifyCurrentState();
}

void
OpenGymEnv::NotifyCurrentState()
{
    Notify();
}

void
OpenGymEnv::NotifySimulationEnd()
{
    GetInterface()->NotifySimulationEnd();
}

} // namespace ns3
