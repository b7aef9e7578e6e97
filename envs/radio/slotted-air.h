// SPDX-License-Identifier: GPL-2.0-only

#ifndef SLOTTED_AIR_H
#define SLOTTED_AIR_H

#include "ns3/abort.h"
#include "ns3/aloha-noack-mac-header.h"
#include "ns3/constant-position-mobility-model.h"
#include "ns3/friis-spectrum-propagation-loss.h"
#include "ns3/llc-snap-header.h"
#include "ns3/mobility-model.h"
#include "ns3/multi-model-spectrum-channel.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/propagation-delay-model.h"
#include "ns3/spectrum-channel.h"
#include "ns3/spectrum-model.h"
#include "ns3/spectrum-value.h"
#include "ns3/vector.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace ns3
{

/// A channel of a radio game.
struct SlottedChannel
{
    BandInfo band;            //!< Frequencies of the channel
    double gain;              //!< Gain in addition to free space, a factor
    Ptr<SpectrumModel> model; //!< Spectrum model of the band
};

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
inline double
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
    explicit ChannelLoss(std::vector<SlottedChannel> channels)
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

    std::vector<SlottedChannel> m_channels; //!< The channels and their gains
};

/**
 * @brief The air of a radio game: radio channels side by side above 2.4 GHz, with guard bands
 * between them, divided into slots.
 *
 * Each channel is a spectrum model of one band, so that a receiver hears only its own channel; all
 * together are the wide model of sensors. A channel's rate is at most 6 bit/s/Hz, and the largest
 * one at which a frame still arrives with a margin over thermal noise: Shannon's capacity at a
 * signal-to-noise ratio that is 6 dB worse.
 *
 * A slot begins with a guard time, a tenth of the slot, in which radios get their orders. Then all
 * frames are sent together, for eight tenths, and arrive in the rest. Energy is measured from the
 * beginning of a slot to its end.
 */
class SlottedAir
{
  public:
    static constexpr double DISTANCE = 100; //!< Distance of a radio to its receiver, in m
    static constexpr double POWER = 20;     //!< Power of a radio, in dBm

    /**
     * @param slot Length of a slot.
     * @param bandwidths Bandwidths of the channels, in Hz.
     * @param losses Loss of each channel in addition to free space, in dB; empty: none.
     */
    SlottedAir(Time slot,
               const std::vector<double>& bandwidths,
               const std::vector<double>& losses = {})
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

    /// Use the loss of free space, and the additional losses of the channels.
    void UseFreeSpace()
    {
        m_medium->AddSpectrumPropagationLossModel(CreateObject<ChannelLoss>(m_channels));
    }

    /// @return ns-3's channel with all radios
    Ptr<SpectrumChannel> GetMedium() const
    {
        return m_medium;
    }

    /// @return model of all channels
    Ptr<SpectrumModel> GetWideModel() const
    {
        return m_wide;
    }

    /// @return number of channels
    uint32_t CountChannels() const
    {
        return m_channels.size();
    }

    /// @return data rate of a channel, in bit/s
    double GetRate(uint32_t channel) const
    {
        const auto& [band, gain, model] = m_channels.at(channel);
        const auto width = band.fh - band.fl;
        const auto amplitude = LIGHT / (4 * M_PI * band.fc * DISTANCE);
        const auto received = FromDecibels(POWER - 30) * gain * amplitude * amplitude;
        const auto noise = THERMAL_NOISE * FromDecibels(NOISE_FIGURE + MARGIN) * width;
        return width * std::min(std::log2(1 + received / noise), MOST_EFFICIENT);
    }

    /// @return length of a slot
    Time GetSlot() const
    {
        return m_slot;
    }

    /// @return sending time in a slot
    Time GetFrameTime() const
    {
        return m_slot * 8 / 10;
    }

    /**
     * @param channel Number of a channel.
     * @return payload of a frame there, in bytes; 0: a frame has no room for any
     */
    uint32_t GetPayload(uint32_t channel) const
    {
        constexpr double rounding = 1e-6; // rounding error of whole numbers
        const uint32_t bytes = GetRate(channel) * GetFrameTime().GetNanoSeconds() / 8e9 + rounding;
        const auto headers =
            AlohaNoackMacHeader().GetSerializedSize() + LlcSnapHeader().GetSerializedSize();
        return bytes > headers ? bytes - headers : 0;
    }

    /**
     * @param channel Number of a channel.
     * @param power Power in dBm.
     * @return the power, spread evenly over the channel
     */
    Ptr<SpectrumValue> MakePower(uint32_t channel, double power) const
    {
        const auto& [band, gain, model] = m_channels.at(channel);
        auto value = Create<SpectrumValue>(model);
        (*value)[0] = FromDecibels(power - 30) / (band.fh - band.fl);
        return value;
    }

    /**
     * @param channel Number of a channel.
     * @return the noise of a receiver there
     */
    Ptr<SpectrumValue> MakeNoise(uint32_t channel) const
    {
        auto value = Create<SpectrumValue>(m_channels.at(channel).model);
        (*value)[0] = THERMAL_NOISE * FromDecibels(NOISE_FIGURE);
        return value;
    }

    /**
     * Place a node.
     *
     * @param node The node.
     * @param place Position of the node.
     * @return the node's mobility model
     */
    static Ptr<MobilityModel> Place(Ptr<Node> node, const Vector& place)
    {
        const auto mobility = CreateObject<ConstantPositionMobilityModel>();
        mobility->SetPosition(place);
        node->AggregateObject(mobility);
        return mobility;
    }

  private:
    Time m_slot;                            //!< Length of a slot
    std::vector<SlottedChannel> m_channels; //!< The channels
    Ptr<SpectrumModel> m_wide;              //!< Spectrum model of all bands
    Ptr<SpectrumChannel> m_medium;          //!< ns-3's channel with all radios
};

} // namespace ns3

#endif // SLOTTED_AIR_H
