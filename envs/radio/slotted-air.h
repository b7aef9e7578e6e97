// SPDX-License-Identifier: GPL-2.0-only

#ifndef SLOTTED_AIR_H
#define SLOTTED_AIR_H

#include "ns3/mobility-model.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/spectrum-channel.h"
#include "ns3/spectrum-model.h"
#include "ns3/spectrum-value.h"
#include "ns3/vector.h"

#include <cstdint>
#include <vector>

namespace ns3
{

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
               const std::vector<double>& losses = {});

    /// Use the loss of free space, and the additional losses of the channels.
    void UseFreeSpace();

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

    double GetRate(uint32_t channel) const; //!< @return data rate of a channel, in bit/s

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
    uint32_t GetPayload(uint32_t channel) const;

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
     * Place a node.
     *
     * @param node The node.
     * @param place Position of the node.
     * @return the node's mobility model
     */
    static Ptr<MobilityModel> Place(Ptr<Node> node, const Vector& place);

    /// A channel.
    struct Channel
    {
        BandInfo band;            //!< Frequencies of the channel
        double gain;              //!< Gain in addition to free space, a factor
        Ptr<SpectrumModel> model; //!< Spectrum model of the band
    };

  private:
    Time m_slot;                     //!< Length of a slot
    std::vector<Channel> m_channels; //!< The channels
    Ptr<SpectrumModel> m_wide;       //!< Spectrum model of all bands
    Ptr<SpectrumChannel> m_medium;   //!< ns-3's channel with all radios
};

} // namespace ns3

#endif // SLOTTED_AIR_H
