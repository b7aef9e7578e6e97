// SPDX-License-Identifier: GPL-2.0-only

// Routers whose agents choose the paths of packets; see card.md.

#include "agent-parameters.h"
#include "environment-program.h"
#include "environment.h"
#include "link-graph.h"
#include "packet-source.h"
#include "router-agent-app.h"
#include "router-network.h"
#include "traffic-matrix.h"
#include "traffic-parameters.h"

#include "ns3/communication-helper.h"
#include "ns3/opengym-builders.h"
#include "ns3/opengym-info.h"

#include <algorithm>
#include <memory>
#include <vector>

using namespace ns3;

namespace
{

constexpr int64_t RESIZE_STREAM = 600'000; //!< Stream of the first router

/**
 * @brief A network of routers whose agents choose the paths of packets.
 *
 * Devices are the routers with an agent.
 */
class PacketRoutingEnvironment : public Environment
{
  public:
    PacketRoutingEnvironment()
        : Environment({.scenario = "packet_routing",
                       .device = "router",
                       .placements = {"local"},
                       .accesses = {"in-band"},
                       .inference = false,
                       .trainingServer = false})
    {
        m_deployment.placement = "local";
        m_deployment.access = "in-band";
    }

    uint32_t CountDevices() const override
    {
        std::string fault;
        const auto topology = Topology::Find(m_networkParameters.topology, fault);
        return m_agentParameters.FindControlled(topology, fault).size();
    }

    NodeContainer BuildDevices() override
    {
        m_graph = std::make_unique<LinkGraph>(m_networkParameters, m_trafficParameters.packetSize);
        m_ledger =
            std::make_unique<PacketLedger>(m_trafficParameters.warmUp, m_trafficParameters.records);
        m_network = std::make_unique<RouterNetwork>(m_networkParameters, *m_graph, *m_ledger);
        std::string fault;
        m_controlled = m_agentParameters.FindControlled(m_graph->GetTopology(), fault);
        m_matrix =
            std::make_unique<TrafficMatrix>(TrafficMatrix::Find(m_trafficParameters.matrix,
                                                                m_trafficParameters.matrixSeed,
                                                                m_graph->GetTopology(),
                                                                fault));
        SetRouting();
        NodeContainer nodes;
        for (const auto number : m_controlled)
        {
            nodes.Add(m_network->GetNodes().Get(number));
        }
        return nodes;
    }

    void StartDevices() override
    {
        const Traffic traffic{m_trafficParameters,
                              *m_matrix,
                              *m_ledger,
                              static_cast<uint8_t>(m_networkParameters.hopLimit)};
        const auto& routers = m_graph->GetTopology().GetRouters();
        for (uint32_t number = 0; number < routers.size(); number++)
        {
            const auto source = CreateObject<PacketSource>(number, routers[number].x, traffic);
            m_network->GetNodes().Get(number)->AddApplication(source);
        }
        m_network->StartFailures();
    }

    DeviceApplications MakeApplications(uint32_t device) override
    {
        // Agents observe, are rewarded and act within an IP call on their own router.
        return {.observation = nullptr, .reward = nullptr, .action = nullptr};
    }

    Ptr<AgentApplication> MakeAgent(uint32_t agent) override
    {
        const auto router = m_network->GetRouter(m_controlled[agent]);
        const auto made = RouterAgentApp::Make(router, m_agentParameters);
        router->SetChooser([made](const RoutedPacket& packet) { return made->Choose(packet); });
        made->SetReport([this, agent] { return Report(agent); });
        m_agents.push_back(made);
        return made;
    }

    void NotifyDeployed(const RlApplicationContainer& agents) override
    {
        if (!m_agentParameters.HasMessages())
        {
            return;
        }
        const auto how = LinkParameters().MakeAttributes(m_deployment.transport);
        CommunicationHelper communication;
        communication.SetAgentApps(agents);
        communication.SetIds();
        const auto find = [this](uint32_t router) {
            return std::find(m_controlled.begin(), m_controlled.end(), router) -
                   m_controlled.begin();
        };
        const auto count = static_cast<int64_t>(m_controlled.size());
        for (const auto& link : m_graph->GetLinks())
        {
            const auto first = find(link.first);
            const auto second = find(link.second);
            if (first < count && second < count)
            {
                communication.AddCommunication({{agents.GetId(first), agents.GetId(second), how}});
                m_agents[first]->AddNeighbour(second, link.second);
                m_agents[second]->AddNeighbour(first, link.first);
            }
        }
        communication.Configure();
    }

