// SPDX-License-Identifier: GPL-2.0-only

#include "flow-reward-app.h"

#include "tcp-flow.h"

#include "ns3/node.h"
#include "ns3/opengym-builders.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FlowRewardApp);

TypeId
FlowRewardApp::GetTypeId()
{
    static TypeId tid = TypeId("ns3::FlowRewardApp")
                            .SetParent<RewardApplication>()
                            .SetGroupName("defiance")
                            .AddConstructor<FlowRewardApp>();
    return tid;
}

void
FlowRewardApp::RegisterCallbacks()
{
    GetNode()->GetObject<TcpFlow>()->TraceConnectWithoutContext(
        "Reward",
        MakeCallback(&FlowRewardApp::Reward, this));
}

void
FlowRewardApp::Reward(double reward)
{
    Send(MakeDictContainer("reward", MakeBoxContainer<double>(1, reward)));
}

} // namespace ns3
