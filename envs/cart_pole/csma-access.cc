// SPDX-License-Identifier: GPL-2.0-only

#include "csma-access.h"

#include "packet-loss.h"

#include "ns3/csma-helper.h"
#include "ns3/ipv4-address-helper.h"

namespace ns3
{

CsmaAccess::CsmaAccess(const CartPoleParameters& parameters,
                       const NodeContainer& carts,
                       const NodeContainer& agents)
{
    const NodeContainer nodes(carts, agents);
    auto stream = FIRST_STREAM;
    stream += InstallInternet(nodes, stream);

    CsmaHelper bus;
    bus.SetChannelAttribute("DataRate", DataRateValue(parameters.dataRate));
    bus.SetChannelAttribute("Delay", TimeValue(parameters.delay));
    const auto devices = bus.Install(nodes);
    stream += bus.AssignStreams(devices, stream);
    PacketLoss loss(parameters.loss);
    loss.Install(devices);
    loss.AssignStreams(stream);

    const auto interfaces = Ipv4AddressHelper("10.0.0.0", "255.255.0.0").Assign(devices);
    for (uint32_t i = 0; i < carts.GetN(); i++)
    {
        const auto agent = carts.GetN() + parameters.GetAgentOf(i);
        Introduce(interfaces.Get(i), interfaces.Get(agent));
        m_agentAddresses.push_back(interfaces.GetAddress(agent));
    }
}

} // namespace ns3
