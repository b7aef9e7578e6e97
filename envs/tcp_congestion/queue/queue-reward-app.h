// SPDX-License-Identifier: GPL-2.0-only

#ifndef QUEUE_REWARD_APP_H
#define QUEUE_REWARD_APP_H

#include "queue-rewards.h"

#include "ns3/reward-application.h"

namespace ns3
{

/**
 * @brief Sends what each interval of its node's BottleneckQueue has earned.
 *
 * A message is {"reward": Box of 1 x float64}.
 */
class QueueRewardApp : public RewardApplication
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @param rewards What an interval earns.
     */
    void SetRewards(const QueueRewards& rewards);

    void RegisterCallbacks() override;

  private:
    /**
     * Send a reward.
     *
     * @param sample Of an interval.
     */
    void Reward(const QueueSample& sample);

    QueueRewards m_rewards; //!< What an interval earns
};

} // namespace ns3

#endif // QUEUE_REWARD_APP_H
