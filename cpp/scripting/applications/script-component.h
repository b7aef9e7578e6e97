// SPDX-License-Identifier: GPL-2.0-only

#ifndef SCRIPT_COMPONENT_H
#define SCRIPT_COMPONENT_H

#include "script-hook.h"

#include "ns3/node.h"
#include "ns3/object-type.h"
#include "ns3/simulator.h"

#include <vector>

namespace ns3
{

/**
 * @brief A part of a node with functions in Python, called when the node starts.
 */
class ScriptComponent : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * Call a function when a node starts; in an event of this instant if it has started.
     *
     * @param node The node.
     * @param hook The function.
     */
    static void CallAtStart(Ptr<Node> node, ScriptHook hook)
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

  protected:
    void DoInitialize() override
    {
        for (const auto& hook : m_hooks)
        {
            hook();
        }
        Object::DoInitialize();
    }

    void DoDispose() override
    {
        m_hooks.clear();
        Object::DoDispose();
    }

  private:
    std::vector<ScriptHook> m_hooks; //!< Functions to call at the node's start
};

inline DEFIANCE_OBJECT(ScriptComponent, Object);

} // namespace ns3

#endif // SCRIPT_COMPONENT_H
