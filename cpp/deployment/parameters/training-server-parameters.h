// SPDX-License-Identifier: GPL-2.0-only

#ifndef TRAINING_SERVER_PARAMETERS_H
#define TRAINING_SERVER_PARAMETERS_H

#include "link-parameters.h"

#include <string>

namespace ns3
{

class RlSimulation;

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
    void Declare(RlSimulation& simulation);

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
    std::string FindContradiction(const std::string& placement) const;

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
