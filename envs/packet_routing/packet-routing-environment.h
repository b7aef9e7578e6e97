// SPDX-License-Identifier: GPL-2.0-only

#ifndef PACKET_ROUTING_ENVIRONMENT_H
#define PACKET_ROUTING_ENVIRONMENT_H

#include "agent-parameters.h"
#include "environment.h"
#include "link-graph.h"
#include "router-agent-app.h"
#include "router-network.h"
#include "traffic-matrix.h"
#include "traffic-parameters.h"

#include "ns3/opengym-info.h"

#include <memory>
#include <vector>

namespace ns3
{

/**
 * @brief A network of routers whose agents choose the paths of packets.
 *
 * Devices are the routers with an agent.
 */
class PacketRoutingEnvironment : public Environment
{
  public:
    PacketRoutingEnvironment();

    uint32_t CountDevices() const override;
    NodeContainer BuildDevices() override;
    void StartDevices() override;
    DeviceApplications MakeApplications(uint32_t device) override;
    Ptr<AgentApplication> MakeAgent(uint32_t agent) override;
    void NotifyDeployed(const RlApplicationContainer& agents) override;

  private:
    void Declare(RlSimulation& simulation) override;
    std::string FindContradiction() const override;

    /**
     * @return a mismatch of agents and routers, or an empty string
     */
    std::string FindMisfit() const;

    /// Let routers call their agents.
    void SetRouting();

    /**
     * @param agent Number of an agent.
     * @return the agent's last info
     */
    OpenGymInfo Report(uint32_t agent) const;

    RoutingNetworkParameters m_networkParameters; //!< The properties of the network
    TrafficParameters m_trafficParameters;        //!< Parameters of the traffic
    RoutingAgentParameters m_agentParameters;     //!< The source of choices
    std::vector<uint32_t> m_controlled;           //!< Routers with an agent
    std::unique_ptr<LinkGraph> m_graph;           //!< The states of links
    std::unique_ptr<PacketLedger> m_ledger;       //!< The fate of packets
    std::unique_ptr<RouterNetwork> m_network;     //!< Network of routers
    std::unique_ptr<TrafficMatrix> m_matrix;      //!< Destinations of packets
    std::vector<Ptr<RouterAgentApp>> m_agents;    //!< Agents by number
};

} // namespace ns3

#endif // PACKET_ROUTING_ENVIRONMENT_H
