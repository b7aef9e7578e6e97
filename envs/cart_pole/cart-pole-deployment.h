// SPDX-License-Identifier: GPL-2.0-only

#ifndef CART_POLE_DEPLOYMENT_H
#define CART_POLE_DEPLOYMENT_H

#include "ns3/data-rate.h"
#include "ns3/ipv4-address.h"
#include "ns3/node-container.h"
#include "ns3/nstime.h"
#include "ns3/rl-application-container.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief Where the parts of the scenario sit, and what lies between them.
 */
struct CartPoleParameters
{
    uint32_t carts{1};               //!< Number of cart-poles
    std::string placement{"remote"}; //!< Where agents sit: local, remote, central
    std::string transport{"simple"}; //!< What carries messages: simple, udp, tcp
    Time delay{};                    //!< One-way delay between cart and agent
    Time actionDelay{};              //!< Time that an agent takes to decide
    DataRate dataRate{"10Mbps"};     //!< Of the access link
    double loss{0};                  //!< Probability that a packet of the access link is lost
    std::string initialState;        //!< Of the carts; empty: random
    bool terminateWhenFallen{true};  //!< A cart that falls is out
};

/**
 * @brief Nodes with carts, nodes with agents, the links between them, and the RL applications.
 */
class CartPoleDeployment
{
  public:
    /**
     * Build it.
     *
     * @param parameters What to build.
     */
    explicit CartPoleDeployment(const CartPoleParameters& parameters);

  private:
    /// Put a cart-pole on each cart node.
    void BuildCarts();

    /// Connect each cart node with its agent's node, and give addresses.
    void BuildLinks();

    /// Install observation, reward, action and agent applications.
    void InstallApplications();

    /// Connect the applications.
    void Connect();

    /**
     * @param cart Number of a cart.
     * @return the number of the agent that balances it
     */
    uint32_t AgentOf(uint32_t cart) const;

    const CartPoleParameters& m_parameters;    //!< What to build
    NodeContainer m_cartNodes;                 //!< With a cart each
    NodeContainer m_agentNodes;                //!< With an agent each
    std::vector<Ipv4Address> m_agentAddresses; //!< Of each link's end at the agent
    RlApplicationContainer m_observers;        //!< One on each cart node
    RlApplicationContainer m_rewarders;        //!< One on each cart node
    RlApplicationContainer m_actors;           //!< One on each cart node
    RlApplicationContainer m_agents;           //!< One on each agent node
};

} // namespace ns3

#endif // CART_POLE_DEPLOYMENT_H
