// SPDX-License-Identifier: GPL-2.0-only

#ifndef FLOW_REWARD_APP_H
#define FLOW_REWARD_APP_H

#include "ns3/reward-application.h"

namespace ns3
{

/**
 * @brief Sends what each monitor interval of its node's TcpFlow has earned.
 *
 * A message is {"reward": Box of 1 x float64}.
 */
class FlowRewardApp : public RewardApplication
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
     * @param reward Earned.
     */
    void Reward(double reward);
};

} // namespace ns3

#endif // FLOW_REWARD_APP_H
