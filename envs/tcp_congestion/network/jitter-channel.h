// SPDX-License-Identifier: GPL-2.0-only

#ifndef JITTER_CHANNEL_H
#define JITTER_CHANNEL_H

#include "ns3/nstime.h"
#include "ns3/point-to-point-channel.h"
#include "ns3/random-variable-stream.h"

namespace ns3
{

/**
 * @brief A point-to-point channel that delays packets of the first attached device at random, but
 * keeps their order: this is the sender's processing time.
 *
 * Otherwise senders with equal round trip times find a full queue at the same instants repeatedly,
 * and the same sender loses every time (Floyd, Jacobson, "Traffic phase effects in packet-switched
 * gateways", 1991, who propose this remedy).
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
     * @param longest Longest random delay; delays are uniform from 0 to this maximum.
     * @param stream Stream of the random variable.
     */
    void SetJitter(Time longest, int64_t stream);

    bool TransmitStart(Ptr<const Packet> p, Ptr<PointToPointNetDevice> src, Time txTime) override;

  private:
    Ptr<UniformRandomVariable> m_jitter; //!< Jitter in s; null: none
    Time m_lastEnd;                      //!< End of the last transmission
};

} // namespace ns3

#endif // JITTER_CHANNEL_H
