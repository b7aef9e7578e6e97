// SPDX-License-Identifier: GPL-2.0-only

#include "script-component.h"

#include "ns3/simulator.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(ScriptComponent);

TypeId
ScriptComponent::GetTypeId()
{
    static TypeId tid = TypeId("ns3::ScriptComponent")
                            .SetParent<Object>()
                            .SetGroupName("defiance")
                            .AddConstructor<ScriptComponent>();
    return tid;
}

void
ScriptComponent::CallAtStart(Ptr<Node> node, ScriptHook hook)
{
    if (node->IsInitialized())
    {
        Simulator::ScheduleWithContext(node->GetId(), Time(0), [hook] { hook(); });
        return;
    }
    auto component = node->GetObject<ScriptComponent>();
    if (!component)
    {
        component = CreateObject<ScriptComponent>();
        node->AggregateObject(component);
    }
    component->m_hooks.push_back(std::move(hook));
}

void
ScriptComponent::DoInitialize()
{
    for (const auto& hook : m_hooks)
    {
        hook();
    }
    Object::DoInitialize();
}

void
ScriptComponent::DoDispose()
{
    m_hooks.clear();
    Object::DoDispose();
}

} // namespace ns3
