// SPDX-License-Identifier: GPL-2.0-only

#ifndef CART_POLE_INITIAL_STATE_H
#define CART_POLE_INITIAL_STATE_H

#include "cart-pole.h"

#include <map>
#include <optional>
#include <string>

namespace ns3
{

/**
 * @brief The initial states of carts, in the notation of the command line.
 *
 * `x,xDot,theta,thetaDot` sets all carts, `cart:x,xDot,theta,thetaDot;...` sets some.
 */
class InitialStates
{
  public:
    /**
     * @param text The initial states.
     * @return the states, or nothing if the text is malformed
     */
    static std::optional<InitialStates> Parse(const std::string& text);

    /**
     * @param cart Number of a cart.
     * @return the state, or nothing if none is given
     */
    std::optional<CartPoleState> Get(uint32_t cart) const;

  private:
    std::optional<CartPoleState> m_all;         //!< State of every cart
    std::map<uint32_t, CartPoleState> m_single; //!< States of single carts
};

} // namespace ns3

#endif // CART_POLE_INITIAL_STATE_H
