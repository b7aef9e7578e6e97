// SPDX-License-Identifier: GPL-2.0-only

#include "slotted-air.h"

#include "ns3/abort.h"
#include "ns3/aloha-noack-mac-header.h"
#include "ns3/constant-position-mobility-model.h"
#include "ns3/friis-spectrum-propagation-loss.h"
#include "ns3/llc-snap-header.h"
#include "ns3/multi-model-spectrum-channel.h"
#include "ns3/propagation-delay-model.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ns3
{

namespace
{

constexpr double FIRST_FREQUENCY = 2.4e9;        // in Hz
constexpr double GUARD_BAND = 0.25;              // share of the channel below the band
constexpr double THERMAL_NOISE = 1.38e-23 * 300; // in W/Hz
constexpr double NOISE_FIGURE = 7;               // of a receiver, in dB
constexpr double MARGIN = 6;                     // of a frame over noise, in dB
constexpr double MOST_EFFICIENT = 6;             // the highest rate, in bit/s/Hz
constexpr double LIGHT = 3e8;                    // in m/s, as in FriisSpectrumPropagationLossModel

/**
 * @param decibels A ratio in dB.
 * @return the ratio
 */
double
FromDecibels(double decibels)
{
    return std::pow(10, decibels / 10);
}

/**
 * @brief The loss of free space, and the additional losses of channels.
 */
class ChannelLoss : public FriisSpectrumPropagationLossModel
{
  public:
    /**
     * @param channels The channels and their gains.
     */
    explicit ChannelLoss(std::vector<SlottedAir::Channel> channels)
        : m_channels(std::move(channels))
    {
    }

  private:
    Ptr<SpectrumValue> DoCalcRxPowerSpectralDensity(Ptr<const SpectrumSignalParameters> params,
                                                    Ptr<const MobilityModel> a,
                                                    Ptr<const MobilityModel> b) const override
    {
        const auto received =
            FriisSpectrumPropagationLossModel::DoCalcRxPowerSpectralDensity(params, a, b);
        auto value = received->ValuesBegin();
        for (auto band = received->ConstBandsBegin(); band != received->ConstBandsEnd(); ++band)
        {
            const auto channel =
                std::find_if(m_channels.begin(), m_channels.end(), [&](const auto& each) {
                    return each.band.fl <= band->fc && band->fc < each.band.fh;
                });
            *value++ *= channel == m_channels.end() ? 1 : channel->gain;
        }
        return received;
    }

    std::vector<SlottedAir::Channel> m_channels; //!< The channels and their gains
};

} // namespace

SlottedAir::SlottedAir(Time slot,
                       const std::vector<double>& bandwidths,
                       const std::vector<double>& losses)
    : m_slot(slot),
      m_medium(CreateObject<MultiModelSpectrumChannel>())
{
    NS_ABORT_MSG_UNLESS(losses.empty() || losses.size() == bandwidths.size(),
                        "There are " << losses.size() << " losses for " << bandwidths.size()
                                     << " channels");
    double begin = FIRST_FREQUENCY;
    Bands all;
    for (std::size_t channel = 0; channel < bandwidths.size(); channel++)
    {
        const auto width = bandwidths[channel];
        const BandInfo band{begin, begin + width / 2, begin + width};
        const auto loss = losses.empty() ? 0 : losses[channel];
        m_channels.push_back({band, FromDecibels(-loss), Create<SpectrumModel>(Bands{band})});
        all.push_back(band);
        begin = band.fh + GUARD_BAND * width;
    }
    m_wide = Create<SpectrumModel>(all);
    m_medium->SetPropagationDelayModel(CreateObject<ConstantSpeedPropagationDelayModel>());
}

void
SlottedAir::UseFreeSpace()
{
    m_medium->AddSpectrumPropagationLossModel(CreateObject<ChannelLoss>(m_channels));
}

double
SlottedAir::GetRate(uint32_t channel) const
{
    const auto& [band, gain, model] = m_channels.at(channel);
    const auto width = band.fh - band.fl;
    const auto amplitude = LIGHT / (4 * M_PI * band.fc * DISTANCE);
    const auto received = FromDecibels(POWER - 30) * gain * amplitude * amplitude;
    const auto noise = THERMAL_NOISE * FromDecibels(NOISE_FIGURE + MARGIN) * width;
    return width * std::min(std::log2(1 + received / noise), MOST_EFFICIENT);
}

uint32_t
SlottedAir::GetPayload(uint32_t channel) const
{
    constexpr double rounding = 1e-6; // rounding error of whole numbers
    const uint32_t bytes = GetRate(channel) * GetFrameTime().GetNanoSeconds() / 8e9 + rounding;
    const auto headers =
        AlohaNoackMacHeader().GetSerializedSize() + LlcSnapHeader().GetSerializedSize();
    return bytes > headers ? bytes - headers : 0;
}

Ptr<SpectrumValue>
SlottedAir::MakePower(uint32_t channel, double power) const
{
    const auto& [band, gain, model] = m_channels.at(channel);
    auto value = Create<SpectrumValue>(model);
    (*value)[0] = FromDecibels(power - 30) / (band.fh - band.fl);
    return value;
}

Ptr<SpectrumValue>
SlottedAir::MakeNoise(uint32_t channel) const
{
    auto value = Create<SpectrumValue>(m_channels.at(channel).model);
    (*value)[0] = THERMAL_NOISE * FromDecibels(NOISE_FIGURE);
    return value;
}

Ptr<MobilityModel>
SlottedAir::Place(Ptr<Node> node, const Vector& place)
{
    const auto mobility = CreateObject<ConstantPositionMobilityModel>();
    mobility->SetPosition(place);
    node->AggregateObject(mobility);
    return mobility;
}

} // namespace ns3
