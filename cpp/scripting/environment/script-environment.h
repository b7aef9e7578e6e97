// SPDX-License-Identifier: GPL-2.0-only

#ifndef SCRIPT_ENVIRONMENT_H
#define SCRIPT_ENVIRONMENT_H

#include "environment.h"
#include "object-handle.h"
#include "script-hook.h"

#include <nanobind/stl/string.h>

namespace ns3
{

/**
 * @tparam T Class of an application.
 * @param applications The result of a function.
 * @param index Index of the application.
 * @return the application; null: none of that kind
 */
template <typename T>
inline Ptr<T>
GetApplication(nb::handle applications, std::size_t index)
{
    const nb::object one = applications[index];
    return one.is_none() ? nullptr : Unwrap<T>(nb::cast<ObjectHandle&>(one));
}

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
    ScriptEnvironment(DeploymentOptions options, Hooks hooks, Time duration)
        : Environment(std::move(options)),
          m_hooks(std::move(hooks))
    {
        m_deployment.duration = duration;
    }

    uint32_t CountDevices() const override
    {
        const auto count = m_hooks.count();
        return Guarded([&] { return nb::cast<uint32_t>(count); });
    }

    NodeContainer BuildDevices() override
    {
        const auto built = m_hooks.build();
        return Guarded([&] {
            NodeContainer nodes;
            for (const auto node : built)
            {
                nodes.Add(Unwrap<Node>(nb::cast<ObjectHandle&>(node)));
            }
            return nodes;
        });
    }

    void StartDevices() override
    {
        m_hooks.start();
    }

    DeviceApplications MakeApplications(uint32_t device) override
    {
        const auto made = m_hooks.applications(device);
        return Guarded([&] {
            return DeviceApplications{.observation =
                                          GetApplication<ObservationApplication>(made, 0),
                                      .reward = GetApplication<RewardApplication>(made, 1),
                                      .action = GetApplication<ActionApplication>(made, 2)};
        });
    }

    Ptr<AgentApplication> MakeAgent(uint32_t agent) override
    {
        const auto made = m_hooks.agent(agent);
        return Guarded([&] { return Unwrap<AgentApplication>(nb::cast<ObjectHandle&>(made)); });
    }

  protected:
    std::string FindContradiction() const override
    {
        const auto fault = m_hooks.check();
        return Guarded([&] { return nb::cast<std::string>(fault); });
    }

  private:
    Hooks m_hooks; //!< Functions of the scenario
};

} // namespace ns3

#endif // SCRIPT_ENVIRONMENT_H
