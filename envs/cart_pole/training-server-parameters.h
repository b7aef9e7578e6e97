// SPDX-License-Identifier: GPL-2.0-only

#ifndef CART_POLE_TRAINING_SERVER_PARAMETERS_H
#define CART_POLE_TRAINING_SERVER_PARAMETERS_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

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
    std::string transport{"tcp"}; //!< What carries transfers: udp, tcp
    DataRate dataRate{"10Mbps"};  //!< Of the link to each agent
    Time delay{};                 //!< One-way delay of that link
    double loss{0};               //!< Probability that a packet of that link is lost

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

#endif // CART_POLE_TRAINING_SERVER_PARAMETERS_H
