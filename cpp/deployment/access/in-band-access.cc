// SPDX-License-Identifier: GPL-2.0-only

#include "in-band-access.h"

namespace ns3
{

InBandAccess::InBandAccess(const DeploymentParameters& parameters,
                           Ptr<Node> gateway,
                           const NodeContainer& agents)
{
    const auto streams = InstallInternet(agents, FIRST_STREAM);
    BuildBackhaul(parameters, gateway, agents, FIRST_STREAM + streams);
}

} // namespace ns3
