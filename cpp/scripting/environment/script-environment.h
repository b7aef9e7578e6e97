// SPDX-License-Identifier: GPL-2.0-only

#ifndef SCRIPT_ENVIRONMENT_H
#define SCRIPT_ENVIRONMENT_H

#include "environment.h"
#include "script-hook.h"

namespace ns3
{

/**
 * @brief An environment with devices in Python, on the shared deployment.
 */
class ScriptEnvironment : public Environment
{
  public:
    /// Functions of the scenario.
    struct Hooks
    {
        ScriptHook check;        //!< Returns the fault of all parameters, or ""
        ScriptHook count;        //!< Returns the number of devices
        ScriptHook build;        //!< Builds devices and returns their nodes
        ScriptHook start;        //!< The network carries packets
        ScriptHook applications; //!< Takes a device, returns its three applications or None
        ScriptHook agent;        //!< Takes the number of an agent, returns the agent
    };

    /**
     * @param options The choices of the deployment.
     * @param hooks Functions of the scenario.
     * @param duration Default of the simulated time of an episode.
     */
    ScriptEnvironment(DeploymentOptions options, Hooks hooks, Time duration);

    uint32_t CountDevices() const override;
    NodeContainer BuildDevices() override;
    void StartDevices() override;
    DeviceApplications MakeApplications(uint32_t device) override;
    Ptr<AgentApplication> MakeAgent(uint32_t agent) override;

  protected:
    std::string FindContradiction() const override;

  private:
    Hooks m_hooks; //!< Functions of the scenario
};

} // namespace ns3

#endif /* SCRIPT_ENVIRONMENT_H */
