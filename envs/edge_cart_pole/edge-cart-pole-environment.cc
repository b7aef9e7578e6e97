// SPDX-License-Identifier: GPL-2.0-only

#include "edge-cart-pole-environment.h"

#include "edge-agent-app.h"

namespace ns3
{

namespace
{

/**
 * @return the options of the deployment: agents on edge nodes, and sockets
 */
DeploymentOptions
MakeEdgeOptions()
{
    return {.scenario = "edge_cart_pole",
            .device = "cart",
            .interval = MilliSeconds(CartPole::INTERVAL_MS),
            .placements = {"remote"},
            .transports = {"udp", "tcp"},
            .accesses = {"edge"},
            .inference = false,
            .trainingServer = false,
            .delayHelp = "One-way delay between a cart and the edge node where it is attached.",
            .dataRateHelp = "Data rate of the link between a cart and an edge node.",
            .lossHelp = "Probability that a packet is lost on that link."};
}

} // namespace

EdgeCartPoleEnvironment::EdgeCartPoleEnvironment()
    : CartPoleEnvironment(MakeEdgeOptions())
{
    m_deployment.transport = "udp";
}

void
EdgeCartPoleEnvironment::Declare(RlSimulation& simulation)
{
    simulation.AddValue("carts", "Number of cart-poles, in a convoy.", m_carts, 1U, 100U);
    DeclareStart(simulation);
    m_mobility.Declare(simulation, GetDeployment().GetOptions().device);
}

std::string
EdgeCartPoleEnvironment::FindContradiction() const
{
    const auto fault = m_mobility.GetParameters().FindContradiction();
    return fault.empty() ? CartPoleEnvironment::FindContradiction() : fault;
}

NodeContainer
EdgeCartPoleEnvironment::BuildDevices()
{
    m_mobility.BuildEdges();
    return CartPoleEnvironment::BuildDevices();
}

AccessFactory
EdgeCartPoleEnvironment::FindAccess(const std::string& access)
{
    return m_mobility.GetFactory();
}

NodeContainer
EdgeCartPoleEnvironment::MakeAgentNodes(uint32_t agents)
{
    return m_mobility.MakeAgentNodes(agents);
}

Ptr<AgentApplication>
EdgeCartPoleEnvironment::MakeAgent(uint32_t agent)
{
    return CreateObject<EdgeAgentApp>(m_mobility, GetDevicesOf(agent), m_rules);
}

void
EdgeCartPoleEnvironment::NotifyDeployed(const RlApplicationContainer& agents)
{
    m_mobility.Start(agents);
}

} // namespace ns3
