// SPDX-License-Identifier: GPL-2.0-only

#ifndef TRAINING_SERVER_H
#define TRAINING_SERVER_H

#include "access-network.h"
#include "deployment-parameters.h"

#include "ns3/communication-helper.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/rl-application-container.h"

#include <memory>
#include <vector>

namespace ns3
{

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
                   const NetDeviceContainer& others);

    /**
     * If the network needs time until it carries packets, wait for it; see
     * AccessNetwork::AwaitReady().
     *
     * @param interval Time advances to a multiple of this interval.
     */
    void AwaitReady(Time interval);

    /**
     * Install the application, when the network is ready.
     *
     * @return the application
     */
    RlApplicationContainer InstallApplication() const;

    /**
     * @return a connection with each agent, in the order of agents
     */
    std::vector<CommunicationPair> GetCommunication() const;

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
                     const NodeContainer& agents);

    /**
     * Build a link to each agent.
     *
     * @param agents Nodes of agents.
     */
    void BuildLinks(const NodeContainer& agents);

    const TrainingServerParameters& m_parameters;         //!< Parameters of the server
    NodeContainer m_node;                                 //!< Node of the server
    std::unique_ptr<AccessNetwork> m_access;              //!< Access to the server; null: links
    std::vector<SocketCommunicationAttributes> m_sockets; //!< Socket to the server, of each agent
};

} // namespace ns3

#endif // TRAINING_SERVER_H
