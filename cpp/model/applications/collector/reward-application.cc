// SPDX-License-Identifier: GPL-2.0-only

#include "reward-application.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RewardApplication);

TypeId
RewardApplication::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RewardApplication")
                            .SetParent<DataCollectorApplication>()
                            .SetGroupName("defiance");
    return tid;
}

RewardApplication::RewardApplication()
    : DataCollectorApplication(ApplicationType::REWARD)
{
}

RewardApplication::~RewardApplication() = default;

} // namespace ns3
