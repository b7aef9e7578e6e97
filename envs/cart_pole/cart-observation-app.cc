// SPDX-License-Identifier: GPL-2.0-only

#include "cart-observation-app.h"

#include "ns3/node.h"
#include "ns3/opengym-builders.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(CartObservationApp);

TypeId
CartObservationApp::GetTypeId()
{
    static TypeId tid = TypeId("ns3::CartObservationApp")
                            .SetParent<ObservationApplication>()
                            .SetGroupName("defiance")
                            .AddConstructor<CartObservationApp>();
    return tid;
}

void
CartObservationApp::RegisterCallbacks()
{
    GetNode()->GetObject<CartPole>()->TraceConnectWithoutContext(
        "Sample",
        MakeCallback(&CartObservationApp::Observe, this));
}

void
CartObservationApp::Observe(const CartPoleState& state, uint32_t falls)
{
    Send(MakeDictContainer(
        "fallen",
        MakeDiscreteContainer(falls),
        "state",
        MakeBoxContainer<float>(4, state.x, state.xDot, state.theta, state.thetaDot)));
}

} // namespace ns3
