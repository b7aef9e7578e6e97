// SPDX-License-Identifier: GPL-2.0-only

#ifndef WIFI_NETWORK_H
#define WIFI_NETWORK_H

#include "replica-network.h"

#include <cstdint>

namespace ns3
{

/**
 * @brief Replicas' nodes on a circle of 5 m, in one 802.11a cell without an access point, at
 * 24 Mbit/s.
 *
 * Who does not get a frame does not acknowledge it, and it is sent again up to six times: also a
 * partition costs time on the air.
 */
class WifiNetwork : public ReplicaNetwork
{
  public:
    /**
     * Build it.
     *
     * @param replicas How many.
     * @param links Of which the loss is that of a frame, and the rest does not matter.
     */
    WifiNetwork(uint32_t replicas, const ReplicaLinks& links);

    /**
     * @param replicas How many.
     * @param links What links are like.
     * @param traffic What is sent at once.
     * @return a time by which the last datagram has arrived, if none has to be sent again
     */
    static Time GetLongestWay(uint32_t replicas,
                              const ReplicaLinks& links,
                              const ReplicaTraffic& traffic);
};

} // namespace ns3

#endif // WIFI_NETWORK_H
