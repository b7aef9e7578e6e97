// SPDX-License-Identifier: GPL-2.0-only

#ifndef CART_POLE_WIFI_ACCESS_H
#define CART_POLE_WIFI_ACCESS_H

#include "radio-access.h"

namespace ns3
{

/**
 * @brief One 802.11ax access point, with which all carts associate, and which is the gateway.
 */
class WifiAccess : public RadioAccess
{
  public:
    /**
     * @param parameters Of the scenario.
     * @param carts Nodes of carts.
     * @param agents Nodes of agents.
     */
    WifiAccess(const CartPoleParameters& parameters,
               const NodeContainer& carts,
               const NodeContainer& agents);
};

} // namespace ns3

#endif // CART_POLE_WIFI_ACCESS_H
