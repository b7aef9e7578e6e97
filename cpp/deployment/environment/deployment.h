// SPDX-License-Identifier: GPL-2.0-only

#ifndef DEPLOYMENT_H
#define DEPLOYMENT_H

#include "access-network.h"
#include "environment.h"
#include "training-server.h"

#include "ns3/abort.h"
#include "ns3/communication-helper.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/pointer.h"
#include "ns3/rl-application-container.h"

#include <memory>
#include <vector>

namespace ns3
{

/**
 * @param nodes Nodes.
 * @return the network devices of the nodes
 */
inline NetDeviceContainer
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
inline void
Install(Ptr<RlApplication> application, Ptr<Node> node, RlApplicationContainer& installed)
{
    if (application)
    {
        node->AddApplication(application);
        installed.Add(application);
    }
}

/**
 * @brief An environment with its RL applications, deployed by its parameters: nodes with
 * devices, nodes with agents, the network between them, and the training server.
 */
class Deployment
{
  public:
    /**
     * Build the deployment. Devices start when the network carries packets.
     *
     * @param environment The environment, which must live longer than this object.
     */
    explicit Deployment(Environment& environment)
        : m_environment(environment),
          m_parameters(environment.GetDeployment()),
          m_deviceNodes(environment.BuildDevices())
    {
        NS_ABORT_MSG_UNLESS(m_deviceNodes.GetN() == m_parameters.devices,
                            "BuildDevices() has built "
                                << m_deviceNodes.GetN() << " devices, where "
                                << "CountDevices() says " << m_parameters.devices);
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

  private:
    /**
     * Build the network, and wait for it.
     *
     * @param others Existing network devices of agents' nodes.
     */
    void BuildNetwork(const NetDeviceContainer& others)
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

    /// Install observation, reward, action and agent applications.
    void InstallApplications()
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

    /// Create the agents, and install them.
    void InstallAgents()
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

    /// Connect the applications.
    void Connect()
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

    /**
     * @param device Number of a device.
     * @return the channel between the device and its agent, except for rewards
     */
    CommunicationPair ConnectDevice(uint32_t device) const
    {
        const auto link = m_parameters.placement == "local" ? LinkParameters() : m_parameters.link;
        return {{},
                m_agents.GetId(m_parameters.GetAgentOf(device)),
                link.MakeAttributes(m_parameters.transport,
                                    m_network ? m_network->GetDeviceAddress(device) : Address(),
                                    m_network ? Address(m_network->GetAgentAddress(device))
                                              : Address())};
    }

    Environment& m_environment;                     //!< The deployment
    const DeploymentParameters& m_parameters;       //!< Placement, transport and access
    NodeContainer m_deviceNodes;                    //!< Nodes with a device each
    NodeContainer m_agentNodes;                     //!< Nodes with an agent each
    std::unique_ptr<AccessNetwork> m_network;       //!< Network between the nodes; null: none
    std::unique_ptr<TrainingServer> m_server;       //!< Training server; null: none
    std::vector<DeviceApplications> m_applications; //!< Applications of each device
    RlApplicationContainer m_observers;             //!< Observation applications of the devices
    RlApplicationContainer m_rewarders;             //!< Reward applications of the devices
    RlApplicationContainer m_actors;                //!< Action applications of the devices
    RlApplicationContainer m_agents;                //!< Agent on each agent node
};

} // namespace ns3

#endif // DEPLOYMENT_H
