// SPDX-License-Identifier: GPL-2.0-only

#include "flow-actions.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ns3
{

namespace
{

constexpr std::array<double, FlowActions::STEPS> FACTORS{0.5, 0.95, 1, 1.05, 2};
constexpr std::array<double, FlowActions::PROPORTIONAL>
    EXPONENTS{-1, -0.5, -0.25, -0.125, 0, 0.125, 0.25, 0.5, 1};
constexpr std::array<int, FlowActions::STEPS> SEGMENTS{0, -1, 0, 1, 0};

} // namespace

void
FlowActions::Execute(Ptr<OpenGymDataContainer> action,
                     bool proportional,
                     IntervalControl& control,
                     uint32_t segmentSize)
{
    const bool paced = control.GetRate() > 0;
    double factor = 1;
    if (const auto step = DynamicCast<OpenGymDiscreteContainer>(action))
    {
        const auto number = step->GetValue();
        factor = proportional ? std::exp2(EXPONENTS[number]) : FACTORS[number];
        if (const auto segments = proportional ? 0 : SEGMENTS[number]; segments != 0 && !paced)
        {
            control.SetWindow(control.GetWindow() + segments * double(segmentSize));
            return;
        }
    }
    else
    {
        const auto exponent = action->GetObject<OpenGymBoxContainer<float>>()->GetValue(0);
        factor = std::exp2(std::clamp(exponent, -1.0F, 1.0F));
    }
    if (paced)
    {
        control.SetRate(control.GetRate() * factor);
    }
    else
    {
        control.SetWindow(control.GetWindow() * factor);
    }
}

} // namespace ns3
