// SPDX-License-Identifier: GPL-2.0-only

#ifndef SCRIPT_PROTOCOL_H
#define SCRIPT_PROTOCOL_H

#include "script-replica.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief The facts of a protocol in Python for testers, known before an episode.
 */
struct ScriptFacts
{
    std::string name;              //!< Name of the protocol
    std::string painter;           //!< The default painter
    std::vector<std::string> bugs; //!< Names of the seeded bugs
    ReplicaTraffic traffic;        //!< Largest number of messages between replicas in a tick
    bool answers{false};           //!< Replicas report their answers to clients
    bool byzantine{false};         //!< Guarantees hold with Byzantine replicas
    bool rotates{false};           //!< Takers of requests change without faults
};

/**
 * @brief Functions of a protocol in Python.
 */
struct ProtocolHooks
{
    ScriptHook entry;    //!< Takes term and request, returns a log entry
    ScriptHook view;     //!< Takes number, active, byzantine, log and values, returns a state
    ScriptHook group;    //!< Takes states, events and the number of requests, returns a group
    ScriptHook takers;   //!< Takes states, returns the takers of requests
    ScriptHook check;    //!< Takes a group, returns lines about new violations
    ScriptHook healed;   //!< Takes a group at the end of healing, returns lines as above
    ScriptHook patience; //!< Takes a group, returns ticks for progress; none: undefined
    ScriptHook progress; //!< Takes a group, returns a number; none: undefined
    ScriptHook done;     //!< Takes a group, returns whether all is done; none: undefined
};

/**
 * @brief A protocol written in Python.
 */
class ScriptProtocol : public ReplicaProtocol
{
  public:
    /**
     * @param facts Facts of the protocol for testers.
     * @param hooks Functions of the protocol.
     * @param replicas Functions of its replicas.
     */
    ScriptProtocol(ScriptFacts facts, ProtocolHooks hooks, ReplicaHooks replicas)
        : m_facts(std::move(facts)),
          m_hooks(std::move(hooks)),
          m_replica(std::make_shared<const ReplicaHooks>(std::move(replicas)))
    {
    }

    std::string GetName() const override
    {
        return m_facts.name;
    }

    std::string GetDefaultPainter() const override
    {
        return m_facts.painter;
    }

    ReplicaTraffic GetTraffic() const override
    {
        return m_facts.traffic;
    }

    std::vector<std::string> GetBugs() const override
    {
        return m_facts.bugs;
    }

    bool AnswersClients() const override
    {
        return m_facts.answers;
    }

    bool ReadsClock() const override
    {
        return true;
    }

    bool ToleratesByzantine() const override
    {
        return m_facts.byzantine;
    }

    Ptr<ReplicaApplication> MakeReplica(Time /* tick */) const override
    {
        return CreateObject<ScriptReplica>(m_replica);
    }

    const std::vector<ReplicaField>& GetFields() const override
    {
        return m_replica->fields;
    }

    std::vector<uint32_t> FindTakers(const std::vector<ReplicaState>& states) const override
    {
        const auto found = m_hooks.takers(GetView(states));
        return Guarded([&] { return nb::cast<std::vector<uint32_t>>(found); });
    }

    int64_t GetProgress(const ReplicaGroup& group) const override
    {
        if (!m_hooks.progress)
        {
            return 0;
        }
        const auto progress = m_hooks.progress(GetView(group));
        return Guarded([&] { return nb::cast<int64_t>(progress); });
    }

    bool IsDone(const ReplicaGroup& group) const override
    {
        if (!m_hooks.done)
        {
            return true;
        }
        const auto done = m_hooks.done(GetView(group));
        return Guarded([&] { return nb::cast<bool>(done); });
    }

    uint32_t GetHealingTicks(const ReplicaGroup& group, Time tick) const override
    {
        if (!m_hooks.patience)
        {
            return ReplicaProtocol::GetHealingTicks(group, tick);
        }
        const auto ticks = m_hooks.patience(GetView(group));
        return Guarded([&] { return nb::cast<uint32_t>(ticks); });
    }

    uint32_t GetStableTicks(const ReplicaGroup& group, Time tick) const override
    {
        return m_facts.rotates ? 0 : ReplicaProtocol::GetStableTicks(group, tick);
    }

    std::vector<std::string> CheckHealed(const ReplicaGroup& group) override
    {
        const auto found = m_hooks.healed(GetView(group));
        return Guarded([&] { return nb::cast<std::vector<std::string>>(found); });
    }

    std::vector<std::string> Check(const ReplicaGroup& group) override
    {
        const auto found = m_hooks.check(GetView(group));
        return Guarded([&] { return nb::cast<std::vector<std::string>>(found); });
    }

  private:
    /// A state, and its view in Python.
    struct View
    {
        ReplicaState state;    //!< The state
        nb::object log;        //!< Log, a tuple
        nb::object pythonView; //!< The Python view
    };

    /**
     * @param states States of all replicas.
     * @return their view in Python, a tuple
     */
    nb::object GetView(const std::vector<ReplicaState>& states) const
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

    /**
     * @param group All replicas.
     * @return its view in Python
     */
    nb::object GetView(const ReplicaGroup& group) const
    {
        nb::list events;
        for (const auto& event : group.events)
        {
            events.append(nb::make_tuple(event.replica, event.kind, event.height, event.value));
        }
        return m_hooks.group(GetView(group.states), events, group.requests);
    }

    /**
     * Update the view of a state.
     *
     * @param index Number of the replica, from 0.
     * @param state State of the replica.
     */
    void Renew(std::size_t index, const ReplicaState& state) const
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

    ScriptFacts m_facts;                           //!< Facts of the protocol for testers
    ProtocolHooks m_hooks;                         //!< Functions of the protocol
    std::shared_ptr<const ReplicaHooks> m_replica; //!< Functions of its replicas
    mutable std::vector<View> m_views;             //!< The last state, by replica
};

} // namespace ns3

#endif // SCRIPT_PROTOCOL_H
