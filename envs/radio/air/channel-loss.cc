// SPDX-License-Identifier: GPL-2.0-only

#include "channel-loss.h"

#include <utility>

namespace ns3
{

void
ChannelLoss::SetPlan(std::shared_ptr<const ChannelPlan> plan)
{
    m_plan = std::move(plan);
}

Ptr<SpectrumValue>
ChannelLoss::DoCalcRxPowerSpectralDensity(Ptr<const SpectrumSignalParameters> params,
                                          Ptr<const MobilityModel> a,
                                          Ptr<const MobilityModel> b) const
{
    const auto received =
        FriisSpectrumPropagationLossModel::DoCalcRxPowerSpectralDensity(params, a, b);
    auto value = received->ValuesBegin();
    for (auto band = received->ConstBandsBegin(); band != received->ConstBandsEnd(); ++band)
    {
        *value++ *= m_plan->GetGain(*band);
    }
    return received;
}

} // namespace ns3
