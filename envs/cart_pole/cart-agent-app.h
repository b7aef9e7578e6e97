// SPDX-License-Identifier: GPL-2.0-only

#ifndef CART_AGENT_APP_H
#define CART_AGENT_APP_H

#include "cart-pole.h"
#include "device-agent-application.h"

#include <vector>

namespace ns3
{

/**
 * @brief Balances its carts.
 *
 * It decides once at each instant with new samples, by the last known state of each cart. It ends
 * when all its carts are known to have fallen, unless fallen carts are put upright again; then it
 * reports the number of falls. Its reward is the sum over its carts.
 *
 * Observation: Box of 4 x float32 for each cart, in the order of the carts. Action: Discrete(2) for
 * one cart, MultiDiscrete([2] * carts) for a central agent.
 */
class CartAgentApp : public DeviceAgentApplication
{
  public:
    /**
     * @param carts The carts to balance.
     * @param rules The rules about carts beyond their limits.
     */
    CartAgentApp(const AgentDevices& carts, const CartRules& rules)
        : DeviceAgentApplication(carts),
          m_rules(rules),
          m_falls(carts.count)
    {
    }

  protected:
    Ptr<OpenGymSpace> GetObservationSpace() override;
    Ptr<OpenGymSpace> GetActionSpace() override;
    OpenGymInfo GetExtraInfo() override;

    /**
     * @param states Last known state of each cart.
     * @return the observation
     */
    virtual Ptr<OpenGymDataContainer> MakeObservation(const std::vector<float>& states) const;

  private:
    void OnRecvObs(uint32_t remoteAppId) override;
    bool TakesActions(uint32_t cart) const override;
    void Decide() override; // or end, if all carts have fallen

    CartRules m_rules;            //!< Rules about carts that leave their limits
    std::vector<float> m_states;  //!< Last known state of each cart
    std::vector<int64_t> m_falls; //!< Number of known falls of each cart
};

} // namespace ns3

#endif // CART_AGENT_APP_H
