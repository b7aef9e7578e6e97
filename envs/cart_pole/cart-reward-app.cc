// SPDX-License-Identifier: GPL-2.0-only

#include "cart-reward-app.h"

#include "cart-pole.h"

#include "ns3/node.h"
#include "ns3/opengym-builders.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(CartRewardApp);

TypeId
CartRewardApp::GetTypeId()
{
    static TypeId tid = TypeId("ns3::CartRewardApp")
                            .SetParent<RewardApplication>()
                            .SetGroupName("defiance")
                            .AddConstructor<CartRewardApp>();
    return tid;
}

void
CartRewardApp::RegisterCallbacks()
{
    GetNode()->GetObject<CartPole>()->TraceConnectWithoutContext(
        "Survived",
        MakeCallback(&CartRewardApp::Reward, this));
}

void
CartRewardApp::Reward(uint32_t steps)
{
    Send(MakeDictContainer("reward", MakeBoxContainer<double>(1, 1.0)));
}

} // namespace ns3
