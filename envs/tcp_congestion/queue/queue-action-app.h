// SPDX-License-Identifier: GPL-2.0-only

#ifndef QUEUE_ACTION_APP_H
#define QUEUE_ACTION_APP_H

#include "ns3/action-application.h"

namespace ns3
{

/**
 * @brief Sets the probability of a drop or mark of its node's BottleneckQueue.
 *
 * A message is {"default": Box of 1 x float32}, the probability, or {"default": Discrete}, a number
 * of PROBABILITIES.
 */
class QueueActionApp : public ActionApplication
{
  public:
    static constexpr double PROBABILITIES[] = {0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3}; //!< Discrete
    static constexpr int64_t STEPS = 7; //!< Number of discrete actions

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

  private:
    void ExecuteAction(uint32_t remoteAppId, Ptr<OpenGymDictContainer> action) override;
};

} // namespace ns3

#endif // QUEUE_ACTION_APP_H
