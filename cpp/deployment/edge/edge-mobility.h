// SPDX-License-Identifier: GPL-2.0-only

#ifndef EDGE_MOBILITY_H
#define EDGE_MOBILITY_H

#include "access-network.h"
#include "edge-network.h"

#include "ns3/agent-application.h"
#include "ns3/application-mover.h"
#include "ns3/enum.h"
#include "ns3/move-helper.h"
#include "ns3/node-container.h"
#include "ns3/rl-application-container.h"
#include "ns3/rl-simulation.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief Devices that drive along a road past edge nodes, in a convoy, and agents on edge nodes
 * that may move along.
 *
 * An environment with such devices calls Declare(), BuildEdges(), GetFactory(), MakeAgentNodes()
 * and Start() in its functions for the same purposes.
 */
class EdgeMobility
{
  public:
    /**
     * Declare the parameters of road, edge nodes and moves, and build them before episodes are
     * forked.
     *
     * @param simulation The scenario.
     * @param device Name of a device, in the singular.
     */
    void Declare(RlSimulation& simulation, const std::string& device)
    {
        m_parameters.Declare(simulation, device);
        simulation.AddWarmUp([] {
            EdgeParameters example;
            example.edges = 2;
            EdgeNetwork(example, {}, NodeContainer(1), NodeContainer(example.edges));
        });
    }

    /**
     * @return the parameters
     */
    const EdgeParameters& GetParameters() const
    {
        return m_parameters;
    }

    /// Create the edge nodes.
    void BuildEdges()
    {
        m_edges.Create(m_parameters.edges);
    }

    /**
     * @param agents Number of agents.
     * @return the node of each agent: all begin at edge node 0
     */
    NodeContainer MakeAgentNodes(uint32_t agents) const
    {
        NodeContainer nodes;
        for (uint32_t i = 0; i < agents; i++)
        {
            nodes.Add(m_edges.Get(0));
        }
        return nodes;
    }

    /**
     * @return the factory of the network between devices and edge nodes
     */
    AccessFactory GetFactory()
    {
        return [this](const DeploymentParameters& deployment,
                      const NodeContainer& devices,
                      const NodeContainer&) {
            auto network =
                std::make_unique<EdgeNetwork>(m_parameters, deployment.link, devices, m_edges);
            m_network = network.get();
            return network;
        };
    }

    /**
     * Start the devices, and the moves of agents.
     *
     * @param agents Agent of each device.
     */
    void Start(const RlApplicationContainer& agents)
    {
        MoveHelper helper;
        helper.SetAttribute("StateBytes", UintegerValue(m_parameters.stateBytes));
        helper.SetAttribute("Strategy",
                            EnumValue(m_parameters.stateTransfer == "live"
                                          ? ApplicationMover::LIVE
                                          : ApplicationMover::STOP_AND_COPY));
        const auto schedule = m_parameters.ParseSchedule();
        std::vector<ScheduledMove> moves;
        for (const auto& [time, edge] : *schedule)
        {
            moves.push_back({time, m_edges.Get(edge)});
        }
        for (const auto& agent : agents)
        {
            MoveHelper::Schedule(helper.Install(agent), moves);
            m_agents.push_back(DynamicCast<AgentApplication>(agent));
        }
        DriveOn();
    }

    /**
     * Move an agent to an edge node, unless it has ended.
     *
     * @param agent Number of the agent.
     * @param edge Number of the edge node.
     */
    void MoveAgent(uint32_t agent, uint32_t edge)
    {
        if (!m_agents[agent]->HasEnded())
        {
            m_agents[agent]->GetObject<ApplicationMover>()->MoveTo(m_edges.Get(edge));
        }
    }

    /**
     * @param agent Number of an agent.
     * @return the number of its edge node
     */
    uint32_t GetEdgeOfAgent(uint32_t agent) const
    {
        return m_network->GetNumber(m_agents[agent]->GetNode());
    }

    /**
     * @param device Number of a device.
     * @return the number of the edge node to which it is attached
     */
    uint32_t GetEdgeOfDevice(uint32_t device) const
    {
        return m_network->GetEdgeOfDevice(device);
    }

  private:
    /// Hand all devices over to the next edge node, and let agents follow.
    void HandOver()
    {
        const auto edge = m_parameters.GetEdgeAfter(++m_handovers);
        for (uint32_t device = 0; device < m_agents.size(); device++)
        {
            m_network->Attach(device, edge);
            RlSimulation::NoteEvent("handover",
                                    "device " + std::to_string(device) + " to edge node " +
                                        std::to_string(edge));
            if (m_parameters.migration == "follow")
            {
                MoveAgent(device, edge);
            }
        }
        DriveOn();
    }

    /// Schedule the next handover, if there is one.
    void DriveOn()
    {
        if (m_parameters.edges > 1)
        {
            Simulator::Schedule(m_parameters.handoverInterval, &EdgeMobility::HandOver, this);
        }
    }

    EdgeParameters m_parameters;                 //!< The objects to build
    NodeContainer m_edges;                       //!< Edge nodes
    EdgeNetwork* m_network{nullptr};             //!< The objects that GetFactory() has built
    std::vector<Ptr<AgentApplication>> m_agents; //!< Agent of each device
    uint64_t m_handovers{0};                     //!< Number of handovers
};

} // namespace ns3

#endif // EDGE_MOBILITY_H
