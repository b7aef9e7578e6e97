// SPDX-License-Identifier: GPL-2.0-only

#ifndef CHANNEL_LOSS_H
#define CHANNEL_LOSS_H

#include "channel-plan.h"

#include "ns3/friis-spectrum-propagation-loss.h"

#include <memory>

namespace ns3
{

/**
 * @brief Free space, and what channels lose beside that.
 */
class ChannelLoss : public FriisSpectrumPropagationLossModel
{
  public:
    /**
     * @param plan Tells what each channel loses.
     */
    void SetPlan(std::shared_ptr<const ChannelPlan> plan);

  private:
    Ptr<SpectrumValue> DoCalcRxPowerSpectralDensity(Ptr<const SpectrumSignalParameters> params,
                                                    Ptr<const MobilityModel> a,
                                                    Ptr<const MobilityModel> b) const override;

    std::shared_ptr<const ChannelPlan> m_plan; //!< Tells what each channel loses
};

} // namespace ns3

#endif // CHANNEL_LOSS_H
