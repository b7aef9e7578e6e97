// SPDX-License-Identifier: GPL-2.0-only

#ifndef CALLABLE_ACTION_APPLICATION_H
#define CALLABLE_ACTION_APPLICATION_H

#include "action-application.h"

#include <functional>

namespace ns3
{

/**
 * @ingroup defiance
 *
 * @brief An action application made from a function, which receives the content of each message:
 * the entry "default", else the only entry, else the whole dict.
 */
class CallableActionApplication : public ActionApplication
{
  public:
    /**
     * @brief Create an application.
     * @param function function that executes an action
     */
    explicit CallableActionApplication(std::function<void(Ptr<OpenGymDataContainer>)> function);

  protected:
    void DoDispose() override;
    void ExecuteAction(uint32_t remoteAppId, Ptr<OpenGymDictContainer> action) override;

  private:
    std::function<void(Ptr<OpenGymDataContainer>)> m_function; //!< Executes an action
};

} // namespace ns3

#endif /* CALLABLE_ACTION_APPLICATION_H */
