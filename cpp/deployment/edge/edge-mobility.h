// SPDX-License-Identifier: GPL-2.0-only

#ifndef EDGE_MOBILITY_H
#define EDGE_MOBILITY_H

#include "access-network.h"
#include "edge-network.h"
#include "edge-parameters.h"

#include "ns3/agent-application.h"
#include "ns3/node-container.h"
#include "ns3/rl-application-container.h"
#include "ns3/rl-simulation.h"

#include <cstdint>
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
    void Declare(RlSimulation& simulation, const std::string& device);

    /**
     * @return the parameters
     */
    const EdgeParameters& GetParameters() const;

    /// Create the edge nodes.
    void BuildEdges();

    /**
     * @param agents Number of agents.
     * @return the node of each agent: all begin at edge node 0
     */
    NodeContainer MakeAgentNodes(uint32_t agents) const;

    /**
     * @return the factory of the network between devices and edge nodes
     */
    AccessFactory GetFactory();

    /**
     * Start the devices, and the moves of agents.
     *
     * @param agents Agent of each device.
     */
    void Start(const RlApplicationContainer& agents);

    /**
     * Move an agent to an edge node, unless it has ended.
     *
     * @param agent Number of the agent.
     * @param edge Number of the edge node.
     */
    void MoveAgent(uint32_t agent, uint32_t edge);

    /**
     * @param agent Number of an agent.
     * @return the number of its edge node
     */
    uint32_t GetEdgeOfAgent(uint32_t agent) const;

    /**
     * @param device Number of a device.
     * @return the number of the edge node to which it is attached
     */
    uint32_t GetEdgeOfDevice(uint32_t device) const;

  private:
    /// Hand all devices over to the next edge node, and let agents follow.
    void HandOver();

    /// Schedule the next handover, if there is one.
    void DriveOn();

    EdgeParameters m_parameters;                 //!< The objects to build
    NodeContainer m_edges;                       //!< Edge nodes
    EdgeNetwork* m_network{nullptr};             //!< The objects that GetFactory() has built
    std::vector<Ptr<AgentApplication>> m_agents; //!< Agent of each device
    uint64_t m_handovers{0};                     //!< Number of handovers
};

} // namespace ns3

#endif // EDGE_MOBILITY_H
