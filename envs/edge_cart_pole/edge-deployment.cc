// SPDX-License-Identifier: GPL-2.0-only

#include "edge-deployment.h"

#include "ns3/boolean.h"
#include "ns3/enum.h"
#include "ns3/move-helper.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <memory>

namespace ns3
{

namespace
{

/**
 * @param node A node.
 * @param count How many.
 * @return it so many times
 */
NodeContainer
Repeat(Ptr<Node> node, uint32_t count)
{
    NodeContainer nodes;
    for (uint32_t i = 0; i < count; i++)
    {
        nodes.Add(node);
    }
    return nodes;
}

} // namespace

EdgeDeployment::EdgeDeployment(const EdgeParameters& parameters)
    : m_parameters(parameters),
      m_edges(parameters.edges),
      m_deployment(parameters.carts,
                   [this](const auto&, const NodeContainer& carts, const NodeContainer&) {
                       auto network = std::make_unique<EdgeNetwork>(m_parameters, carts, m_edges);
                       m_network = network.get();
                       return network;
                   },
                   {Repeat(m_edges.Get(0), parameters.carts.carts), EdgeAgentApp::GetTypeId()})
{
    PrepareMoves();
    DriveOn();
}

void
EdgeDeployment::PrepareMoves()
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
    for (const auto& application : m_deployment.GetAgents())
    {
        const auto agent = DynamicCast<EdgeAgentApp>(application);
        agent->SetNetwork(*m_network, m_agents.size());
        agent->SetAttribute("ChoosesEdge", BooleanValue(m_parameters.migration == "action"));
        MoveHelper::Schedule(helper.Install(agent), moves);
        m_agents.push_back(agent);
    }
}

void
EdgeDeployment::DriveOn()
{
    if (m_parameters.edges > 1)
    {
        Simulator::Schedule(m_parameters.handoverInterval, &EdgeDeployment::HandOver, this);
    }
}

void
EdgeDeployment::HandOver()
{
    const auto edge = m_parameters.GetEdgeAfter(++m_handovers);
    for (uint32_t cart = 0; cart < m_agents.size(); cart++)
    {
        m_network->Attach(cart, edge);
        if (m_parameters.migration == "follow")
        {
            m_agents[cart]->GoTo(edge);
        }
    }
    DriveOn();
}

} // namespace ns3
