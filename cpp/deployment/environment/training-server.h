// SPDX-License-Identifier: GPL-2.0-only

#ifndef TRAINING_SERVER_H
#define TRAINING_SERVER_H

#include "access-network.h"
#include "deployment-parameters.h"
#include "point-to-point-links.h"

#include "ns3/attribute.h"
#include "ns3/communication-helper.h"
#include "ns3/config.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/queue-disc.h"
#include "ns3/queue-size.h"
#include "ns3/rl-application-container.h"
#include "ns3/rl-application-helper.h"
#include "ns3/traffic-control-layer.h"
#include "ns3/training-server-application.h"
#include "ns3/type-id.h"

#include <algorithm>
#include <memory>
#include <vector>

namespace ns3
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
inline void
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

/**
 * @brief The training server and its network to the agents: the access network if agents are on
 * their devices' nodes, or else a point-to-point link to each agent.
 */
class TrainingServer
{
  public:
    /**
     * Build the server, and its network.
     *
     * @param parameters Parameters of the deployment.
     * @param access Builds the access network.
     * @param agents Nodes of agents.
     * @param others Other network devices of these nodes, which the deployment ignores.
     */
    TrainingServer(const DeploymentParameters& parameters,
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

    /**
     * If the network needs time until it carries packets, wait for it; see
     * AccessNetwork::AwaitReady().
     *
     * @param interval Time advances to a multiple of this interval.
     */
    void AwaitReady(Time interval)
    {
        if (m_access)
        {
            m_access->AwaitReady(interval);
        }
    }

    /**
     * Install the application, when the network is ready.
     *
     * @return the application
     */
    RlApplicationContainer InstallApplication() const
    {
        return RlApplicationHelper(TrainingServerApplication::GetTypeId()).Install(m_node);
    }

    /**
     * @return a connection with each agent, in the order of agents
     */
    std::vector<CommunicationPair> GetCommunication() const
    {
        std::vector<CommunicationPair> pairs;
        for (uint32_t agent = 0; agent < m_channels.size(); agent++)
        {
            pairs.push_back({{ApplicationType::AGENT, agent},
                             {ApplicationType::TRAINING_SERVER, 0},
                             m_channels[agent]});
        }
        return pairs;
    }

  private:
    /**
     * Build the access network, with the server at the place of a central agent.
     *
     * @param parameters Parameters of the deployment.
     * @param access Builds the access network.
     * @param agents Nodes of agents.
     */
    void BuildAccess(const DeploymentParameters& parameters,
                     const AccessFactory& access,
                     const NodeContainer& agents)
    {
        auto behind = parameters;
        behind.placement = "central";
        m_access = access(behind, agents, m_node);
        for (uint32_t i = 0; i < agents.GetN(); i++)
        {
            m_channels.push_back(m_parameters.link.MakeAttributes(m_parameters.transport,
                                                                  m_access->GetDeviceAddress(i),
                                                                  m_access->GetAgentAddress(i)));
        }
    }

    /**
     * Build a link to each agent.
     *
     * @param agents Nodes of agents.
     */
    void BuildLinks(const NodeContainer& agents)
    {
        const InternetStackHelper internet;
        internet.Install(m_node);
        PointToPointLinks links(m_parameters.link, "192.168.0.0");
        for (auto agent = agents.Begin(); agent != agents.End(); ++agent)
        {
            internet.Install(AccessNetwork::SelectWithoutInternet(*agent));
            const auto ends = links.Connect(*agent, m_node.Get(0));
            m_channels.push_back(m_parameters.link.MakeAttributes(m_parameters.transport,
                                                                  ends.GetAddress(0),
                                                                  ends.GetAddress(1)));
        }
    }

    const TrainingServerParameters& m_parameters;       //!< Parameters of the server
    NodeContainer m_node;                               //!< Node of the server
    std::unique_ptr<AccessNetwork> m_access;            //!< Access to the server; null: links
    std::vector<AnyCommunicationAttributes> m_channels; //!< Channel to each agent
};

} // namespace ns3

#endif // TRAINING_SERVER_H
