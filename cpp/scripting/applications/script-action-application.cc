// SPDX-License-Identifier: GPL-2.0-only

#include "script-action-application.h"

#include "gym-values.h"
#include "message-content.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(ScriptActionApplication);

TypeId
ScriptActionApplication::GetTypeId()
{
    static TypeId tid = TypeId("ns3::ScriptActionApplication")
                            .SetParent<ActionApplication>()
                            .SetGroupName("defiance")
                            .AddConstructor<ScriptActionApplication>();
    return tid;
}

void
ScriptActionApplication::SetExecute(ScriptHook execute)
{
    m_execute = std::move(execute);
}

void
ScriptActionApplication::DoDispose()
{
    m_execute.Drop();
    ActionApplication::DoDispose();
}

void
ScriptActionApplication::ExecuteAction(uint32_t remoteAppId, Ptr<OpenGymDictContainer> action)
{
    if (m_execute)
    {
        m_execute(remoteAppId, FromAction(GetContent(action, "default")));
    }
}

} // namespace ns3
