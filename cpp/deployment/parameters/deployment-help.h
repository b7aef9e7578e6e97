// SPDX-License-Identifier: GPL-2.0-only

#ifndef DEPLOYMENT_HELP_H
#define DEPLOYMENT_HELP_H

#include "deployment-options.h"

#include <string>

namespace ns3
{

/**
 * @brief Help texts of a deployment's parameters, in the terms of an environment and its choices.
 */
struct DeploymentHelp
{
    /**
     * @param options The choices of the environment.
     */
    explicit DeploymentHelp(const DeploymentOptions& options);

    std::string placement; //!< Help of `placement`
    std::string transport; //!< Help of `transport`
    std::string access;    //!< Help of `access`
    std::string delay;     //!< Help of `delay`
    std::string dataRate;  //!< Help of `data_rate`
    std::string loss;      //!< Help of `loss`
    std::string distance;  //!< Help of `distance`
    std::string duration;  //!< Help of `duration`
};

} // namespace ns3

#endif // DEPLOYMENT_HELP_H
