// SPDX-License-Identifier: GPL-2.0-only

#ifndef CART_REWARD_APP_H
#define CART_REWARD_APP_H

#include "ns3/reward-application.h"

namespace ns3
{

/**
 * @brief Rewards each step that its node's CartPole survives with 1.
 *
 * A message is {"reward": Box of 1 x float64}.
 */
class CartRewardApp : public RewardApplication
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    void RegisterCallbacks() override;

  private:
    /**
     * Send a reward.
     *
     * @param steps Steps survived so far.
     */
    void Reward(uint32_t steps);
};

} // namespace ns3

#endif // CART_REWARD_APP_H
