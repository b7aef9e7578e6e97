// SPDX-License-Identifier: GPL-2.0-only

#ifndef JITTER_CHANNEL_H
#define JITTER_CHANNEL_H

#include "ns3/nstime.h"
#include "ns3/point-to-point-channel.h"
#include "ns3/random-variable-stream.h"

namespace ns3
{

/**
 * @brief A point-to-point channel on which packets of the device that was attached first take a
 * random time longer, and stay in order: the time that a sender's processor takes.
 *
 * Without it, senders with equal round trip times find a full queue again and again at the same
 * instants, and one of them loses every time (Floyd, Jacobson, "Traffic phase effects in
 * packet-switched gateways", 1991, whose remedy this is).
 */
class JitterChannel : public PointToPointChannel
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @param longest Longest random time; what is drawn is uniform between 0 and it.
     * @param stream Stream of the random variable.
     */
    void SetJitter(Time longest, int64_t stream);

    bool TransmitStart(Ptr<const Packet> p, Ptr<PointToPointNetDevice> src, Time txTime) override;

  private:
    Ptr<UniformRandomVariable> m_jitter; //!< In s; null: none
    Time m_lastEnd;                      //!< When the last packet has been sent
};

} // namespace ns3

#endif // JITTER_CHANNEL_H
