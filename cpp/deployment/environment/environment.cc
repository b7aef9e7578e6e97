// SPDX-License-Identifier: GPL-2.0-only

#include "environment.h"

#include "gateway-access.h"

#include <memory>
#include <sstream>

namespace ns3
{

namespace
{

/**
 * @brief The network that the environment simulates, with a node of it as gateway to the agents.
 *
 * Devices reach that node by the environment's own routes.
 */
class InBandAccess : public GatewayAccess
{
  public:
    /**
     * @param parameters Parameters of the deployment.
     * @param gateway Node of the simulated network that agents are connected to.
     * @param agents Nodes of agents.
     */
    InBandAccess(const DeploymentParameters& parameters,
                 Ptr<Node> gateway,
                 const NodeContainer& agents)
    {
        const auto streams = InstallInternet(agents, FIRST_STREAM);
        BuildBackhaul(parameters, gateway, agents, FIRST_STREAM + streams);
    }
};

} // namespace

std::string
Environment::Check()
{
    const auto own = FindContradiction();
    if (!own.empty())
    {
        return own;
    }
    m_deployment.devices = CountDevices();
    return m_deployment.FindContradiction();
}

AccessFactory
Environment::FindAccess(const std::string& access)
{
    if (access == "in-band")
    {
        return [this](const DeploymentParameters& parameters,
                      const NodeContainer&,
                      const NodeContainer& agents) {
            return std::make_unique<InBandAccess>(parameters, GetGateway(), agents);
        };
    }
    const auto& linked = AccessRegistration::GetAll();
    const auto found = linked.find(access);
    return found == linked.end() ? AccessFactory() : found->second;
}

std::string
Environment::FindDecisionFault(Time interval, const std::string& reward) const
{
    std::ostringstream fault;
    if (m_deployment.duration < interval)
    {
        fault << "duration=" << m_deployment.duration.As(Time::MS)
              << " is shorter than interval=" << interval.As(Time::MS);
    }
    else if (IsCentral() && reward == "competitive")
    {
        fault << "reward=competitive needs an agent for each " << m_deployment.GetOptions().device
              << ": placement=local or placement=remote";
    }
    return fault.str();
}

} // namespace ns3
