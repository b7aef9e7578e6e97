// SPDX-License-Identifier: GPL-2.0-only

#ifndef DEPLOYMENT_OPTIONS_H
#define DEPLOYMENT_OPTIONS_H

#include "ns3/nstime.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief The name of an environment, and its choices of the deployment.
 *
 * A choice becomes a parameter of the scenario; a single alternative has no parameter.
 */
struct DeploymentOptions
{
    std::string scenario{"scenario"}; //!< Name of the scenario
    std::string device{"device"};     //!< The name of a device, in the singular
    Time interval{}; //!< Interval of samples; devices start at a multiple of it; zero: at once
    std::vector<std::string> placements{"local", "remote", "central"}; //!< Places of agents
    std::vector<std::string> transports{"simple", "udp", "tcp"};       //!< Transports of messages
    /// Access networks to choose from: point-to-point, csma, wifi, lte, in-band, or another one
    /// with a factory in the environment
    std::vector<std::string> accesses{"point-to-point", "csma", "wifi", "lte"};
    bool inference{true};      //!< Agents may have a processor
    bool trainingServer{true}; //!< Whether a training server is allowed
};

} // namespace ns3

#endif // DEPLOYMENT_OPTIONS_H
