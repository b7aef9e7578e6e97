// SPDX-License-Identifier: GPL-2.0-only

#ifndef TRAINING_SERVER_PARAMETERS_H
#define TRAINING_SERVER_PARAMETERS_H

#include "link-parameters.h"

#include <string>

namespace ns3
{

class RlSimulation;

/**
 * @brief Whether there is a training server, and what lies between it and the agents.
 */
struct TrainingServerParameters
{
    std::string kind{"none"};     //!< Which training server there is: none, central
    std::string transport{"tcp"}; //!< The transport of transfers: udp, tcp
    LinkParameters link;          //!< To each agent

    /**
     * Declare them.
     *
     * @param simulation Where.
     */
    void Declare(RlSimulation& simulation);

    /**
     * @return whether there is a training server
     */
    bool Exists() const;

    /**
     * @param placement Where agents sit.
     * @return what is wrong with the values together, and what would be right; or an empty string
     */
    std::string FindContradiction(const std::string& placement) const;

  private:
    /**
     * @return whether the link is another one than by default
     */
    bool HasOwnLink() const;
};

} // namespace ns3

#endif // TRAINING_SERVER_PARAMETERS_H
