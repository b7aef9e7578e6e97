// SPDX-License-Identifier: GPL-2.0-only

#include "deployment.h"

#include "ns3/abort.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/pointer.h"
#include "ns3/tcp-socket-factory.h"

namespace ns3
{

namespace
{

/**
 * @param nodes Nodes.
 * @return the network devices of the nodes
 */
NetDeviceContainer
CollectDevices(const NodeContainer& nodes)
{
    NetDeviceContainer devices;
    for (auto node = nodes.Begin(); node != nodes.End(); ++node)
    {
        for (uint32_t i = 0; i < (*node)->GetNDevices(); i++)
        {
            devices.Add((*node)->GetDevice(i));
        }
    }
    return devices;
}

/**
 * Install an application, if there is one.
 *
 * @param application The application, or null.
 * @param node Node of the application.
 * @param installed Container to extend.
 */
void
Install(Ptr<RlApplication> application, Ptr<Node> node, RlApplicationContainer& installed)
{
    if (application)
    {
        node->AddApplication(application);
        installed.Add(application);
    }
}

} // namespace

Deployment::Deployment(Environment& environment)
    : m_environment(environment),
      m_parameters(environment.GetDeployment()),
      m_deviceNodes(environment.BuildDevices())
{
    NS_ABORT_MSG_UNLESS(m_deviceNodes.GetN() == m_parameters.devices,
                        "BuildDevices() has built " << m_deviceNodes.GetN() << " devices, where "
                                                    << "CountDevices() says "
                                                    << m_parameters.devices);
    m_agentNodes = m_parameters.placement == "local"
                       ? m_deviceNodes
                       : environment.MakeAgentNodes(m_parameters.GetAgents());
    BuildNetwork(CollectDevices(m_agentNodes));
    environment.StartDevices();
    InstallApplications();
    InstallAgents();
    Connect();
    environment.NotifyDeployed(m_agents);
}

void
Deployment::BuildNetwork(const NetDeviceContainer& others)
{
    const bool simple = m_parameters.transport == "simple";
    const bool local = m_parameters.placement == "local";
    const auto interval = m_parameters.GetOptions().interval;
    const auto access = m_environment.FindAccess(m_parameters.access);
    if (!simple && !local)
    {
        m_network = access(m_parameters, m_deviceNodes, m_agentNodes);
    }
    if (m_parameters.trainingServer.Exists())
    {
        m_server = std::make_unique<TrainingServer>(m_parameters, access, m_agentNodes, others);
        m_server->AwaitReady(interval);
    }
    else if (!simple && local)
    {
        InternetStackHelper().Install(AccessNetwork::SelectWithoutInternet(m_deviceNodes));
    }
    if (m_network)
    {
        m_network->AwaitReady(interval);
    }
}

void
Deployment::InstallApplications()
{
    for (uint32_t device = 0; device < m_parameters.devices; device++)
    {
        m_applications.push_back(m_environment.MakeApplications(device));
    }
    for (uint32_t device = 0; device < m_parameters.devices; device++)
    {
        Install(m_applications[device].observation, m_deviceNodes.Get(device), m_observers);
    }
    for (uint32_t device = 0; device < m_parameters.devices; device++)
    {
        Install(m_applications[device].reward, m_deviceNodes.Get(device), m_rewarders);
    }
    for (uint32_t device = 0; device < m_parameters.devices; device++)
    {
        Install(m_applications[device].action, m_deviceNodes.Get(device), m_actors);
    }
}

void
Deployment::InstallAgents()
{
    const auto names = m_parameters.GetAgentNames();
    for (uint32_t i = 0; i < m_agentNodes.GetN(); i++)
    {
        const auto queue = m_parameters.inference.MakeQueue(names[i]);
        const auto agent = m_environment.MakeAgent(i);
        agent->SetAttribute("ActionDelay", TimeValue(m_parameters.actionDelay));
        if (queue)
        {
            agent->SetAttribute("InferenceQueue", PointerValue(queue));
        }
        Install(agent, m_agentNodes.Get(i), m_agents);
    }
}

void
Deployment::Connect()
{
    CommunicationHelper communication;
    communication.SetObservationApps(m_observers);
    communication.SetRewardApps(m_rewarders);
    communication.SetAgentApps(m_agents);
    communication.SetActionApps(m_actors);
    if (m_server)
    {
        communication.SetTrainingServerApps(m_server->InstallApplication());
    }
    communication.SetIds();
    if (m_server)
    {
        communication.AddCommunication(m_server->GetCommunication());
    }
    for (uint32_t device = 0; device < m_parameters.devices; device++)
    {
        const auto& [observation, reward, action] = m_applications[device];
        auto pair = ConnectDevice(device);
        if (observation)
        {
            pair.clientId = observation->GetId();
            communication.AddCommunication({pair});
        }
        if (reward)
        {
            // Rewards are used only for training, and arrive without delay.
            communication.AddCommunication({{reward->GetId(), pair.serverId}});
        }
        if (action)
        {
            pair.clientId = action->GetId();
            communication.AddCommunication({pair});
        }
    }
    communication.Configure();
}

CommunicationPair
Deployment::ConnectDevice(uint32_t device) const
{
    CommunicationPair pair{{}, m_agents.GetId(m_parameters.GetAgentOf(device))};
    if (m_parameters.transport != "simple")
    {
        SocketCommunicationAttributes sockets;
        if (m_parameters.transport == "tcp")
        {
            sockets.protocol = TcpSocketFactory::GetTypeId();
        }
        if (m_network)
        {
            // A central agent may have several addresses; the device uses this one.
            sockets.clientAddress = m_network->GetDeviceAddress(device);
            sockets.serverAddress = m_network->GetAgentAddress(device);
        }
        pair.attributes = sockets;
    }
    else if (m_parameters.placement != "local")
    {
        pair.attributes = CommunicationAttributes{m_parameters.link.delay, m_parameters.link.loss};
    }
    return pair;
}

} // namespace ns3
