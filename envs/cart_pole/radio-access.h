// SPDX-License-Identifier: GPL-2.0-only

#ifndef CART_POLE_RADIO_ACCESS_H
#define CART_POLE_RADIO_ACCESS_H

#include "access-network.h"

#include <set>

namespace ns3
{

/**
 * @brief Carts around an antenna, to which their devices attach themselves while simulated time
 * passes, and agents behind a gateway, each at a point-to-point link.
 */
class RadioAccess : public AccessNetwork
{
  public:
    void AwaitReady(Time interval) override;

  protected:
    /**
     * Put nodes where they stay: the carts on a circle.
     *
     * @param antenna The node in the middle.
     * @param carts Nodes of carts.
     * @param distance Radius of the circle in m.
     */
    static void Place(Ptr<Node> antenna, const NodeContainer& carts, double distance);

    /**
     * @param parameters Of the scenario.
     * @param gateway Node that all agents are connected to.
     * @param agents Nodes of agents.
     * @param stream First random stream to use.
     */
    void BuildBackhaul(const CartPoleParameters& parameters,
                       Ptr<Node> gateway,
                       const NodeContainer& agents,
                       int64_t stream);

    /**
     * @param cart Number of a cart that is to be attached before the network is ready.
     */
    void ExpectAttachment(uint32_t cart);

    /**
     * @param cart Number of a cart that is attached now.
     */
    void NotifyAttached(uint32_t cart);

  private:
    std::set<uint32_t> m_detached; //!< Carts that are to be attached
};

} // namespace ns3

#endif // CART_POLE_RADIO_ACCESS_H
