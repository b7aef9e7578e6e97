// SPDX-License-Identifier: GPL-2.0-only

#ifndef REWARD_APPLICATION_H
#define REWARD_APPLICATION_H

#include "data-collector-application.h"

namespace ns3
{

/**
 * @ingroup defiance
 *
 * @brief Rewards agents for events on its node.
 */
class RewardApplication : public DataCollectorApplication
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RewardApplication()
        : DataCollectorApplication(ApplicationType::REWARD)
    {
    }
};

} // namespace ns3

#endif /* REWARD_APPLICATION_H */
