// SPDX-License-Identifier: GPL-2.0-only

#ifndef CART_POLE_POINT_TO_POINT_ACCESS_H
#define CART_POLE_POINT_TO_POINT_ACCESS_H

#include "access-network.h"

namespace ns3
{

/**
 * @brief A link for each cart, from its node to that of its agent.
 */
class PointToPointAccess : public AccessNetwork
{
  public:
    /**
     * @param parameters Of the scenario.
     * @param carts Nodes of carts.
     * @param agents Nodes of agents.
     */
    PointToPointAccess(const CartPoleParameters& parameters,
                       const NodeContainer& carts,
                       const NodeContainer& agents);
};

} // namespace ns3

#endif // CART_POLE_POINT_TO_POINT_ACCESS_H
