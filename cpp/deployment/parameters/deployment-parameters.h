// SPDX-License-Identifier: GPL-2.0-only

#ifndef DEPLOYMENT_PARAMETERS_H
#define DEPLOYMENT_PARAMETERS_H

#include "deployment-options.h"
#include "link-parameters.h"
#include "training-server-parameters.h"

#include "ns3/inference-queue-parameters.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

class RlSimulation;

/**
 * @brief The placement of an environment's agents, and the network between them and devices.
 *
 * A device is a node with observations, rewards and actions. Values that are set before Declare()
 * are the defaults.
 */
struct DeploymentParameters
{
    static constexpr double DEFAULT_DISTANCE = 10; //!< Default of `distance`, in m

    /**
     * @param options The choices.
     */
    explicit DeploymentParameters(DeploymentOptions options = {})
        : m_options(std::move(options))
    {
    }

    /**
     * Declare the parameters of all choices.
     *
     * @param simulation The scenario.
     */
    void Declare(RlSimulation& simulation);

    /**
     * @return a contradiction between values, with its remedy; or an empty string
     */
    std::string FindContradiction() const;

    /**
     * @return the choices
     */
    const DeploymentOptions& GetOptions() const
    {
        return m_options;
    }

    /**
     * @return the number of agents
     */
    uint32_t GetAgents() const
    {
        return placement == "central" ? 1 : devices;
    }

    /**
     * @param device Number of a device.
     * @return the number of its agent
     */
    uint32_t GetAgentOf(uint32_t device) const
    {
        return placement == "central" ? 0 : device;
    }

    /**
     * @return the names of the agents
     */
    std::vector<std::string> GetAgentNames() const;

    uint32_t devices{1};                     //!< Number of devices
    std::string placement{"remote"};         //!< Place of agents: local, remote, central
    std::string transport{"simple"};         //!< The transport of messages: simple, udp, tcp
    std::string access{"point-to-point"};    //!< The network between devices and agents
    LinkParameters link;                     //!< Link of the access network
    Time actionDelay{};                      //!< Time that an agent takes to decide
    double distance{DEFAULT_DISTANCE};       //!< Distance from a device to its radio peer, in m
    Time duration{Seconds(10)};              //!< Simulated time of an episode
    InferenceQueueParameters inference;      //!< Processors of agents
    TrainingServerParameters trainingServer; //!< Whether and where policies are trained

  private:
    /**
     * Declare the placement of agents and the transport of messages.
     *
     * @param simulation The scenario.
     */
    void DeclareChoices(RlSimulation& simulation);

    /**
     * Declare the properties of the link, and the positions of devices.
     *
     * @param simulation The scenario.
     */
    void DeclareLink(RlSimulation& simulation);

    /**
     * @return a fault of devices with a radio connection, or an empty string
     */
    std::string FindRadioFault() const;

    /**
     * @return a fault of devices with a cable connection, or an empty string
     */
    std::string FindCableFault() const;

    DeploymentOptions m_options;  //!< The choices
    std::string m_defaultAccess;  //!< Default of `access`
    LinkParameters m_defaultLink; //!< Defaults of the link
};

} // namespace ns3

#endif // DEPLOYMENT_PARAMETERS_H
