// SPDX-License-Identifier: GPL-2.0-only

#ifndef CART_AGENT_APP_H
#define CART_AGENT_APP_H

#include "ns3/agent-application.h"

#include <vector>

namespace ns3
{

/**
 * @brief Balances the carts that it is connected with.
 *
 * It decides once in each instant at which samples arrive, with the last known state of each cart,
 * and ends when it has heard that all its carts have fallen, unless they are put upright again;
 * then it tells how often they have fallen. Its reward is the sum over its carts.
 *
 * Observation: Box of 4 x float32 for each cart, in the order of the carts. Action: Discrete(2) for
 * one cart, MultiDiscrete([2] * carts) for a central agent.
 */
class CartAgentApp : public AgentApplication
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    void Setup() override;

  protected:
    Ptr<OpenGymSpace> GetObservationSpace() override;
    Ptr<OpenGymSpace> GetActionSpace() override;
    void InitiateAction(Ptr<OpenGymDataContainer> action) override;
    OpenGymInfo GetExtraInfo() override;

    /**
     * @param states Last known state of each cart.
     * @return what it sees
     */
    virtual Ptr<OpenGymDataContainer> MakeObservation(const std::vector<float>& states) const;

  private:
    void OnRecvObs(uint32_t remoteAppId) override;
    void OnRecvReward(uint32_t remoteAppId) override;

    /**
     * Decide, or end if all carts have fallen.
     */
    void Decide();

    /**
     * @param cart One of its carts, from 0.
     * @return whether it is known to have fallen for good
     */
    bool IsFallen(uint32_t cart) const;

    uint32_t m_firstCart;         //!< Number of the first of its carts
    uint32_t m_carts;             //!< How many carts it balances
    bool m_central;               //!< Acts for all carts at once
    bool m_limited;               //!< Carts stop when they leave their limits
    bool m_restarted;             //!< Carts that fall are put upright again
    std::vector<float> m_states;  //!< Last known state of each cart
    std::vector<int64_t> m_falls; //!< How often each cart is known to have fallen
    EventId m_decideEvent;        //!< The decision of this instant
};

} // namespace ns3

#endif // CART_AGENT_APP_H
