// SPDX-License-Identifier: GPL-2.0-only

#ifndef EDGE_CART_POLE_EDGE_DEPLOYMENT_H
#define EDGE_CART_POLE_EDGE_DEPLOYMENT_H

#include "cart-pole-deployment.h"
#include "edge-agent-app.h"
#include "edge-network.h"
#include "edge-parameters.h"

#include "ns3/node-container.h"

#include <vector>

namespace ns3
{

/**
 * @brief Carts that drive along a road past edge nodes, in a convoy, and agents that may move
 * along.
 */
class EdgeDeployment
{
  public:
    /**
     * Build it, and let the carts drive off.
     *
     * @param parameters What to build.
     */
    explicit EdgeDeployment(const EdgeParameters& parameters);

  private:
    /// Give each agent what moves it, and moves that are known from the beginning.
    void PrepareMoves();

    /// Hand all carts over to the next edge node, and have agents follow.
    void HandOver();

    /// Schedule the next handover, if there is one.
    void DriveOn();

    const EdgeParameters& m_parameters;      //!< What to build
    NodeContainer m_edges;                   //!< Edge nodes
    EdgeNetwork* m_network{nullptr};         //!< What m_deployment has built
    CartPoleDeployment m_deployment;         //!< Carts, agents, and the network between them
    std::vector<Ptr<EdgeAgentApp>> m_agents; //!< One for each cart
    uint64_t m_handovers{0};                 //!< How many there were
};

} // namespace ns3

#endif // EDGE_CART_POLE_EDGE_DEPLOYMENT_H
