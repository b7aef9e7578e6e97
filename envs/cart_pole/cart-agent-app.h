// SPDX-License-Identifier: GPL-2.0-only

#ifndef CART_AGENT_APP_H
#define CART_AGENT_APP_H

#include "cart-pole.h"
#include "device-agent-application.h"

#include "ns3/opengym-builders.h"

#include <limits>
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
    Ptr<OpenGymSpace> GetObservationSpace() override
    {
        constexpr auto infinity = std::numeric_limits<float>::infinity();
        const float x = m_rules.terminateWhenFallen ? 2 * CartPole::X_LIMIT : infinity;
        const float theta = m_rules.terminateWhenFallen ? 2 * CartPole::THETA_LIMIT : infinity;
        return RepeatBox({-x, -infinity, -theta, -infinity},
                         {x, infinity, theta, infinity},
                         {"x", "x_dot", "theta", "theta_dot"});
    }

    Ptr<OpenGymSpace> GetActionSpace() override
    {
        return MakeChoices(2);
    }

    OpenGymInfo GetExtraInfo() override
    {
        if (!m_rules.restartWhenFallen)
        {
            return {};
        }
        if (!m_devices.central)
        {
            return {{"falls", m_falls[0]}};
        }
        return {{"falls", MakeBoxContainer(m_falls)}};
    }

    /**
     * @param states Last known state of each cart.
     * @return the observation
     */
    virtual Ptr<OpenGymDataContainer> MakeObservation(const std::vector<float>& states) const
    {
        return MakeBoxContainer(states);
    }

  private:
    void OnRecvObs(uint32_t remoteAppId) override
    {
        const auto cart = ReadState(remoteAppId, "state", m_states);
        const auto sample = m_obsDataStruct.GetNewestByID(remoteAppId)->data;
        m_falls[cart] = sample->Get("fallen")->GetObject<OpenGymDiscreteContainer>()->GetValue();
        m_observation = MakeObservation(m_states);
        if (m_devices.count == 1)
        {
            Decide();
        }
        else
        {
            DecideSoon(); // after the samples of other carts at this instant
        }
    }

    bool TakesActions(uint32_t cart) const override
    {
        return m_falls[cart] == 0 || m_rules.restartWhenFallen;
    }

    /// or end, if all carts have fallen
    void Decide() override
    {
        for (uint32_t cart = 0; cart < m_devices.count; cart++)
        {
            if (TakesActions(cart))
            {
                InferAction();
                return;
            }
        }
        Terminate();
    }

    CartRules m_rules;            //!< Rules about carts that leave their limits
    std::vector<float> m_states;  //!< Last known state of each cart
    std::vector<int64_t> m_falls; //!< Number of known falls of each cart
};

} // namespace ns3

#endif // CART_AGENT_APP_H
