// SPDX-License-Identifier: GPL-2.0-only

#include "script-protocol.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <utility>

namespace ns3
{

ScriptProtocol::ScriptProtocol(ScriptFacts facts, ProtocolHooks hooks, ReplicaHooks replicas)
    : m_facts(std::move(facts)),
      m_hooks(std::move(hooks)),
      m_replica(std::make_shared<const ReplicaHooks>(std::move(replicas)))
{
}

std::string
ScriptProtocol::GetName() const
{
    return m_facts.name;
}

std::string
ScriptProtocol::GetDefaultPainter() const
{
    return m_facts.painter;
}

ReplicaTraffic
ScriptProtocol::GetTraffic() const
{
    return m_facts.traffic;
}

std::vector<std::string>
ScriptProtocol::GetBugs() const
{
    return m_facts.bugs;
}

bool
ScriptProtocol::AnswersClients() const
{
    return m_facts.answers;
}

bool
ScriptProtocol::ToleratesByzantine() const
{
    return m_facts.byzantine;
}

Ptr<ReplicaApplication>
ScriptProtocol::MakeReplica(Time /* tick */) const
{
    return CreateObject<ScriptReplica>(m_replica);
}

const std::vector<ReplicaField>&
ScriptProtocol::GetFields() const
{
    return m_replica->fields;
}

std::vector<uint32_t>
ScriptProtocol::FindTakers(const std::vector<ReplicaState>& states) const
{
    const auto found = m_hooks.takers(GetView(states));
    return Guarded([&] { return nb::cast<std::vector<uint32_t>>(found); });
}

int64_t
ScriptProtocol::GetProgress(const ReplicaGroup& group) const
{
    if (!m_hooks.progress)
    {
        return 0;
    }
    const auto progress = m_hooks.progress(GetView(group));
    return Guarded([&] { return nb::cast<int64_t>(progress); });
}

bool
ScriptProtocol::IsDone(const ReplicaGroup& group) const
{
    if (!m_hooks.done)
    {
        return true;
    }
    const auto done = m_hooks.done(GetView(group));
    return Guarded([&] { return nb::cast<bool>(done); });
}

uint32_t
ScriptProtocol::GetHealingTicks(const ReplicaGroup& group, Time tick) const
{
    if (!m_hooks.patience)
    {
        return ReplicaProtocol::GetHealingTicks(group, tick);
    }
    const auto ticks = m_hooks.patience(GetView(group));
    return Guarded([&] { return nb::cast<uint32_t>(ticks); });
}

uint32_t
ScriptProtocol::GetStableTicks(const ReplicaGroup& group, Time tick) const
{
    return m_facts.rotates ? 0 : ReplicaProtocol::GetStableTicks(group, tick);
}

std::vector<std::string>
ScriptProtocol::CheckHealed(const ReplicaGroup& group)
{
    const auto found = m_hooks.healed(GetView(group));
    return Guarded([&] { return nb::cast<std::vector<std::string>>(found); });
}

std::vector<std::string>
ScriptProtocol::Check(const ReplicaGroup& group)
{
    const auto found = m_hooks.check(GetView(group));
    return Guarded([&] { return nb::cast<std::vector<std::string>>(found); });
}

nb::object
ScriptProtocol::GetView(const std::vector<ReplicaState>& states) const
{
    m_views.resize(states.size());
    nb::list views;
    for (std::size_t i = 0; i < states.size(); i++)
    {
        if (!m_views[i].pythonView.is_valid() || m_views[i].state != states[i])
        {
            Renew(i, states[i]);
        }
        views.append(m_views[i].pythonView);
    }
    return nb::tuple(views);
}

nb::object
ScriptProtocol::GetView(const ReplicaGroup& group) const
{
    nb::list events;
    for (const auto& event : group.events)
    {
        events.append(nb::make_tuple(event.replica, event.kind, event.height, event.value));
    }
    return m_hooks.group(GetView(group.states), events, group.requests);
}

void
ScriptProtocol::Renew(std::size_t index, const ReplicaState& state) const
{
    auto& view = m_views[index];
    const auto kept = view.log.is_valid() ? CountCommon(view.state.log, state.log) : 0;
    nb::list log;
    for (std::size_t i = 0; i < state.log.size(); i++)
    {
        const auto& [term, request] = state.log[i];
        log.append(i < kept ? nb::object(view.log[i]) : m_hooks.entry(term, request));
    }
    view.log = nb::tuple(log);
    view.state = state;
    nb::list parts;
    parts.append(index + 1);
    parts.append(state.active);
    parts.append(state.byzantine);
    parts.append(view.log);
    for (const auto value : state.values)
    {
        parts.append(value);
    }
    view.pythonView = m_hooks.view(parts);
}

} // namespace ns3
