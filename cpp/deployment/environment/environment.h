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
 * @brief The applications of a device; null: the device has no application of that kind.
 */
struct DeviceApplications
{
    Ptr<ObservationApplication> observation; //!< The agent's observation of the device
    Ptr<RewardApplication> reward;           //!< The agent's reward
    Ptr<ActionApplication> action;           //!< Executes the agent's action
};

/**
 * @brief The environment's part of a deployment: its devices, and the applications for them.
 *
 * A subclass implements four functions: CountDevices(), BuildDevices(), MakeApplications() and
 * MakeAgent(); the others have a default. RunEnvironment() calls the functions in the order of
 * their declarations.
 */
class Environment
{
  public:
    /**
     * @param options Name of the environment, and its choices of the deployment.
     */
    explicit Environment(DeploymentOptions options)
        : m_deployment(std::move(options))
    {
    }

    virtual ~Environment() = default;
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;

    /**
     * @return the placement of agents, and the network between them and devices
     */
    const DeploymentParameters& GetDeployment() const
    {
        return m_deployment;
    }

    /**
     * Declare the environment's parameters, then the deployment's.
     *
     * @param simulation The scenario.
     */
    void DeclareAll(RlSimulation& simulation)
    {
        Declare(simulation);
        m_deployment.Declare(simulation);
    }

    /**
     * Check the values of all parameters.
     *
     * @return a contradiction between values, with its remedy; or an empty string
     */
    std::string Check();

    /**
     * @return the number of devices; each has an agent, unless one agent controls all devices
     */
    virtual uint32_t CountDevices() const = 0;

    /**
     * Build the simulated network without RL applications.
     *
     * @return the nodes for applications, one for each device
     */
    virtual NodeContainer BuildDevices() = 0;

    /**
     * Create the nodes of agents that are not on their devices' nodes.
     *
     * @param agents Number of agents.
     * @return a node for each agent; by default a new one
     */
    virtual NodeContainer MakeAgentNodes(uint32_t agents)
    {
        return NodeContainer(agents);
    }

    /**
     * Find the factory of the network between devices and agents.
     *
     * @param access Value of the parameter `access`.
     * @return by default one of the program's factories; for `in-band`, a factory that connects
     * agents with GetGateway(); null: another program has the factory
     */
    virtual AccessFactory FindAccess(const std::string& access);

    /**
     * @return the gateway of remote agents with `access=in-band`
     */
    virtual Ptr<Node> GetGateway() const
    {
        NS_ABORT_MSG("An environment that supports access=in-band must override GetGateway()");
    }

    /// Called when the network carries packets and the episode begins; by default empty.
    virtual void StartDevices()
    {
    }

    /**
     * Create the applications of a device. The caller installs them on its node, and connects them.
     *
     * @param device Number of the device.
     * @return the applications
     */
    virtual DeviceApplications MakeApplications(uint32_t device) = 0;

    /**
     * Create an agent. The caller installs it on its node, connects it, and sets its inference
     * queue and delay from the parameters.
     *
     * @param agent Number of the agent: its device's number, or 0 for the central agent.
     * @return the agent
     */
    virtual Ptr<AgentApplication> MakeAgent(uint32_t agent) = 0;

    /**
     * Called after all applications are built and connected. By default does nothing.
     *
     * @param agents The agents.
     */
    virtual void NotifyDeployed(const RlApplicationContainer& agents)
    {
    }

  protected:
    /**
     * Declare the parameters of the environment; by default none.
     *
     * @param simulation The scenario.
     */
    virtual void Declare(RlSimulation& simulation)
    {
    }

    /**
     * Read the values of the environment's parameters.
     *
     * @return a contradiction between the values, with its remedy; or an empty string
     */
    virtual std::string FindContradiction() const
    {
        return "";
    }

    /**
     * @return whether one agent decides for all devices
     */
    bool IsCentral() const
    {
        return m_deployment.placement == "central";
    }

    /**
     * @param agent Number of an agent.
     * @return its device, or all devices
     */
    AgentDevices GetDevicesOf(uint32_t agent) const
    {
        return {.first = agent, .count = IsCentral() ? CountDevices() : 1, .central = IsCentral()};
    }

    /**
     * Check the parameters of environments that reward only agents and decide at intervals.
     *
     * @param interval Interval between two decisions.
     * @param reward Kind of the reward; `competitive` needs several agents.
     * @return a fault and its remedy; or an empty string
     */
    std::string FindDecisionFault(Time interval, const std::string& reward) const;

    DeploymentParameters m_deployment; //!< Deployment, with defaults of the subclass
};

} // namespace ns3

#endif // ENVIRONMENT_H
