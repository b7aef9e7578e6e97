// SPDX-License-Identifier: GPL-2.0-only

#include "training-server.h"

#include "point-to-point-links.h"

#include "ns3/attribute.h"
#include "ns3/config.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/queue-disc.h"
#include "ns3/queue-size.h"
#include "ns3/rl-application-helper.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/traffic-control-layer.h"
#include "ns3/training-server-application.h"
#include "ns3/type-id.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// Packets in a cable's queue: enough for an update of some MB.
const QueueSize LONGEST_QUEUE("10000p");
const std::string QUEUE_TYPE = "ns3::DropTailQueue<Packet>"; // queue of a cable

/// Lengthens the queues of all cables created during its lifetime.
class LongQueues
{
  public:
    LongQueues()
    {
        TypeId::AttributeInformation size;
        TypeId::LookupByName(QUEUE_TYPE).LookupAttributeByName("MaxSize", &size);
        m_usual = size.initialValue;
        SetSize(QueueSizeValue(LONGEST_QUEUE));
    }

    ~LongQueues()
    {
        SetSize(*m_usual);
    }

    LongQueues(const LongQueues&) = delete;
    LongQueues& operator=(const LongQueues&) = delete;

  private:
    /// @param size Size of queues created from now on.
    static void SetSize(const AttributeValue& size)
    {
        Config::SetDefault(QUEUE_TYPE + "::MaxSize", size);
    }

    Ptr<const AttributeValue> m_usual; //!< Size of other queues
};

/**
 * Remove queue disciplines: they would drop a flow's packets beyond a limit, and so lose a whole
 * UDP transfer.
 *
 * @param nodes Nodes of agents and training server.
 * @param others Devices whose queue disciplines remain.
 */
void
UninstallQueueDiscs(const NodeContainer& nodes, const NetDeviceContainer& others)
{
    for (auto node = nodes.Begin(); node != nodes.End(); ++node)
    {
        const auto layer = (*node)->GetObject<TrafficControlLayer>();
        for (uint32_t i = 0; i < (*node)->GetNDevices(); i++)
        {
            const auto device = (*node)->GetDevice(i);
            const bool mine = std::find(others.Begin(), others.End(), device) == others.End();
            if (mine && layer->GetRootQueueDiscOnDevice(device))
            {
                layer->DeleteRootQueueDiscOnDevice(device);
            }
        }
    }
}

} // namespace

TrainingServer::TrainingServer(const DeploymentParameters& parameters,
                               const AccessFactory& access,
                               const NodeContainer& agents,
                               const NetDeviceContainer& others)
    : m_parameters(parameters.trainingServer),
      m_node(1)
{
    const LongQueues queues;
    if (parameters.placement == "local")
    {
        BuildAccess(parameters, access, agents);
    }
    else
    {
        BuildLinks(agents);
    }
    UninstallQueueDiscs(NodeContainer(agents, m_node), others);
}

void
TrainingServer::BuildAccess(const DeploymentParameters& parameters,
                            const AccessFactory& access,
                            const NodeContainer& agents)
{
    auto behind = parameters;
    behind.placement = "central";
    m_access = access(behind, agents, m_node);
    for (uint32_t i = 0; i < agents.GetN(); i++)
    {
        m_sockets.push_back({.clientAddress = m_access->GetDeviceAddress(i),
                             .serverAddress = m_access->GetAgentAddress(i)});
    }
}

void
TrainingServer::BuildLinks(const NodeContainer& agents)
{
    const InternetStackHelper internet;
    internet.Install(m_node);
    PointToPointLinks links(m_parameters.link, "192.168.0.0");
    for (auto agent = agents.Begin(); agent != agents.End(); ++agent)
    {
        internet.Install(AccessNetwork::SelectWithoutInternet(*agent));
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

RlApplicationContainer
TrainingServer::InstallApplication() const
{
    return RlApplicationHelper(TrainingServerApplication::GetTypeId()).Install(m_node);
}

} // namespace ns3
