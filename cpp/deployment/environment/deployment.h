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
 * @brief An environment with its RL applications, deployed as its parameters say: nodes with
 * devices, nodes with agents, the network between them, and the training server.
 */
class Deployment
{
  public:
    /**
     * Build it. Simulated time passes until the network carries packets; devices start then.
     *
     * @param environment The deployment. It lives longer than this.
     */
    explicit Deployment(Environment& environment);

  private:
    /**
     * Build the network, and wait for it.
     *
     * @param others Network devices of agents' nodes that are there already.
     */
    void BuildNetwork(const NetDeviceContainer& others);

    /// Install observation, reward, action and agent applications.
    void InstallApplications();

    /// Make the agents, and install them.
    void InstallAgents();

    /// Connect the applications.
    void Connect();

    /**
     * @param device Number of a device.
     * @return how it and its agent communicate, but for rewards
     */
    CommunicationPair ConnectDevice(uint32_t device) const;

    Environment& m_environment;                     //!< The deployment
    const DeploymentParameters& m_parameters;       //!< How
    NodeContainer m_deviceNodes;                    //!< With a device each
    NodeContainer m_agentNodes;                     //!< With an agent each
    std::unique_ptr<AccessNetwork> m_network;       //!< Between the nodes; null: none
    std::unique_ptr<TrainingServer> m_server;       //!< Trains; null: there is none
    std::vector<DeviceApplications> m_applications; //!< Of each device
    RlApplicationContainer m_observers;             //!< Applications of devices that have one
    RlApplicationContainer m_rewarders;             //!< Applications of devices that have one
    RlApplicationContainer m_actors;                //!< Applications of devices that have one
    RlApplicationContainer m_agents;                //!< One on each agent node
};

} // namespace ns3

#endif // DEPLOYMENT_H
