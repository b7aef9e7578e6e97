// SPDX-License-Identifier: GPL-2.0-only

#include "replica-network.h"

#include "ns3/csma-helper.h"
#include "ns3/pointer.h"

#include <cstdint>

namespace ns3
{

namespace
{

constexpr uint32_t CSMA_HEADERS = 46;    // bytes of Ethernet, IPv4 and UDP
const Time BACK_OFF = MicroSeconds(100); // back-off of a frame, while others have the bus

/**
 * Build nodes of replicas on one Ethernet bus; nodes back off while it is busy.
 *
 * @param replicas Number of replicas.
 * @param links The properties of the bus.
 * @return the network
 */
std::unique_ptr<ReplicaNetwork>
BuildCsma(uint32_t replicas, const ReplicaLinks& links)
{
    auto network = std::make_unique<ReplicaNetwork>(replicas);
    CsmaHelper bus;
    bus.SetChannelAttribute("DataRate", DataRateValue(links.rate));
    bus.SetChannelAttribute("Delay", TimeValue(links.delay));
    const auto devices = bus.Install(network->nodes);
    for (uint32_t i = 0; i < replicas; i++)
    {
        devices.Get(i)->SetAttribute("ReceiveErrorModel",
                                     PointerValue(network->MakeFilter(links.loss)));
        if (!links.pcap.empty())
        {
            bus.EnablePcap(links.GetCapture(i + 1), devices.Get(i), true, true);
        }
    }
    network->AssignAddresses(devices);
    return network;
}

/**
 * @param replicas Number of replicas.
 * @param links The properties of links.
 * @param traffic The frames sent at once.
 * @return a time at which the last datagram has arrived
 */
Time
BoundCsma(uint32_t replicas, const ReplicaLinks& links, const ReplicaTraffic& traffic)
{
    // The bus is busy until a frame has reached its end.
    const auto frame = links.rate.CalculateBytesTxTime(traffic.bytes + CSMA_HEADERS) + links.delay;
    return replicas * (replicas - 1) * traffic.datagrams * (frame + BACK_OFF);
}

const auto g_csma =
    ReplicaTopology::GetAll().emplace("csma", ReplicaTopology{BuildCsma, BoundCsma});

} // namespace

} // namespace ns3
