// SPDX-License-Identifier: GPL-2.0-only

#ifndef EDGE_CART_POLE_EDGE_AGENT_APP_H
#define EDGE_CART_POLE_EDGE_AGENT_APP_H

#include "cart-agent-app.h"
#include "edge-mobility.h"

namespace ns3
{

/**
 * @brief Balances a cart from an edge node, and may choose its edge node.
 *
 * If it chooses, its observation has two more elements, the numbers of its own edge node and of its
 * cart's edge node, and an action is MultiDiscrete([2, edges]): the push, and the edge node to move
 * to. Otherwise both are those of CartAgentApp.
 *
 * Its infos have the same numbers as `edge/agent` and `edge/cart`.
 */
class EdgeAgentApp : public CartAgentApp
{
  public:
    /**
     * @param mobility Mobility of the agent; lives as long as the simulation.
     * @param carts Its cart, with the same number as the agent.
     * @param rules The rules about a cart that leaves its limits.
     */
    EdgeAgentApp(EdgeMobility& mobility, const AgentDevices& carts, const CartRules& rules);

  private:
    Ptr<OpenGymDataContainer> MakeObservation(const std::vector<float>& states) const override;
    Ptr<OpenGymSpace> GetObservationSpace() override;
    Ptr<OpenGymSpace> GetActionSpace() override;
    void InitiateAction(Ptr<OpenGymDataContainer> action) override;
    OpenGymInfo GetExtraInfo() override;

    /**
     * @return whether its action chooses an edge node
     */
    bool ChoosesEdge() const;

    EdgeMobility& m_mobility; //!< Mobility of the device
};

} // namespace ns3

#endif // EDGE_CART_POLE_EDGE_AGENT_APP_H
