// SPDX-License-Identifier: GPL-2.0-only

#ifndef EDGE_CART_POLE_EDGE_AGENT_APP_H
#define EDGE_CART_POLE_EDGE_AGENT_APP_H

#include "cart-agent-app.h"
#include "edge-mobility.h"

namespace ns3
{

/**
 * @brief Balances a cart from an edge node, and may decide at which one to be.
 *
 * If it decides that, its observation has two more elements, the numbers of the edge nodes where it
 * is and where its cart is attached, and an action is MultiDiscrete([2, edges]): the push, and the
 * edge node to be at. Else both are those of CartAgentApp.
 *
 * Its infos tell `edge/agent` and `edge/cart`, the
 * same numbers.
 */
class EdgeAgentApp : public CartAgentApp
{
  public:
    /**
     * @param mobility Knows where it is, and moves it; lives as long as the simulation.
     * @param carts Its cart, whose number is the agent's, too.
     * @param rules The consequence when the cart leaves its limits.
     */
    EdgeAgentApp(EdgeMobility& mobility, const AgentDevices& carts, const CartRules& rules);

  private:
    Ptr<OpenGymDataContainer> MakeObservation(const std::vector<float>& states) const override;
    Ptr<OpenGymSpace> GetObservationSpace() override;
    Ptr<OpenGymSpace> GetActionSpace() override;
    void InitiateAction(Ptr<OpenGymDataContainer> action) override;
    OpenGymInfo GetExtraInfo() override;

    /**
     * @return whether its action says where to be
     */
    bool ChoosesEdge() const;

    EdgeMobility& m_mobility; //!< Knows where it is, and moves it
};

} // namespace ns3

#endif // EDGE_CART_POLE_EDGE_AGENT_APP_H
