// SPDX-License-Identifier: GPL-2.0-only

#ifndef DEPLOYMENT_HELP_H
#define DEPLOYMENT_HELP_H

#include "deployment-options.h"

#include <string>

namespace ns3
{

/**
 * @brief The meanings of the parameters of a deployment, in the words of an environment and for
 * its choices.
 */
struct DeploymentHelp
{
    /**
     * @param options The choices of the environment.
     */
    explicit DeploymentHelp(const DeploymentOptions& options);

    std::string placement; //!< Of `placement`
    std::string transport; //!< Of `transport`
    std::string access;    //!< Of `access`
    std::string delay;     //!< Of `delay`
    std::string dataRate;  //!< Of `data_rate`
    std::string loss;      //!< Of `loss`
    std::string distance;  //!< Of `distance`
    std::string duration;  //!< Of `duration`
};

} // namespace ns3

#endif // DEPLOYMENT_HELP_H
