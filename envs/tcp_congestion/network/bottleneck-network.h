// SPDX-License-Identifier: GPL-2.0-only

#ifndef BOTTLENECK_NETWORK_H
#define BOTTLENECK_NETWORK_H

#include "network-parameters.h"

#include "ns3/ipv4-address.h"
#include "ns3/node-container.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/queue-disc.h"

#include <vector>

namespace ns3
{

/**
 * @brief Routers in a row with a bottleneck from each to the next, and senders and receivers at
 * them. With one bottleneck it is a dumbbell.
 *
 * Addresses are from 20.0.0.0/8 (20.r.0.0/16 at router r) and 21.0.0.0/16 (between routers).
 */
class BottleneckNetwork
{
  public:
    /**
     * A sender and its receiver.
     */
    struct Pair
    {
        Ptr<Node> sender;    //!< Node of the sender
        Ptr<Node> receiver;  //!< Node of the receiver
        Ipv4Address address; //!< Address of the receiver
        uint32_t hops;       //!< Number of bottlenecks between them
    };

    /**
     * Build routers and bottlenecks.
     *
     * @param parameters The properties of the network.
     * @param packetSize Size of IP packets in bytes.
     * @param duration Duration of the episode.
     */
    BottleneckNetwork(const NetworkParameters& parameters, uint32_t packetSize, Time duration);

    /**
     * Add a sender and its receiver: flow 0 and each (hops + 1)-th flow after it cross all
     * bottlenecks; the others cross one each, in turn.
     *
     * @param flow Number of the flow.
     * @return both nodes
     */
    Pair AddFlow(uint32_t flow);

    /**
     * Add a sender and its receiver on both sides of one bottleneck.
     *
     * @param number Number of the pair; the bottlenecks are used in turn.
     * @return both nodes
     */
    Pair AddCrossTraffic(uint32_t number)
    {
        const auto hop = number % m_parameters.GetHops();
        return AddPair(hop, hop + 1);
    }

    /// Begin the episode, and the capacity's trace or steps.
    void Start();

    /**
     * @param hop Number of a bottleneck.
     * @return the router before it
     */
    Ptr<Node> GetRouter(uint32_t hop) const
    {
        return m_routers.Get(hop);
    }

    /**
     * @param hop Number of a bottleneck.
     * @return the queue discipline before it
     */
    Ptr<QueueDisc> GetDiscipline(uint32_t hop) const
    {
        return m_disciplines[hop];
    }

  private:
    /**
     * Connect a router with the next one.
     *
     * @param hop Number of the bottleneck.
     * @param packetSize Size of IP packets in bytes.
     * @param buffer Packets in the queue.
     */
    void BuildBottleneck(uint32_t hop, uint32_t packetSize, uint32_t buffer);

    /**
     * Route packets along the row.
     *
     * @param hop Number of the bottleneck.
     * @param near Address of its near end.
     * @param far Address of its far end.
     */
    void RouteOver(uint32_t hop, Ipv4Address near, Ipv4Address far);

    /**
     * @param first Router of the sender.
     * @param last Router of the receiver.
     * @return a sender and its receiver
     */
    Pair AddPair(uint32_t first, uint32_t last);

    /**
     * Connect a new node with a router.
     *
     * @param router Number of the router.
     * @param sends Whether it is a sender.
     * @return the node, and its address
     */
    std::pair<Ptr<Node>, Ipv4Address> AddLeaf(uint32_t router, bool sends);

    const NetworkParameters& m_parameters;             //!< The properties of the network
    NodeContainer m_routers;                           //!< Routers in a row
    std::vector<Ptr<PointToPointNetDevice>> m_devices; //!< Devices at bottlenecks
    std::vector<Ptr<QueueDisc>> m_disciplines;         //!< Queues at bottlenecks
    std::vector<uint32_t> m_leaves;                    //!< Number of leaves of each router
    uint32_t m_senders{0};                             //!< Number of senders
};

} // namespace ns3

#endif // BOTTLENECK_NETWORK_H
