// SPDX-License-Identifier: GPL-2.0-only

#include "channel-plan.h"

#include "ns3/abort.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace ns3
{

namespace
{

constexpr double FIRST_FREQUENCY = 2.4e9;        // in Hz
constexpr double GUARD_BAND = 0.25;              // share of the channel below the band
constexpr double THERMAL_NOISE = 1.38e-23 * 300; // in W/Hz
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

} // namespace

ChannelPlan::ChannelPlan(const std::vector<double>& bandwidths, const std::vector<double>& losses)
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
}

uint32_t
ChannelPlan::CountChannels() const
{
    return m_channels.size();
}

Ptr<const SpectrumModel>
ChannelPlan::GetModel(uint32_t channel) const
{
    return m_channels.at(channel).model;
}

Ptr<SpectrumModel>
ChannelPlan::GetWideModel() const
{
    return m_wide;
}

double
ChannelPlan::GetGain(const BandInfo& band) const
{
    const auto found = std::find_if(m_channels.begin(), m_channels.end(), [&](const auto& each) {
        return each.band.fl <= band.fc && band.fc < each.band.fh;
    });
    return found == m_channels.end() ? 1 : found->gain;
}

Ptr<SpectrumValue>
ChannelPlan::MakePower(uint32_t channel, double power) const
{
    const auto& band = m_channels.at(channel).band;
    auto value = Create<SpectrumValue>(GetModel(channel));
    (*value)[0] = FromDecibels(power - 30) / (band.fh - band.fl);
    return value;
}

Ptr<SpectrumValue>
ChannelPlan::MakeNoise(uint32_t channel) const
{
    auto value = Create<SpectrumValue>(GetModel(channel));
    (*value)[0] = THERMAL_NOISE * FromDecibels(NOISE_FIGURE);
    return value;
}

double
ChannelPlan::GetRate(uint32_t channel) const
{
    const auto& [band, gain, model] = m_channels.at(channel);
    const auto width = band.fh - band.fl;
    const auto amplitude = LIGHT / (4 * M_PI * band.fc * DISTANCE);
    const auto received = FromDecibels(POWER - 30) * gain * amplitude * amplitude;
    const auto noise = THERMAL_NOISE * FromDecibels(NOISE_FIGURE + GAP) * width;
    return width * std::min(std::log2(1 + received / noise), MOST_EFFICIENT);
}

bool
ReadNumbers(const std::string& text, double least, double most, std::vector<double>& numbers)
{
    numbers.clear();
    std::istringstream parts(text);
    for (std::string part; std::getline(parts, part, ',');)
    {
        std::istringstream stream(part);
        double number = 0;
        stream >> number;
        if (stream.fail() || stream.peek() != EOF || !(number >= least) || !(number <= most))
        {
            return false;
        }
        numbers.push_back(number);
    }
    return text.empty() || text.back() != ',';
}

} // namespace ns3
