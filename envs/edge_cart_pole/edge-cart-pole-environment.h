// SPDX-License-Identifier: GPL-2.0-only

#ifndef EDGE_CART_POLE_ENVIRONMENT_H
#define EDGE_CART_POLE_ENVIRONMENT_H

#include "cart-pole-environment.h"
#include "edge-mobility.h"

#include <string>

namespace ns3
{

/**
 * @brief Carts of cart_pole that drive past edge nodes, and agents that may move along.
 */
class EdgeCartPoleEnvironment : public CartPoleEnvironment
{
  public:
    EdgeCartPoleEnvironment();

    NodeContainer BuildDevices() override;
    AccessFactory FindAccess(const std::string& access) override;
    NodeContainer MakeAgentNodes(uint32_t agents) override;
    Ptr<AgentApplication> MakeAgent(uint32_t agent) override;
    void NotifyDeployed(const RlApplicationContainer& agents) override;

  private:
    void Declare(RlSimulation& simulation) override;
    std::string FindContradiction() const override;

    EdgeMobility m_mobility; //!< Road and mobility of the devices
};

} // namespace ns3

#endif // EDGE_CART_POLE_ENVIRONMENT_H
