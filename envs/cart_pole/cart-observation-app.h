// SPDX-License-Identifier: GPL-2.0-only

#ifndef CART_OBSERVATION_APP_H
#define CART_OBSERVATION_APP_H

#include "cart-pole.h"

#include "ns3/observation-application.h"

namespace ns3
{

/**
 * @brief Sends each sample of its node's CartPole.
 *
 * A message is {"fallen": Discrete, how often, "state": Box of x, xDot, theta, thetaDot, 4 x
 * float32}.
 */
class CartObservationApp : public ObservationApplication
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    void RegisterCallbacks() override;

  private:
    /**
     * Send a sample.
     *
     * @param state The state.
     * @param falls How often the cart has fallen.
     */
    void Observe(const CartPoleState& state, uint32_t falls);
};

} // namespace ns3

#endif // CART_OBSERVATION_APP_H
