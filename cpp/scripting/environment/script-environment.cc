// SPDX-License-Identifier: GPL-2.0-only

#include "script-environment.h"

#include "object-handle.h"

#include <nanobind/stl/string.h>

namespace ns3
{

namespace
{

/**
 * @tparam T Class of an application.
 * @param applications The result of a function.
 * @param index Index of the application.
 * @return the application; null: none of that kind
 */
template <typename T>
Ptr<T>
GetApplication(nb::handle applications, std::size_t index)
{
    const nb::object one = applications[index];
    return one.is_none() ? nullptr : Unwrap<T>(nb::cast<ObjectHandle&>(one));
}

} // namespace

ScriptEnvironment::ScriptEnvironment(DeploymentOptions options, Hooks hooks, Time duration)
    : Environment(std::move(options)),
      m_hooks(std::move(hooks))
{
    m_deployment.duration = duration;
}

std::string
ScriptEnvironment::FindContradiction() const
{
    const auto fault = m_hooks.check();
    return Guarded([&] { return nb::cast<std::string>(fault); });
}

uint32_t
ScriptEnvironment::CountDevices() const
{
    const auto count = m_hooks.count();
    return Guarded([&] { return nb::cast<uint32_t>(count); });
}

NodeContainer
ScriptEnvironment::BuildDevices()
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

void
ScriptEnvironment::StartDevices()
{
    m_hooks.start();
}

DeviceApplications
ScriptEnvironment::MakeApplications(uint32_t device)
{
    const auto made = m_hooks.applications(device);
    return Guarded([&] {
        return DeviceApplications{.observation = GetApplication<ObservationApplication>(made, 0),
                                  .reward = GetApplication<RewardApplication>(made, 1),
                                  .action = GetApplication<ActionApplication>(made, 2)};
    });
}

Ptr<AgentApplication>
ScriptEnvironment::MakeAgent(uint32_t agent)
{
    const auto made = m_hooks.agent(agent);
    return Guarded([&] { return Unwrap<AgentApplication>(nb::cast<ObjectHandle&>(made)); });
}

} // namespace ns3
