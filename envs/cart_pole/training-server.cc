// SPDX-License-Identifier: GPL-2.0-only

#include "training-server.h"

#include "point-to-point-links.h"

#include "ns3/config.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4.h"
#include "ns3/queue-disc.h"
#include "ns3/queue-size.h"
#include "ns3/rl-application-helper.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/traffic-control-layer.h"
#include "ns3/training-server-application.h"

namespace ns3
{

namespace
{

/// Packets that fit into the queue of a cable: those of an update of some MB.
const QueueSize LONGEST_QUEUE("10000p");

/**
 * Leave queueing to devices: a queue discipline would drop what does not fit its idea of a flow,
 * and with it a whole transfer over UDP.
 *
 * @param nodes Of agents and training server.
 */
void
UninstallQueueDiscs(const NodeContainer& nodes)
{
    for (auto node = nodes.Begin(); node != nodes.End(); ++node)
    {
        const auto layer = (*node)->GetObject<TrafficControlLayer>();
        for (uint32_t i = 0; i < (*node)->GetNDevices(); i++)
        {
            const auto device = (*node)->GetDevice(i);
            if (layer->GetRootQueueDiscOnDevice(device))
            {
                layer->DeleteRootQueueDiscOnDevice(device);
            }
        }
    }
}

} // namespace

TrainingServer::TrainingServer(const CartPoleParameters& parameters,
                               const AccessFactory& access,
                               const NodeContainer& agents)
    : m_parameters(parameters.trainingServer),
      m_node(1)
{
    Config::SetDefault("ns3::DropTailQueue<Packet>::MaxSize", QueueSizeValue(LONGEST_QUEUE));
    if (parameters.placement == "local")
    {
        auto behind = parameters;
        behind.placement = "central"; // the server is where a central agent would be
        m_access = access(behind, agents, m_node);
        for (uint32_t i = 0; i < agents.GetN(); i++)
        {
            m_sockets.push_back({.serverAddress = m_access->GetAgentAddress(i)});
        }
    }
    else
    {
        BuildLinks(parameters, agents);
    }
    UninstallQueueDiscs(NodeContainer(agents, m_node));
}

void
TrainingServer::BuildLinks(const CartPoleParameters& parameters, const NodeContainer& agents)
{
    InternetStackHelper internet;
    internet.Install(m_node);
    auto alike = parameters;
    alike.dataRate = m_parameters.dataRate;
    alike.delay = m_parameters.delay;
    alike.loss = m_parameters.loss;
    PointToPointLinks links(alike, "192.168.0.0");
    for (auto agent = agents.Begin(); agent != agents.End(); ++agent)
    {
        if (!(*agent)->GetObject<Ipv4>())
        {
            internet.Install(*agent);
        }
        const auto ends = links.Connect(*agent, m_node.Get(0));
        m_sockets.push_back(
            {.clientAddress = ends.GetAddress(0), .serverAddress = ends.GetAddress(1)});
    }
}

void
TrainingServer::AwaitReady(Time interval)
{
    if (m_access)
    {
        m_access->AwaitReady(interval);
    }
}

RlApplicationContainer
TrainingServer::InstallApplication() const
{
    return RlApplicationHelper(TrainingServerApplication::GetTypeId()).Install(m_node);
}

std::vector<CommunicationPair>
TrainingServer::GetCommunication() const
{
    std::vector<CommunicationPair> pairs;
    for (uint32_t agent = 0; agent < m_sockets.size(); agent++)
    {
        auto attributes = m_sockets[agent];
        if (m_parameters.transport == "tcp")
        {
            attributes.protocol = TcpSocketFactory::GetTypeId();
        }
        pairs.push_back(
            {{ApplicationType::AGENT, agent}, {ApplicationType::TRAINING_SERVER, 0}, attributes});
    }
    return pairs;
}

} // namespace ns3
