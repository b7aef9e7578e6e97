// SPDX-License-Identifier: GPL-2.0-only

#include "edge-agent-app.h"

#include "ns3/opengym-builders.h"

#include <vector>

namespace ns3
{

EdgeAgentApp::EdgeAgentApp(EdgeMobility& mobility,
                           const AgentDevices& carts,
                           const CartRules& rules)
    : CartAgentApp(carts, rules),
      m_mobility(mobility)
{
}

bool
EdgeAgentApp::ChoosesEdge() const
{
    return m_mobility.GetParameters().migration == "action";
}

Ptr<OpenGymDataContainer>
EdgeAgentApp::MakeObservation(const std::vector<float>& states) const
{
    if (!ChoosesEdge())
    {
        return CartAgentApp::MakeObservation(states);
    }
    auto observed = states;
    observed.push_back(m_mobility.GetEdgeOfAgent(m_devices.first));
    observed.push_back(m_mobility.GetEdgeOfDevice(m_devices.first));
    return MakeBoxContainer(observed);
}

Ptr<OpenGymSpace>
EdgeAgentApp::GetObservationSpace()
{
    const auto space = CartAgentApp::GetObservationSpace();
    if (!ChoosesEdge())
    {
        return space;
    }
    const auto box = space->GetObject<OpenGymBoxSpace>();
    auto low = DynamicCast<const OpenGymBoxContainer<float>>(box->GetLow())->GetData();
    auto high = DynamicCast<const OpenGymBoxContainer<float>>(box->GetHigh())->GetData();
    const auto last = m_mobility.GetParameters().edges - 1;
    low.insert(low.end(), 2, 0);
    high.insert(high.end(), 2, last);
    auto names = box->GetElementNames();
    names.insert(names.end(), {"agent_edge", "cart_edge"});
    const auto extended = MakeBoxSpace(low, high);
    extended->SetElementNames(names);
    return extended;
}

Ptr<OpenGymSpace>
EdgeAgentApp::GetActionSpace()
{
    if (!ChoosesEdge())
    {
        return CartAgentApp::GetActionSpace();
    }
    return CreateObject<OpenGymMultiDiscreteSpace>(
        std::vector<int64_t>{2, m_mobility.GetParameters().edges});
}

void
EdgeAgentApp::InitiateAction(Ptr<OpenGymDataContainer> action)
{
    if (!ChoosesEdge())
    {
        CartAgentApp::InitiateAction(action);
        return;
    }
    const auto choice = action->GetObject<OpenGymMultiDiscreteContainer>();
    // Send first: a datagram under way is lost when its sender moves.
    m_mobility.MoveAgent(m_devices.first, choice->GetValue(1));
    CartAgentApp::InitiateAction(MakeDiscreteContainer(choice->GetValue(0)));
}

OpenGymInfo
EdgeAgentApp::GetExtraInfo()
{
    return {{"edge/agent", int64_t{m_mobility.GetEdgeOfAgent(m_devices.first)}},
            {"edge/cart", int64_t{m_mobility.GetEdgeOfDevice(m_devices.first)}}};
}

} // namespace ns3
