// SPDX-License-Identifier: GPL-2.0-only

#ifndef CART_POLE_LTE_ACCESS_H
#define CART_POLE_LTE_ACCESS_H

#include "radio-access.h"

#include "ns3/lte-helper.h"
#include "ns3/point-to-point-epc-helper.h"

namespace ns3
{

/**
 * @brief One LTE cell, to which all carts are connected; the gateway is that of its core network.
 */
class LteAccess : public RadioAccess
{
  public:
    /**
     * @param parameters Of the scenario.
     * @param carts Nodes of carts.
     * @param agents Nodes of agents.
     */
    LteAccess(const CartPoleParameters& parameters,
              const NodeContainer& carts,
              const NodeContainer& agents);

  private:
    /**
     * Connect the carts with the cell.
     *
     * @param carts Nodes of carts.
     * @param cell Node of the base station.
     * @param stream First random stream to use.
     * @return number of streams used
     */
    int64_t BuildCell(const NodeContainer& carts, Ptr<Node> cell, int64_t stream);

    Ptr<PointToPointEpcHelper> m_core; //!< Builds the core network
    Ptr<LteHelper> m_radio;            //!< Builds the cell
};

} // namespace ns3

#endif // CART_POLE_LTE_ACCESS_H
