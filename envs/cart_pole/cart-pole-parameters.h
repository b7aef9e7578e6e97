// SPDX-License-Identifier: GPL-2.0-only

#ifndef CART_POLE_PARAMETERS_H
#define CART_POLE_PARAMETERS_H

#include "training-server-parameters.h"

#include "ns3/data-rate.h"
#include "ns3/inference-queue-parameters.h"
#include "ns3/nstime.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief Where the parts of the scenario sit, and what lies between them.
 */
struct CartPoleParameters
{
    static constexpr double DEFAULT_DISTANCE = 10; //!< In m

    uint32_t carts{1};                    //!< Number of cart-poles
    std::string placement{"remote"};      //!< Where agents sit: local, remote, central
    std::string transport{"simple"};      //!< What carries messages: simple, udp, tcp
    std::string access{"point-to-point"}; //!< Access link: point-to-point, csma, wifi, lte
    Time delay{};                         //!< One-way delay between cart and agent
    Time actionDelay{};                   //!< Time that an agent takes to decide
    DataRate dataRate{"10Mbps"};          //!< Of the link that the delay belongs to
    double distance{DEFAULT_DISTANCE};    //!< From a cart to what it has radio contact with, in m
    double loss{0};                       //!< Probability that a packet of that link is lost
    std::string initialState;             //!< Of the carts; empty: random
    bool terminateWhenFallen{true};       //!< A cart that falls is out
    bool restartWhenFallen{false};        //!< A cart that falls is put upright again
    InferenceQueueParameters inference;   //!< How much of a processor agents have
    TrainingServerParameters trainingServer; //!< Whether and where policies are trained

    /**
     * @return the number of agents
     */
    uint32_t GetAgents() const;

    /**
     * @param cart Number of a cart.
     * @return the number of the agent that balances it
     */
    uint32_t GetAgentOf(uint32_t cart) const;

    /**
     * @return the names of the agents
     */
    std::vector<std::string> GetAgentNames() const;

    /**
     * @return what is wrong with the values together, and what would be right; or an empty string
     */
    std::string FindContradiction() const;
};

} // namespace ns3

#endif // CART_POLE_PARAMETERS_H
