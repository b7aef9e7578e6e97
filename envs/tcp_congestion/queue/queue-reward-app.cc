// SPDX-License-Identifier: GPL-2.0-only

#include "queue-reward-app.h"

#include "ns3/node.h"
#include "ns3/opengym-builders.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(QueueRewardApp);

TypeId
QueueRewardApp::GetTypeId()
{
    static TypeId tid = TypeId("ns3::QueueRewardApp")
                            .SetParent<RewardApplication>()
                            .SetGroupName("defiance")
                            .AddConstructor<QueueRewardApp>();
    return tid;
}

void
QueueRewardApp::SetRewards(const QueueRewards& rewards)
{
    m_rewards = rewards;
}

void
QueueRewardApp::RegisterCallbacks()
{
    GetNode()->GetObject<BottleneckQueue>()->TraceConnectWithoutContext(
        "Measured",
        MakeCallback(&QueueRewardApp::Reward, this));
}

void
QueueRewardApp::Reward(const QueueSample& sample)
{
    Send(MakeDictContainer("reward", MakeBoxContainer<double>(1, m_rewards.Get(sample))));
}

} // namespace ns3
