// SPDX-License-Identifier: GPL-2.0-only

#include "flow-action-app.h"

#include "ns3/opengym-containers.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FlowActionApp);

namespace
{

constexpr std::array<double, FlowActionApp::STEPS> FACTORS{0.5, 0.95, 1, 1.05, 2};
constexpr std::array<int, FlowActionApp::STEPS> SEGMENTS{0, -1, 0, 1, 0};

} // namespace

TypeId
FlowActionApp::GetTypeId()
{
    static TypeId tid = TypeId("ns3::FlowActionApp")
                            .SetParent<ActionApplication>()
                            .SetGroupName("defiance")
                            .AddConstructor<FlowActionApp>();
    return tid;
}

void
FlowActionApp::DoDispose()
{
    m_control = nullptr;
    ActionApplication::DoDispose();
}

void
FlowActionApp::SetControl(Ptr<IntervalControl> control, uint32_t segmentSize)
{
    m_control = control;
    m_segmentSize = segmentSize;
}

void
FlowActionApp::ExecuteAction(uint32_t, Ptr<OpenGymDictContainer> action)
{
    if (!m_control)
    {
        return;
    }
    const auto decided = action->Get("default");
    if (const auto step = DynamicCast<OpenGymDiscreteContainer>(decided))
    {
        Step(step->GetValue());
    }
    else
    {
        const auto exponent = DynamicCast<OpenGymBoxContainer<float>>(decided)->GetValue(0);
        Multiply(std::exp2(std::clamp(exponent, -1.0F, 1.0F)));
    }
}

void
FlowActionApp::Step(int64_t step)
{
    if (m_control->GetRate() == 0 && SEGMENTS[step] != 0)
    {
        m_control->SetWindow(m_control->GetWindow() + SEGMENTS[step] * double(m_segmentSize));
    }
    else
    {
        Multiply(FACTORS[step]);
    }
}

void
FlowActionApp::Multiply(double factor)
{
    if (m_control->GetRate() > 0)
    {
        m_control->SetRate(m_control->GetRate() * factor);
    }
    else
    {
        m_control->SetWindow(m_control->GetWindow() * factor);
    }
}

} // namespace ns3
