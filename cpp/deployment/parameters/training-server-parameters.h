// SPDX-License-Identifier: GPL-2.0-only

#ifndef TRAINING_SERVER_PARAMETERS_H
#define TRAINING_SERVER_PARAMETERS_H

#include "link-parameters.h"

#include "ns3/rl-simulation.h"

#include <string>

namespace ns3
{

/**
 * @brief The training server, if there is one, and the link to agents.
 */
struct TrainingServerParameters
{
    std::string kind{"none"};     //!< Kind of training server: none, central
    std::string transport{"tcp"}; //!< The transport of transfers: udp, tcp
    LinkParameters link;          //!< Link to each agent

    /**
     * Declare the parameters.
     *
     * @param simulation The scenario.
     */
    void Declare(RlSimulation& simulation)
    {
        simulation.AddChoice(
            "training_server",
            "Training server: none, or one server that is connected with every agent.",
            kind,
            {"none", "central"});
        simulation.AddChoice("server_transport",
                             "Transport of transfers between training server and agents.",
                             transport,
                             {"udp", "tcp"});
        link.Declare(simulation, "server_", "the link between training server and each agent");
    }

    /**
     * @return whether there is a training server
     */
    bool Exists() const
    {
        return kind != "none";
    }

    /**
     * @param placement Placement of agents.
     * @return a contradiction between values, with its remedy; or an empty string
     */
    std::string FindContradiction(const std::string& placement) const
    {
        if (!Exists() && (HasOwnLink() || transport != TrainingServerParameters().transport))
        {
            return "training_server=none does not use server_transport, server_data_rate, "
                   "server_delay and server_loss; training_server=central does";
        }
        if (placement == "local" && HasOwnLink())
        {
            return "placement=local connects agents and training server by the access network, so "
                   "data_rate, delay and loss apply, not server_data_rate, server_delay, "
                   "server_loss";
        }
        return "";
    }

  private:
    /**
     * @return whether the link differs from the default
     */
    bool HasOwnLink() const
    {
        return link != TrainingServerParameters().link;
    }
};

} // namespace ns3

#endif // TRAINING_SERVER_PARAMETERS_H
