// SPDX-License-Identifier: GPL-2.0-only

#include "cart-action-app.h"

#include "cart-pole.h"

#include "ns3/node.h"
#include "ns3/opengym-containers.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(CartActionApp);

TypeId
CartActionApp::GetTypeId()
{
    static TypeId tid = TypeId("ns3::CartActionApp")
                            .SetParent<ActionApplication>()
                            .SetGroupName("defiance")
                            .AddConstructor<CartActionApp>();
    return tid;
}

void
CartActionApp::ExecuteAction(uint32_t remoteAppId, Ptr<OpenGymDictContainer> action)
{
    const auto push = action->Get("default")->GetObject<OpenGymDiscreteContainer>()->GetValue();
    GetNode()->GetObject<CartPole>()->SetForce(push == 1 ? CartPole::FORCE : -CartPole::FORCE);
}

} // namespace ns3
