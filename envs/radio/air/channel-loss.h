// SPDX-License-Identifier: GPL-2.0-only

#ifndef CHANNEL_LOSS_H
#define CHANNEL_LOSS_H

#include "channel-plan.h"

#include "ns3/friis-spectrum-propagation-loss.h"

#include <memory>

namespace ns3
{

/**
 * @brief The loss of free space, and the additional losses of channels.
 */
class ChannelLoss : public FriisSpectrumPropagationLossModel
{
  public:
    /**
     * @param plan The losses of the channels.
     */
    void SetPlan(std::shared_ptr<const ChannelPlan> plan);

  private:
    Ptr<SpectrumValue> DoCalcRxPowerSpectralDensity(Ptr<const SpectrumSignalParameters> params,
                                                    Ptr<const MobilityModel> a,
                                                    Ptr<const MobilityModel> b) const override;

    std::shared_ptr<const ChannelPlan> m_plan; //!< Losses of the channels
};

} // namespace ns3

#endif // CHANNEL_LOSS_H
