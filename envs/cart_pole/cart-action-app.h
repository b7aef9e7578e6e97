// SPDX-License-Identifier: GPL-2.0-only

#ifndef CART_ACTION_APP_H
#define CART_ACTION_APP_H

#include "ns3/action-application.h"

namespace ns3
{

/**
 * @brief Pushes its node's CartPole: action 0 to the left, 1 to the right.
 *
 * A message is {"default": Discrete}.
 */
class CartActionApp : public ActionApplication
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

  private:
    void ExecuteAction(uint32_t remoteAppId, Ptr<OpenGymDictContainer> action) override;
};

} // namespace ns3

#endif // CART_ACTION_APP_H
