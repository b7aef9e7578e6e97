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
    Time interval{}; //!< Between two samples, at a multiple of which devices start; zero: at once
    std::vector<std::string> placements{"local", "remote", "central"}; //!< Where agents may sit
    std::vector<std::string> transports{"simple", "udp", "tcp"};       //!< Transports of messages
    /// Access networks that there may be: point-to-point, csma, wifi, lte, in-band, or another one
    /// for which the environment has a factory
    std::vector<std::string> accesses{"point-to-point", "csma", "wifi", "lte"};
    bool inference{true};      //!< Agents may have a processor
    bool trainingServer{true}; //!< There may be a training server
    std::string delayHelp{};   //!< The meaning of `delay`; empty: as the access networks have it
    std::string
        dataRateHelp{};     //!< The meaning of `data_rate`; empty: as the access networks have it
    std::string lossHelp{}; //!< The meaning of `loss`; empty: as the access networks have it
};

} // namespace ns3

#endif // DEPLOYMENT_OPTIONS_H
