// SPDX-License-Identifier: GPL-2.0-only

#ifndef CART_POLE_ENVIRONMENT_H
#define CART_POLE_ENVIRONMENT_H

#include "cart-agent-app.h"
#include "environment.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief Carts that balance poles, each on its own node.
 */
class CartPoleEnvironment : public Environment
{
  public:
    CartPoleEnvironment();

    uint32_t CountDevices() const override;
    NodeContainer BuildDevices() override;
    void StartDevices() override;
    DeviceApplications MakeApplications(uint32_t device) override;
    Ptr<AgentApplication> MakeAgent(uint32_t agent) override;

  protected:
    /**
     * @param options The choices of the deployment.
     */
    explicit CartPoleEnvironment(DeploymentOptions options);

    /**
     * @return what of the deployment is offered, which is all of it
     */
    static DeploymentOptions MakeOptions();

    void Declare(RlSimulation& simulation) override;
    std::string FindContradiction() const override;

    /**
     * Declare where carts start, and whether a fall is the end.
     *
     * @param simulation Where.
     */
    void DeclareStart(RlSimulation& simulation);

    uint32_t m_carts{1}; //!< Number of carts
    CartRules m_rules;   //!< The consequence when they leave their limits

  private:
    std::string m_initialState;         //!< Of the carts; empty: random
    NodeContainer m_nodes;              //!< With a cart each
    std::vector<Ptr<CartPole>> m_poles; //!< One for each node
};

} // namespace ns3

#endif // CART_POLE_ENVIRONMENT_H
