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
 * @brief The training server, and what lies between it and the agents: the access network if agents
 * sit on their devices' nodes, or else a point-to-point link to each agent.
 */
class TrainingServer
{
  public:
    /**
     * Build it, and the network to it.
     *
     * @param parameters Parameters of the deployment.
     * @param access Builds the access network.
     * @param agents Nodes of agents.
     * @param others Network devices of these nodes that are none of the deployment's business.
     */
    TrainingServer(const DeploymentParameters& parameters,
                   const AccessFactory& access,
                   const NodeContainer& agents,
                   const NetDeviceContainer& others);

    /**
     * If the network needs time until it carries packets, let it pass; see
     * AccessNetwork::AwaitReady().
     *
     * @param interval The interval to a multiple of which time advances.
     */
    void AwaitReady(Time interval);

    /**
     * Install the application, when the network is ready.
     *
     * @return it
     */
    RlApplicationContainer InstallApplication() const;

    /**
     * @return a connection with each agent, in their order
     */
    std::vector<CommunicationPair> GetCommunication() const;

  private:
    /**
     * Build the access network, with the server where a central agent would be.
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

    const TrainingServerParameters& m_parameters;         //!< Of the server
    NodeContainer m_node;                                 //!< Of the server
    std::unique_ptr<AccessNetwork> m_access;              //!< To the server; null: links
    std::vector<SocketCommunicationAttributes> m_sockets; //!< To the server, of each agent
};

} // namespace ns3

#endif // TRAINING_SERVER_H
