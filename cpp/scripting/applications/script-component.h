// SPDX-License-Identifier: GPL-2.0-only

#ifndef SCRIPT_COMPONENT_H
#define SCRIPT_COMPONENT_H

#include "script-hook.h"

#include "ns3/node.h"

#include <vector>

namespace ns3
{

/**
 * @brief Part of a node whose code is Python: what is done when the node starts.
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
     * Have a function called when a node starts; in an event of this instant if it has.
     *
     * @param node The node.
     * @param hook Is called.
     */
    static void CallAtStart(Ptr<Node> node, ScriptHook hook);

  protected:
    void DoInitialize() override;
    void DoDispose() override;

  private:
    std::vector<ScriptHook> m_hooks; //!< Are called when the node starts
};

} // namespace ns3

#endif /* SCRIPT_COMPONENT_H */
