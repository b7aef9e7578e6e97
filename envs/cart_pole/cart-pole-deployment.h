// SPDX-License-Identifier: GPL-2.0-only

#ifndef CART_POLE_DEPLOYMENT_H
#define CART_POLE_DEPLOYMENT_H

#include "access-network.h"
#include "cart-agent-app.h"
#include "cart-pole-parameters.h"
#include "cart-pole.h"
#include "training-server.h"

#include "ns3/node-container.h"
#include "ns3/rl-application-container.h"

#include <memory>
#include <vector>

namespace ns3
{

/**
 * @brief Agents that another scenario has its own way with.
 */
struct CartAgents
{
    NodeContainer nodes;                    //!< Where each of them sits; empty: on new nodes
    TypeId type{CartAgentApp::GetTypeId()}; //!< Their class
};

/**
 * @brief Nodes with carts, nodes with agents, the network between them, and the RL applications.
 */
class CartPoleDeployment
{
  public:
    /**
     * Build it. Simulated time passes until the network carries packets; the carts start then.
     *
     * @param parameters What to build.
     * @param access Builds the access network.
     * @param agents What is special about the agents.
     */
    CartPoleDeployment(const CartPoleParameters& parameters,
                       const AccessFactory& access,
                       const CartAgents& agents = {});

    /**
     * @return the agents
     */
    const RlApplicationContainer& GetAgents() const;

  private:
    /// Make the carts; these are the first random numbers, whatever network there is.
    void MakeCarts();

    /**
     * Build the network, and wait for it.
     *
     * @param access Builds the access network.
     */
    void BuildNetwork(const AccessFactory& access);

    /// Put each cart on its node.
    void PlaceCarts();

    /// Install observation, reward, action and agent applications.
    void InstallApplications();

    /// Connect the applications.
    void Connect();

    const CartPoleParameters& m_parameters;   //!< What to build
    TypeId m_agentType;                       //!< Class of the agents
    NodeContainer m_cartNodes;                //!< With a cart each
    NodeContainer m_agentNodes;               //!< With an agent each
    std::vector<Ptr<CartPole>> m_carts;       //!< One for each cart node
    std::unique_ptr<AccessNetwork> m_network; //!< Between the nodes; null: none
    std::unique_ptr<TrainingServer> m_server; //!< Trains; null: there is none
    RlApplicationContainer m_observers;       //!< One on each cart node
    RlApplicationContainer m_rewarders;       //!< One on each cart node
    RlApplicationContainer m_actors;          //!< One on each cart node
    RlApplicationContainer m_agents;          //!< One on each agent node
};

} // namespace ns3

#endif // CART_POLE_DEPLOYMENT_H
