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
    CartPoleEnvironment()
        : CartPoleEnvironment(MakeOptions())
    {
    }

    uint32_t CountDevices() const override
    {
        return m_carts;
    }

    NodeContainer BuildDevices() override;
    void StartDevices() override;
    DeviceApplications MakeApplications(uint32_t device) override;

    Ptr<AgentApplication> MakeAgent(uint32_t agent) override
    {
        return CreateObject<CartAgentApp>(GetDevicesOf(agent), m_rules);
    }

  protected:
    /**
     * @param options The choices of the deployment.
     */
    explicit CartPoleEnvironment(DeploymentOptions options)
        : Environment(std::move(options))
    {
    }

    /**
     * @return the options of the deployment: all
     */
    static DeploymentOptions MakeOptions();

    void Declare(RlSimulation& simulation) override;
    std::string FindContradiction() const override;

    /**
     * Declare the initial states of carts, and whether a fall ends the episode.
     *
     * @param simulation The scenario.
     */
    void DeclareStart(RlSimulation& simulation);

    uint32_t m_carts{1}; //!< Number of carts
    CartRules m_rules;   //!< Rules about carts beyond their limits

  private:
    std::string m_initialState;         //!< Initial state of the carts; empty: random
    NodeContainer m_nodes;              //!< Node of each cart
    std::vector<Ptr<CartPole>> m_poles; //!< Carts by node
};

} // namespace ns3

#endif // CART_POLE_ENVIRONMENT_H
