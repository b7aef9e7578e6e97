// SPDX-License-Identifier: GPL-2.0-only

#ifndef NOISE_SENDER_H
#define NOISE_SENDER_H

#include "slotted-air.h"

#include "ns3/waveform-generator.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @brief A transmitter of what is no frame: noise on one channel, for as long as frames are sent.
 */
class NoiseSender
{
  public:
    /**
     * @param air Where it sends, which lives as long as this.
     * @param node Whose it is.
     * @param place Where its antenna is.
     * @param power In dBm.
     */
    NoiseSender(const SlottedAir& air, Ptr<Node> node, Ptr<MobilityModel> place, double power);

    /**
     * Send in this slot.
     *
     * @param channel Number of the channel.
     */
    void Send(uint32_t channel);

  private:
    std::vector<Ptr<SpectrumValue>> m_powers; //!< By channel
    Ptr<WaveformGenerator> m_generator;       //!< Sends it
};

} // namespace ns3

#endif // NOISE_SENDER_H
