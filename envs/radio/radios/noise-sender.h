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
 * @brief A transmitter of noise on one channel, for a slot's sending time.
 */
class NoiseSender
{
  public:
    /**
     * @param air Channel to send on, which lives as long as this object.
     * @param node Node of the sender.
     * @param place Position of the antenna.
     * @param power Power in dBm.
     */
    NoiseSender(const SlottedAir& air, Ptr<Node> node, Ptr<MobilityModel> place, double power);

    /**
     * Send in this slot.
     *
     * @param channel Number of the channel.
     */
    void Send(uint32_t channel);

  private:
    std::vector<Ptr<SpectrumValue>> m_powers; //!< Powers by channel
    Ptr<WaveformGenerator> m_generator;       //!< Generator of the noise
};

} // namespace ns3

#endif // NOISE_SENDER_H
