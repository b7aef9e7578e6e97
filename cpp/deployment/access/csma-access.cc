// SPDX-License-Identifier: GPL-2.0-only

#include "access-network.h"
#include "packet-loss.h"

#include "ns3/csma-helper.h"
#include "ns3/ipv4-address-helper.h"

namespace ns3
{

/**
 * @brief One Ethernet bus that all devices and agents share: nodes back off while it is busy.
 */
class CsmaAccess : public AccessNetwork
{
  public:
    /**
     * @param parameters Parameters of the deployment.
     * @param devices Nodes of devices.
     * @param agents Nodes of agents.
     */
    CsmaAccess(const DeploymentParameters& parameters,
               const NodeContainer& devices,
               const NodeContainer& agents)
    {
        const NodeContainer nodes(devices, agents);
        auto stream = FIRST_STREAM;
        stream += InstallInternet(nodes, stream);

        CsmaHelper bus;
        bus.SetChannelAttribute("DataRate", DataRateValue(parameters.link.dataRate));
        bus.SetChannelAttribute("Delay", TimeValue(parameters.link.delay));
        const auto netDevices = bus.Install(nodes);
        stream += bus.AssignStreams(netDevices, stream);
        PacketLoss loss(parameters.link.loss);
        loss.Install(netDevices);
        loss.AssignStreams(stream);

        const auto interfaces = Ipv4AddressHelper("10.0.0.0", "255.255.0.0").Assign(netDevices);
        for (uint32_t i = 0; i < devices.GetN(); i++)
        {
            const auto agent = devices.GetN() + parameters.GetAgentOf(i);
            Introduce(interfaces.Get(i), interfaces.Get(agent));
            m_deviceAddresses.emplace_back(interfaces.GetAddress(i));
            m_agentAddresses.push_back(interfaces.GetAddress(agent));
        }
    }
};

namespace
{

const AccessRegistration g_csma("csma", MakeAccessFactory<CsmaAccess>());

} // namespace

} // namespace ns3
