// SPDX-License-Identifier: GPL-2.0-only

#ifndef CSMA_NETWORK_H
#define CSMA_NETWORK_H

#include "replica-network.h"

#include <cstdint>

namespace ns3
{

/**
 * @brief Replicas' nodes on one Ethernet bus; who finds it busy backs off.
 */
class CsmaNetwork : public ReplicaNetwork
{
  public:
    /**
     * Build it.
     *
     * @param replicas How many.
     * @param links What the bus is like.
     */
    CsmaNetwork(uint32_t replicas, const ReplicaLinks& links);

    /**
     * @param replicas How many.
     * @param links What the bus is like.
     * @param traffic What is sent at once.
     * @return a time by which the last datagram has arrived
     */
    static Time GetLongestWay(uint32_t replicas,
                              const ReplicaLinks& links,
                              const ReplicaTraffic& traffic);
};

} // namespace ns3

#endif // CSMA_NETWORK_H
