// SPDX-License-Identifier: GPL-2.0-only

#ifndef CART_POLE_CSMA_ACCESS_H
#define CART_POLE_CSMA_ACCESS_H

#include "access-network.h"

namespace ns3
{

/**
 * @brief One Ethernet bus that all carts and agents share: who finds it busy backs off.
 */
class CsmaAccess : public AccessNetwork
{
  public:
    /**
     * @param parameters Of the scenario.
     * @param carts Nodes of carts.
     * @param agents Nodes of agents.
     */
    CsmaAccess(const CartPoleParameters& parameters,
               const NodeContainer& carts,
               const NodeContainer& agents);
};

} // namespace ns3

#endif // CART_POLE_CSMA_ACCESS_H
