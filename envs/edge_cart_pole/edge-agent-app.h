// SPDX-License-Identifier: GPL-2.0-only

#ifndef EDGE_CART_POLE_EDGE_AGENT_APP_H
#define EDGE_CART_POLE_EDGE_AGENT_APP_H

#include "cart-agent-app.h"
#include "edge-network.h"

namespace ns3
{

/**
 * @brief Balances a cart from an edge node, and may decide at which one to be.
 *
 * If it decides that, its observation has two more elements, the numbers of the edge nodes where it
 * is and where its cart is attached, and an action is MultiDiscrete([2, edges]): the push, and the
 * edge node to be at. Else both are those of CartAgentApp.
 *
 * The mover that it is aggregated with moves it. Its infos tell `edge/agent` and `edge/cart`, the
 * same numbers.
 */
class EdgeAgentApp : public CartAgentApp
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * Tell it where it is.
     *
     * @param network The edge nodes, which live as long as the simulation.
     * @param cart Number of its cart.
     */
    void SetNetwork(const EdgeNetwork& network, uint32_t cart);

    /**
     * Move to an edge node, unless it has ended.
     *
     * @param edge Number of the edge node.
     */
    void GoTo(uint32_t edge);

  private:
    Ptr<OpenGymDataContainer> MakeObservation(const std::vector<float>& states) const override;
    Ptr<OpenGymSpace> GetObservationSpace() override;
    Ptr<OpenGymSpace> GetActionSpace() override;
    void InitiateAction(Ptr<OpenGymDataContainer> action) override;
    OpenGymInfo GetExtraInfo() override;

    bool m_choosesEdge;                    //!< Its action says where to be
    const EdgeNetwork* m_network{nullptr}; //!< The edge nodes
    uint32_t m_cart{0};                    //!< Number of its cart
};

} // namespace ns3

#endif // EDGE_CART_POLE_EDGE_AGENT_APP_H
