// SPDX-License-Identifier: GPL-2.0-only

#ifndef SCRIPT_ACTION_APPLICATION_H
#define SCRIPT_ACTION_APPLICATION_H

#include "gym-values.h"
#include "message-content.h"
#include "script-hook.h"

#include "ns3/action-application.h"
#include "ns3/object-type.h"

namespace ns3
{

/**
 * @brief An action application whose code is Python.
 */
class ScriptActionApplication : public ActionApplication
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @param execute Takes the number of the agent that sent an action, and the content of the
     * message: the entry "default", else the only entry, else the whole dict.
     */
    void SetExecute(ScriptHook execute)
    {
        m_execute = std::move(execute);
    }

  protected:
    void DoDispose() override
    {
        m_execute.Drop();
        ActionApplication::DoDispose();
    }

    void ExecuteAction(uint32_t remoteAppId, Ptr<OpenGymDictContainer> action) override
    {
        if (m_execute)
        {
            m_execute(remoteAppId, FromAction(GetContent(action, "default")));
        }
    }

  private:
    ScriptHook m_execute; //!< Function that executes an action
};

inline DEFIANCE_OBJECT(ScriptActionApplication, ActionApplication);

} // namespace ns3

#endif // SCRIPT_ACTION_APPLICATION_H
