// SPDX-License-Identifier: GPL-2.0-only

#ifndef ENVIRONMENT_H
#define ENVIRONMENT_H

#include "access-network.h"
#include "deployment-parameters.h"
#include "device-agent-application.h"

#include "ns3/action-application.h"
#include "ns3/node-container.h"
#include "ns3/observation-application.h"
#include "ns3/reward-application.h"
#include "ns3/rl-application-container.h"
#include "ns3/rl-simulation.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @brief The applications of a device; null: it has none of that kind.
 */
struct DeviceApplications
{
    Ptr<ObservationApplication> observation; //!< The agent's observation of it
    Ptr<RewardApplication> reward;           //!< The agent's reward
    Ptr<ActionApplication> action;           //!< The agent's action there
};

/**
 * @brief The environment's part of a deployment: its devices, and the applications for them.
 *
 * A subclass writes four functions: CountDevices(), BuildDevices(), MakeApplications() and
 * MakeAgent(); the others have a default. RunEnvironment() calls them in the order in which they
 * stand here.
 */
class Environment
{
  public:
    /**
     * @param options Its name, and its choices of the deployment.
     */
    explicit Environment(DeploymentOptions options);
    virtual ~Environment() = default;
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;

    /**
     * @return where agents sit, and what lies between them and devices
     */
    const DeploymentParameters& GetDeployment() const;

    /**
     * Declare all parameters: those of the environment, then those of the deployment.
     *
     * @param simulation Where.
     */
    void DeclareAll(RlSimulation& simulation);

    /**
     * Look at the values of all parameters.
     *
     * @return what is wrong with the values together, and what would be right; or an empty string
     */
    std::string Check();

    /**
     * @return the number of devices; for each there is an agent, unless there is one for all
     */
    virtual uint32_t CountDevices() const = 0;

    /**
     * Build what is simulated, up to and without RL.
     *
     * @return the nodes that applications are installed on, one for each device
     */
    virtual NodeContainer BuildDevices() = 0;

    /**
     * Make the nodes of agents that do not sit on their devices' nodes.
     *
     * @param agents Number of agents.
     * @return a node for each agent; by default a new one
     */
    virtual NodeContainer MakeAgentNodes(uint32_t agents);

    /**
     * Find what builds the network between devices and agents.
     *
     * @param access As the parameter has it.
     * @return by default one of those that the program is linked with, or for `in-band` what
     * connects agents with GetGateway(); null: another program has it
     */
    virtual AccessFactory FindAccess(const std::string& access);

    /**
     * @return the node that remote agents are connected to with `access=in-band`
     */
    virtual Ptr<Node> GetGateway() const;

    /// The network carries packets, and the episode begins. By default nothing happens.
    virtual void StartDevices();

    /**
     * Make the applications of a device. They are installed on its node, and connected.
     *
     * @param device Number of the device.
     * @return the applications
     */
    virtual DeviceApplications MakeApplications(uint32_t device) = 0;

    /**
     * Make an agent. It is installed on its node, connected, and given what it needs to decide as
     * the parameters have it.
     *
     * @param agent Number of the agent: that of its device, or 0 for the one of all devices.
     * @return the agent
     */
    virtual Ptr<AgentApplication> MakeAgent(uint32_t agent) = 0;

    /**
     * All is built and connected. By default nothing happens.
     *
     * @param agents The agents.
     */
    virtual void NotifyDeployed(const RlApplicationContainer& agents);

  protected:
    /**
     * Declare its own parameters; by default there are none.
     *
     * @param simulation Where.
     */
    virtual void Declare(RlSimulation& simulation);

    /**
     * Read the values of the environment's parameters.
     *
     * @return what is wrong with them together, and what would be right; or an empty string
     */
    virtual std::string FindContradiction() const;

    /**
     * @return whether one agent decides for all devices
     */
    bool IsCentral() const;

    /**
     * @param agent Number of an agent.
     * @return the devices that it decides for: its own, or all
     */
    AgentDevices GetDevicesOf(uint32_t agent) const;

    /**
     * Look at what each environment has that rewards agents alone and decides in intervals.
     *
     * @param interval Between two decisions.
     * @param reward Its kind; `competitive` is not for a single agent.
     * @return what is wrong, and what would be right; or an empty string
     */
    std::string FindDecisionFault(Time interval, const std::string& reward) const;

    DeploymentParameters m_deployment; //!< A subclass may set defaults when it is created
};

} // namespace ns3

#endif // ENVIRONMENT_H
