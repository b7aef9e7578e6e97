// SPDX-License-Identifier: GPL-2.0-only

#ifndef ACTION_APPLICATION_H
#define ACTION_APPLICATION_H

#include "rl-application.h"

namespace ns3
{

/**
 * @ingroup defiance
 *
 * @brief Executes the actions of agents on its node. It never sends.
 */
class ActionApplication : public RlApplication
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    ActionApplication()
        : RlApplication(ApplicationType::ACTION)
    {
    }

  protected:
    /**
     * @brief Execute an action. It is called only while the application runs.
     * @param remoteAppId number of the sending agent
     * @param action the action; AgentApplication::InitiateAction() puts it under the key "default"
     */
    virtual void ExecuteAction(uint32_t remoteAppId, Ptr<OpenGymDictContainer> action) = 0;

    bool SupportsInterfacesTo(ApplicationType type) const override
    {
        return type == ApplicationType::AGENT;
    }

    void OnReceive(RlApplicationId remoteId, Ptr<OpenGymDictContainer> data) override
    {
        ExecuteAction(remoteId.applicationId, data);
    }
};

} // namespace ns3

#endif /* ACTION_APPLICATION_H */
