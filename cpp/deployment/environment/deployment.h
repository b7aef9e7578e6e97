// SPDX-License-Identifier: GPL-2.0-only

#ifndef DEPLOYMENT_H
#define DEPLOYMENT_H

#include "access-network.h"
#include "environment.h"
#include "training-server.h"

#include "ns3/communication-helper.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/rl-application-container.h"

#include <memory>
#include <vector>

namespace ns3
{

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
    explicit Deployment(Environment& environment);

  private:
    /**
     * Build the network, and wait for it.
     *
     * @param others Existing network devices of agents' nodes.
     */
    void BuildNetwork(const NetDeviceContainer& others);

    /// Install observation, reward, action and agent applications.
    void InstallApplications();

    /// Create the agents, and install them.
    void InstallAgents();

    /// Connect the applications.
    void Connect();

    /**
     * @param device Number of a device.
     * @return the channel between the device and its agent, except for rewards
     */
    CommunicationPair ConnectDevice(uint32_t device) const;

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
