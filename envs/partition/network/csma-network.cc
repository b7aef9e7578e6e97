// SPDX-License-Identifier: GPL-2.0-only

#include "replica-network.h"

#include "ns3/csma-helper.h"
#include "ns3/pointer.h"

#include <cstdint>

namespace ns3
{

/**
 * @brief Nodes of replicas on one Ethernet bus; nodes back off while it is busy.
 */
class CsmaNetwork : public ReplicaNetwork
{
  public:
    /**
     * Build the network.
     *
     * @param replicas Number of replicas.
     * @param links The properties of the bus.
     */
    CsmaNetwork(uint32_t replicas, const ReplicaLinks& links);

    /**
     * @param replicas Number of replicas.
     * @param links The properties of the bus.
     * @param traffic The frames sent at once.
     * @return a time at which the last datagram has arrived
     */
    static Time GetLongestWay(uint32_t replicas,
                              const ReplicaLinks& links,
                              const ReplicaTraffic& traffic);
};

namespace
{

constexpr uint32_t CSMA_HEADERS = 46;    // bytes of Ethernet, IPv4 and UDP
const Time BACK_OFF = MicroSeconds(100); // back-off of a frame, while others have the bus

const ReplicaTopology g_csma("csma", ReplicaTopology::Of<CsmaNetwork>());

} // namespace

CsmaNetwork::CsmaNetwork(uint32_t replicas, const ReplicaLinks& links)
    : ReplicaNetwork(replicas)
{
    CsmaHelper bus;
    bus.SetChannelAttribute("DataRate", DataRateValue(links.rate));
    bus.SetChannelAttribute("Delay", TimeValue(links.delay));
    const auto devices = bus.Install(m_nodes);
    for (uint32_t i = 0; i < replicas; i++)
    {
        devices.Get(i)->SetAttribute("ReceiveErrorModel", PointerValue(MakeFilter(links.loss)));
        if (!links.pcap.empty())
        {
            bus.EnablePcap(links.GetCapture(i + 1), devices.Get(i), true, true);
        }
    }
    AssignAddresses(devices);
}

Time
CsmaNetwork::GetLongestWay(uint32_t replicas,
                           const ReplicaLinks& links,
                           const ReplicaTraffic& traffic)
{
    // The bus is busy until a frame has reached its end.
    const auto frame = links.rate.CalculateBytesTxTime(traffic.bytes + CSMA_HEADERS) + links.delay;
    return replicas * (replicas - 1) * traffic.datagrams * (frame + BACK_OFF);
}

} // namespace ns3
