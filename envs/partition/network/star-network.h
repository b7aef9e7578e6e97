// SPDX-License-Identifier: GPL-2.0-only

#ifndef STAR_NETWORK_H
#define STAR_NETWORK_H

#include "replica-network.h"

#include "ns3/node.h"

#include <cstdint>

namespace ns3
{

/**
 * @brief The nodes of replicas, each with a point-to-point link to one router.
 *
 * Link i has the addresses 100.64.i.1 (router) and 100.64.i.2.
 */
class StarNetwork : public ReplicaNetwork
{
  public:
    /**
     * Build the network.
     *
     * @param replicas Number of nodes beside the router, at most 250.
     * @param links The properties of links.
     */
    StarNetwork(uint32_t replicas, const ReplicaLinks& links);

    /**
     * @param replicas Number of replicas.
     * @param links The properties of links.
     * @param traffic The frames sent at once.
     * @return the arrival time of the last datagram
     */
    static Time GetLongestWay(uint32_t replicas,
                              const ReplicaLinks& links,
                              const ReplicaTraffic& traffic);

  private:
    /**
     * @param replicas Number of nodes beside the router.
     * @param links The properties of links.
     * @param router The router.
     */
    StarNetwork(uint32_t replicas, const ReplicaLinks& links, Ptr<Node> router);
};

} // namespace ns3

#endif // STAR_NETWORK_H
