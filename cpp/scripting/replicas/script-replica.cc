// SPDX-License-Identifier: GPL-2.0-only

#include "script-replica.h"

#include "replica-port.h"
#include "replica-values.h"

#include "ns3/simulator.h"

#include <nanobind/stl/string.h>

#include <stdexcept>
#include <utility>

namespace ns3
{

ScriptStorage::ScriptStorage(ScriptHook make)
    : m_make(std::move(make)),
      m_disk(m_make())
{
}

void
ScriptStorage::Erase()
{
    m_disk = m_make();
}

const nb::object&
ScriptStorage::GetDisk() const
{
    return m_disk;
}

ScriptReplica::ScriptReplica(std::shared_ptr<const ReplicaHooks> hooks)
    : m_hooks(std::move(hooks))
{
}

std::string
ScriptReplica::Describe(Ptr<const Packet> packet) const
{
    const auto text = m_hooks->describe(ToBytes(packet));
    return GuardedAfter(m_hooks->describe, [&] { return nb::cast<std::string>(text); });
}

void
ScriptReplica::SendBytes(uint32_t to, const nb::bytes& data)
{
    Send(to, Create<Packet>(static_cast<const uint8_t*>(data.data()), data.size()));
}

void
ScriptReplica::NoteEvent(ReplicaEvent event)
{
    Note(event);
}

Ptr<StableStorage>
ScriptReplica::MakeStorage() const
{
    return CreateObject<ScriptStorage>(m_hooks->disk);
}

nb::object
ScriptReplica::MakeProcess(Ptr<const StableStorage> storage) const
{
    const auto disk = StaticCast<const ScriptStorage>(storage)->GetDisk();
    auto* const self = const_cast<ScriptReplica*>(this); // a stopped replica does not use its port
    return m_hooks
        ->process(ReplicaPort{self}, GetId(), GetGroupSize(), GetBug(), IsByzantine(), disk);
}

template <typename F>
void
ScriptReplica::Do(F step)
{
    try
    {
        step();
    }
    catch (nb::python_error& error)
    {
        const auto line = m_hooks->crash(error.value());
        throw std::runtime_error(Guarded([&] { return nb::cast<std::string>(line); }));
    }
}

template <typename... Arguments>
nb::object
ScriptReplica::Call(const char* method, Arguments&&... arguments)
{
    const auto effects = CountEffectsLeft();
    if (!effects)
    {
        return m_process.attr(method)(std::forward<Arguments>(arguments)...);
    }
    const nb::object result = m_process.attr(
        "_call_until_killed")(*effects, method, std::forward<Arguments>(arguments)...);
    if (result.is_none())
    {
        throw ProcessKilled();
    }
    return result[0];
}

void
ScriptReplica::Recover(Ptr<StableStorage> storage)
{
    m_stored.reset();
    m_process = MakeProcess(storage);
    const auto& disk = StaticCast<ScriptStorage>(storage)->GetDisk();
    Do([&] { m_process.attr("recover")(disk); });
}

void
ScriptReplica::Forget()
{
    m_hooks->end(std::exchange(m_process, {}));
}

void
ScriptReplica::OnTick()
{
    Do([&] { Call("tick", Simulator::Now().GetSeconds()); });
}

bool
ScriptReplica::OnSubmit(uint32_t request)
{
    bool taken = false;
    Do([&] {
        const nb::object answer = Call("submit", request);
        const ScriptHook hook = ScriptHook::Lasting(m_process.attr("submit"));
        taken = GuardedAfter(hook, [&] { return ToTaken(answer); });
    });
    return taken;
}

void
ScriptReplica::OnMessage(uint32_t from, Ptr<const Packet> packet)
{
    Do([&] { Call("message", from, ToBytes(packet)); });
}

void
ScriptReplica::OnByzantine()
{
    Do([&] { nb::setattr(m_process, "byzantine", nb::bool_(true)); });
}

ReplicaState
ScriptReplica::DoSnapshot(Ptr<const StableStorage> storage) const
{
    if (!m_process.is_valid() && !m_stored.is_valid())
    {
        m_stored = MakeProcess(storage);
    }
    const auto& process = m_process.is_valid() ? m_process : m_stored;
    const ScriptHook hook = ScriptHook::Lasting(process.attr("state"));
    return Guarded(
        [&] {
            return ToReplicaState(process.attr("_snapshot")(), m_hooks->fields, GetGroupSize());
        },
        [&] { return hook.Locate(); });
}

} // namespace ns3