  private:
    void Declare(RlSimulation& simulation) override
    {
        m_networkParameters.Declare(simulation);
        m_trafficParameters.Declare(simulation);
        m_agentParameters.Declare(simulation);
        simulation.AddWarmUp([] {
            RoutingNetworkParameters parameters;
            parameters.topology = "grid:2x2";
            LinkGraph graph(parameters, 1000);
            PacketLedger ledger(Time(0), false);
            RouterNetwork network(parameters, graph, ledger);
            network.RouteByChoice({}, false);
        });
    }

    std::string FindContradiction() const override
    {
        const auto network = m_networkParameters.FindContradiction();
        if (!network.empty())
        {
            return network;
        }
        std::string fault;
        const auto topology = Topology::Find(m_networkParameters.topology, fault);
        for (const auto& found :
             {LinkGraph::FindFault(m_networkParameters, m_trafficParameters.packetSize),
              m_trafficParameters.FindContradiction(topology),
              m_agentParameters.FindContradiction(topology),
              FindMisfit()})
        {
            if (!found.empty())
            {
                return found;
            }
        }
        return "";
    }

    /**
     * @return a mismatch of agents and routers, or an empty string
     */
    std::string FindMisfit() const
    {
        if (!m_agentParameters.HasMessages() && m_deployment.transport != "simple")
        {
            return "transport=" + m_deployment.transport +
                   " carries messages to neighbours, so it needs a message_interval";
        }
        const bool global = m_networkParameters.routing == "global";
        if (global && m_trafficParameters.resize)
        {
            return "routing=global is ns-3's unchanged routing, so resize=true needs routing=agent";
        }
        if (global && !m_agentParameters.IsPerPacket())
        {
            return "routing=global reports each packet, so it needs decisions=packet";
        }
        if (m_agentParameters.IsPerPacket() && !m_deployment.actionDelay.IsZero())
        {
            return "decisions=packet answers within an IP call, so it cannot have an action_delay; "
                   "decisions=epoch can";
        }
        return "";
    }

    /// Let routers call their agents.
    void SetRouting()
    {
        const bool global = m_networkParameters.routing == "global";
        std::function<ChosenRouting::Resizer(uint32_t)> resizer;
        if (m_trafficParameters.resize)
        {
            resizer = [this](uint32_t router) -> ChosenRouting::Resizer {
                const auto variable = CreateObject<UniformRandomVariable>();
                variable->SetStream(RESIZE_STREAM + router);
                return [this, variable] { return m_trafficParameters.DrawPayload(variable); };
            };
        }
        m_network->RouteByChoice(resizer, global);
        const bool allChoose = !global && m_agentParameters.IsPerPacket() &&
                               m_controlled.size() == m_graph->CountRouters();
        if (!allChoose || m_agentParameters.HasMessages())
        {
            m_network->ComputeRoutes();
        }
    }

    /**
     * @param agent Number of an agent.
     * @return the agent's last info
     */
    OpenGymInfo Report(uint32_t agent) const
    {
        const auto& totals = m_ledger->GetTotals();
        const auto delivered = static_cast<double>(std::max<int64_t>(totals.delivered, 1));
        OpenGymInfo report{{"created_packets", totals.created},
                           {"delivered_packets", totals.delivered},
                           {"lost_packets", totals.lost},
                           {"mean_delay", totals.delay / delivered},
                           {"mean_hops", static_cast<double>(totals.hops) / delivered}};
        if (m_trafficParameters.records && agent == 0)
        {
            report["packets"] = MakeBoxContainer(m_ledger->GetRecords());
        }
        return report;
    }

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

} // namespace

int
main(int argc, char* argv[])
{
    PacketRoutingEnvironment environment;
    return RunEnvironment(argc, argv, environment);
}
