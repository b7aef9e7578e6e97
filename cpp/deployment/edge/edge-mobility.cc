// SPDX-License-Identifier: GPL-2.0-only

#include "edge-mobility.h"

#include "ns3/application-mover.h"
#include "ns3/enum.h"
#include "ns3/move-helper.h"
#include "ns3/rl-simulation.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <memory>
#include <string>

namespace ns3
{

void
EdgeMobility::Declare(RlSimulation& simulation, const std::string& device)
{
    m_parameters.Declare(simulation, device);
    simulation.AddWarmUp([] {
        EdgeParameters example;
        example.edges = 2;
        EdgeNetwork(example, {}, NodeContainer(1), NodeContainer(example.edges));
    });
}

const EdgeParameters&
EdgeMobility::GetParameters() const
{
    return m_parameters;
}

void
EdgeMobility::BuildEdges()
{
    m_edges.Create(m_parameters.edges);
}

NodeContainer
EdgeMobility::MakeAgentNodes(uint32_t agents) const
{
    NodeContainer nodes;
    for (uint32_t i = 0; i < agents; i++)
    {
        nodes.Add(m_edges.Get(0));
    }
    return nodes;
}

AccessFactory
EdgeMobility::GetFactory()
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

void
EdgeMobility::Start(const RlApplicationContainer& agents)
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

void
EdgeMobility::MoveAgent(uint32_t agent, uint32_t edge)
{
    if (!m_agents[agent]->HasEnded())
    {
        m_agents[agent]->GetObject<ApplicationMover>()->MoveTo(m_edges.Get(edge));
    }
}

uint32_t
EdgeMobility::GetEdgeOfAgent(uint32_t agent) const
{
    return m_network->GetNumber(m_agents[agent]->GetNode());
}

uint32_t
EdgeMobility::GetEdgeOfDevice(uint32_t device) const
{
    return m_network->GetEdgeOfDevice(device);
}

void
EdgeMobility::DriveOn()
{
    if (m_parameters.edges > 1)
    {
        Simulator::Schedule(m_parameters.handoverInterval, &EdgeMobility::HandOver, this);
    }
}

void
EdgeMobility::HandOver()
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

} // namespace ns3
