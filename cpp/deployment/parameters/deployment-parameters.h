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

struct DeploymentHelp;
class RlSimulation;

/**
 * @brief Where the agents of an environment sit, and what lies between them and its devices.
 *
 * A device is a node where something is observed, rewarded and acted upon. Values that are set
 * before Declare() are the defaults.
 */
struct DeploymentParameters
{
    static constexpr double DEFAULT_DISTANCE = 10; //!< In m

    /**
     * @param options The choices.
     */
    explicit DeploymentParameters(DeploymentOptions options = {});

    /**
     * Declare what may be chosen.
     *
     * @param simulation Where.
     */
    void Declare(RlSimulation& simulation);

    /**
     * @return what is wrong with the values together, and what would be right; or an empty string
     */
    std::string FindContradiction() const;

    /**
     * @return what may be chosen
     */
    const DeploymentOptions& GetOptions() const;

    /**
     * @return the number of agents
     */
    uint32_t GetAgents() const;

    /**
     * @param device Number of a device.
     * @return the number of the agent that decides for it
     */
    uint32_t GetAgentOf(uint32_t device) const;

    /**
     * @return the names of the agents
     */
    std::vector<std::string> GetAgentNames() const;

    uint32_t devices{1};                     //!< Number of devices
    std::string placement{"remote"};         //!< Where agents sit: local, remote, central
    std::string transport{"simple"};         //!< The transport of messages: simple, udp, tcp
    std::string access{"point-to-point"};    //!< The network between devices and agents
    LinkParameters link;                     //!< The link that access networks say
    Time actionDelay{};                      //!< Time that an agent takes to decide
    double distance{DEFAULT_DISTANCE};       //!< From a device to what it has radio contact with
    Time duration{Seconds(10)};              //!< Simulated time of an episode
    InferenceQueueParameters inference;      //!< How much of a processor agents have
    TrainingServerParameters trainingServer; //!< Whether and where policies are trained

  private:
    /**
     * Declare who sits where, and what carries messages.
     *
     * @param simulation Where.
     * @param help The meanings of parameters.
     */
    void DeclareChoices(RlSimulation& simulation, const DeploymentHelp& help);

    /**
     * Declare what the link is like, and where devices are.
     *
     * @param simulation Where.
     * @param help The meanings of parameters.
     */
    void DeclareLink(RlSimulation& simulation, const DeploymentHelp& help);

    /**
     * @return what is wrong with devices that connect without a cable, or an empty string
     */
    std::string FindRadioFault() const;

    /**
     * @return what is wrong with devices that connect with a cable, or an empty string
     */
    std::string FindCableFault() const;

    DeploymentOptions m_options;  //!< The choices
    std::string m_defaultAccess;  //!< Where nobody says otherwise
    LinkParameters m_defaultLink; //!< Where nobody says otherwise
};

} // namespace ns3

#endif // DEPLOYMENT_PARAMETERS_H
