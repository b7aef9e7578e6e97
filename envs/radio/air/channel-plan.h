// SPDX-License-Identifier: GPL-2.0-only

#ifndef CHANNEL_PLAN_H
#define CHANNEL_PLAN_H

#include "ns3/spectrum-model.h"
#include "ns3/spectrum-value.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief Radio channels side by side above 2.4 GHz, with guard bands between them, and their
 * frames.
 *
 * Each channel is a spectrum model of one band, so that a radio receives only its own channel; all
 * together are the wide model of sensors. A channel's rate is at most MOST_EFFICIENT, and the
 * largest one at which a frame still arrives with a margin over thermal noise: Shannon's capacity
 * at a signal-to-noise ratio that is GAP times worse.
 */
class ChannelPlan
{
  public:
    static constexpr double DISTANCE = 100;     //!< Distance of a radio to its receiver, in m
    static constexpr double POWER = 20;         //!< Power of a radio, in dBm
    static constexpr double NOISE_FIGURE = 7;   //!< Noise figure of a receiver, in dB
    static constexpr double GAP = 6;            //!< Margin of a frame over noise, in dB
    static constexpr double MOST_EFFICIENT = 6; //!< The highest rate, in bit/s/Hz

    /**
     * @param bandwidths Bandwidths of the channels, in Hz.
     * @param losses Loss of each channel in addition to free space, in dB; empty: none.
     */
    explicit ChannelPlan(const std::vector<double>& bandwidths,
                         const std::vector<double>& losses = {});

    uint32_t CountChannels() const;                    //!< @return number of channels
    Ptr<const SpectrumModel> GetModel(uint32_t) const; //!< @return model of a channel
    Ptr<SpectrumModel> GetWideModel() const;           //!< @return model of all channels

    /**
     * @param band A band of one of the models.
     * @return the loss of its channel in addition to free space, as a factor of power below 1
     */
    double GetGain(const BandInfo& band) const;

    /**
     * @param channel Number of a channel.
     * @param power Power in dBm.
     * @return the power, spread evenly over the channel
     */
    Ptr<SpectrumValue> MakePower(uint32_t channel, double power) const;

    /**
     * @param channel Number of a channel.
     * @return the noise of a receiver there
     */
    Ptr<SpectrumValue> MakeNoise(uint32_t channel) const;

    /**
     * @param channel Number of a channel.
     * @return its data rate, in bit/s
     */
    double GetRate(uint32_t channel) const;

  private:
    /// A channel.
    struct Entry
    {
        BandInfo band;            //!< Frequencies of the channel
        double gain;              //!< Gain in addition to free space, a factor
        Ptr<SpectrumModel> model; //!< Spectrum model of the band
    };

    std::vector<Entry> m_channels; //!< The channels
    Ptr<SpectrumModel> m_wide;     //!< Spectrum model of all bands
};

/**
 * Read numbers separated by commas.
 *
 * @param text The numbers, or an empty text.
 * @param least Least allowed number.
 * @param most Largest allowed number.
 * @param numbers Set to the numbers.
 * @return whether the text is valid
 */
bool ReadNumbers(const std::string& text, double least, double most, std::vector<double>& numbers);

} // namespace ns3

#endif // CHANNEL_PLAN_H
