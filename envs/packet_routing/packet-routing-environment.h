// SPDX-License-Identifier: GPL-2.0-only

#ifndef PACKET_ROUTING_ENVIRONMENT_H
#define PACKET_ROUTING_ENVIRONMENT_H

#include "agent-parameters.h"
#include "environment.h"
#include "link-failures.h"
#include "link-graph.h"
#include "packet-ledger.h"
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
 * @brief A network of routers whose agents choose where packets go.
 *
 * Devices are the routers that have an agent.
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
     * @return what is wrong with how agents and routers go together, or an empty string
     */
    std::string FindMisfit() const;

    /**
     * @return what is wrong with agents that answer within a call, or an empty string
     */
    std::string FindDelay() const;

    /// Have routers ask their agents.
    void SetRouting();

    /// Put a source of packets on each router.
    void InstallTraffic();

    /**
     * @param agent Number of an agent.
     * @return its last info
     */
    OpenGymInfo Report(uint32_t agent) const;

    RoutingNetworkParameters m_networkParameters; //!< The properties of the network
    TrafficParameters m_trafficParameters;        //!< Which packets enter
    RoutingAgentParameters m_agentParameters;     //!< The source of choices
    std::vector<uint32_t> m_controlled;           //!< Routers that have an agent
    std::unique_ptr<LinkGraph> m_graph;           //!< The states of links
    std::unique_ptr<PacketLedger> m_ledger;       //!< The fate of packets
    std::unique_ptr<RouterNetwork> m_network;     //!< Of routers
    std::unique_ptr<TrafficMatrix> m_matrix;      //!< Where packets are bound for
    std::unique_ptr<LinkFailures> m_failures;     //!< Of links; null: there are none
    std::vector<Ptr<RouterAgentApp>> m_agents;    //!< By number
};

} // namespace ns3

#endif // PACKET_ROUTING_ENVIRONMENT_H
