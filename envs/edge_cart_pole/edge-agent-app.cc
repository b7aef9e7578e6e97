// SPDX-License-Identifier: GPL-2.0-only

#include "edge-agent-app.h"

#include "ns3/application-mover.h"
#include "ns3/boolean.h"
#include "ns3/opengym-builders.h"

#include <vector>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(EdgeAgentApp);

TypeId
EdgeAgentApp::GetTypeId()
{
    static TypeId tid = TypeId("ns3::EdgeAgentApp")
                            .SetParent<CartAgentApp>()
                            .SetGroupName("defiance")
                            .AddConstructor<EdgeAgentApp>()
                            .AddAttribute("ChoosesEdge",
                                          "Whether an action says where to be.",
                                          BooleanValue(false),
                                          MakeBooleanAccessor(&EdgeAgentApp::m_choosesEdge),
                                          MakeBooleanChecker());
    return tid;
}

void
EdgeAgentApp::SetNetwork(const EdgeNetwork& network, uint32_t cart)
{
    m_network = &network;
    m_cart = cart;
}

void
EdgeAgentApp::GoTo(uint32_t edge)
{
    if (!HasEnded())
    {
        GetObject<ApplicationMover>()->MoveTo(m_network->GetEdges().Get(edge));
    }
}

Ptr<OpenGymDataContainer>
EdgeAgentApp::MakeObservation(const std::vector<float>& states) const
{
    if (!m_choosesEdge)
    {
        return CartAgentApp::MakeObservation(states);
    }
    auto observed = states;
    observed.push_back(m_network->GetNumber(GetNode()));
    observed.push_back(m_network->GetEdgeOfCart(m_cart));
    return MakeBoxContainer(observed);
}

Ptr<OpenGymSpace>
EdgeAgentApp::GetObservationSpace()
{
    const auto space = CartAgentApp::GetObservationSpace();
    if (!m_choosesEdge)
    {
        return space;
    }
    const auto box = space->GetObject<OpenGymBoxSpace>();
    auto low = DynamicCast<const OpenGymBoxContainer<float>>(box->GetLow())->GetData();
    auto high = DynamicCast<const OpenGymBoxContainer<float>>(box->GetHigh())->GetData();
    const auto last = m_network->GetEdges().GetN() - 1;
    low.insert(low.end(), 2, 0);
    high.insert(high.end(), 2, last);
    return MakeBoxSpace(low, high);
}

Ptr<OpenGymSpace>
EdgeAgentApp::GetActionSpace()
{
    if (!m_choosesEdge)
    {
        return CartAgentApp::GetActionSpace();
    }
    return CreateObject<OpenGymMultiDiscreteSpace>(
        std::vector<int64_t>{2, m_network->GetEdges().GetN()});
}

void
EdgeAgentApp::InitiateAction(Ptr<OpenGymDataContainer> action)
{
    if (!m_choosesEdge)
    {
        CartAgentApp::InitiateAction(action);
        return;
    }
    const auto choice = action->GetObject<OpenGymMultiDiscreteContainer>();
    // First: a datagram that is on its way when its sender moves is lost.
    GoTo(choice->GetValue(1));
    CartAgentApp::InitiateAction(MakeDiscreteContainer(choice->GetValue(0)));
}

OpenGymInfo
EdgeAgentApp::GetExtraInfo()
{
    return {{"edge/agent", int64_t{m_network->GetNumber(GetNode())}},
            {"edge/cart", int64_t{m_network->GetEdgeOfCart(m_cart)}}};
}

} // namespace ns3
