// SPDX-License-Identifier: GPL-2.0-only

#include "csma-network.h"

#include "ns3/csma-helper.h"
#include "ns3/pointer.h"

namespace ns3
{

namespace
{

constexpr uint32_t CSMA_HEADERS = 46;    // bytes of Ethernet, IPv4 and UDP
const Time BACK_OFF = MicroSeconds(100); // of a frame, while others have the bus

const ReplicaTopology g_csma("csma",
                             {[](uint32_t replicas, const ReplicaLinks& links) {
                                  return std::make_unique<CsmaNetwork>(replicas, links);
                              },
                              &CsmaNetwork::GetLongestWay});

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
