// SPDX-License-Identifier: GPL-2.0-only

#ifndef SCRIPT_REPLICA_H
#define SCRIPT_REPLICA_H

#include "replica-application.h"
#include "replica-protocol.h"
#include "replica-values.h"
#include "script-hook.h"

#include "ns3/simulator.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief Functions in Python that make replicas.
 */
struct ReplicaHooks
{
    ScriptHook disk;                  //!< Returns an empty disk
    ScriptHook process;               //!< Takes port, number, group size, seeded bug, whether it
                                      //!< is Byzantine, and disk; returns a stopped process
    ScriptHook end;                   //!< Takes a crashed process
    ScriptHook crash;                 //!< Takes an exception of a process, returns a line
    ScriptHook describe;              //!< Takes bytes of a message, returns a line about it
    std::vector<ReplicaField> fields; //!< The types of the values of states
};

/**
 * @brief The disk of a replica in Python: a Python object that outlives the process.
 */
class ScriptStorage : public StableStorage
{
  public:
    /**
     * @param make Returns an empty disk.
     */
    explicit ScriptStorage(ScriptHook make)
        : m_make(std::move(make)),
          m_disk(m_make())
    {
    }

    void Erase() override
    {
        m_disk = m_make();
    }

    /// @return the disk
    const nb::object& GetDisk() const
    {
        return m_disk;
    }

  private:
    ScriptHook m_make; //!< Function that returns an empty disk
    nb::object m_disk; //!< The disk
};

class ScriptReplica;

/**
 * @brief The replica of a process in Python; the port outlives the process, and the replica.
 */
struct ReplicaPort
{
    std::shared_ptr<ScriptReplica*> replica; //!< The replica; null: the process does not run
};

/**
 * @brief A replica whose process is a Python object.
 *
 * Each start of the process makes a new object, so that only the disk survives a crash. A stopped
 * replica has an object that is not started, with the state of the disk. An exception of the
 * process is a crash.
 */
class ScriptReplica : public ReplicaApplication
{
  public:
    /**
     * @param hooks Functions of the process and its disk.
     */
    explicit ScriptReplica(std::shared_ptr<const ReplicaHooks> hooks)
        : m_hooks(std::move(hooks))
    {
    }

    std::string Describe(Ptr<const Packet> packet) const override
    {
        const auto text = m_hooks->describe(ToBytes(packet));
        return GuardedAfter(m_hooks->describe, [&] { return nb::cast<std::string>(text); });
    }

    /**
     * Send a message for the process.
     *
     * @param to Number of the receiving replica.
     * @param data The message.
     */
    void SendBytes(uint32_t to, const nb::bytes& data)
    {
        Send(to, Create<Packet>(static_cast<const uint8_t*>(data.data()), data.size()));
    }

    /**
     * Report an act of the process.
     *
     * @param event The act.
     */
    void NoteEvent(ReplicaEvent event)
    {
        Note(event);
    }

  private:
    Ptr<StableStorage> MakeStorage() const override
    {
        return CreateObject<ScriptStorage>(m_hooks->disk);
    }

    void DoDispose() override
    {
        *m_running = nullptr; // Python may destroy objects of the process later, as at its exit
        ReplicaApplication::DoDispose();
    }

    void Recover(Ptr<StableStorage> storage) override
    {
        m_stored.reset();
        m_running = std::make_shared<ScriptReplica*>(this);
        m_process = MakeProcess(storage);
        m_disk = StaticCast<ScriptStorage>(storage)->GetDisk();
        OnClockSet();
        Do([&] { m_process.attr("recover")(m_disk); });
    }

    void Forget() override
    {
        *m_running = nullptr;
        m_hooks->end(std::exchange(m_process, {}));
    }

    void OnTick() override
    {
        Do([&] { Call("tick", GetClock().GetSeconds()); });
    }

    bool OnSubmit(uint32_t request) override
    {
        bool taken = false;
        Do([&] {
            const nb::object answer = Call("submit", request);
            const ScriptHook hook = ScriptHook::Lasting(m_process.type().attr("submit"));
            taken = GuardedAfter(hook, [&] { return ToTaken(answer); });
        });
        return taken;
    }

    void OnMessage(uint32_t from, Ptr<const Packet> packet) override
    {
        Do([&] { Call("message", from, ToBytes(packet)); });
    }

    void OnByzantine() override
    {
        Do([&] { nb::setattr(m_process, "byzantine", nb::bool_(true)); });
    }

    void OnClockSet() override
    {
        Do([&] { nb::setattr(m_disk, "clock_error", nb::float_(GetClockError().GetSeconds())); });
    }

    ReplicaState DoSnapshot(Ptr<const StableStorage> storage) const override
    {
        if (!m_process.is_valid() && !m_stored.is_valid())
        {
            m_stored = MakeProcess(storage);
        }
        const auto& process = m_process.is_valid() ? m_process : m_stored;
        const ScriptHook hook = ScriptHook::Lasting(process.type().attr("state"));
        return Guarded(
            [&] {
                return ToReplicaState(process.attr("_snapshot")(), m_hooks->fields, GetGroupSize());
            },
            [&] { return hook.Locate(); });
    }

    /**
     * @param storage Disk of the process.
     * @return a process that is not started
     */
    nb::object MakeProcess(Ptr<const StableStorage> storage) const
    {
        const auto disk = StaticCast<const ScriptStorage>(storage)->GetDisk();
        return m_hooks->process(ReplicaPort{m_running},
                                GetId(),
                                GetGroupSize(),
                                GetBug(),
                                IsByzantine(),
                                disk);
    }

    /**
     * Call a method of the process, which may be killed in the call.
     *
     * @param method Name of the method.
     * @param arguments Arguments of the method.
     * @return the result
     */
    template <typename... Arguments>
    nb::object Call(const char* method, Arguments&&... arguments)
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

    /**
     * Call a function of the process.
     *
     * @param step The function; a Python exception becomes a ReplicaApplication exception.
     */
    template <typename F>
    void Do(F step)
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

    std::shared_ptr<const ReplicaHooks> m_hooks; //!< Functions of the process and its disk
    std::shared_ptr<ScriptReplica*> m_running{std::make_shared<ScriptReplica*>()}; //!< For ports
    nb::object m_process;        //!< Running process; invalid: stopped
    nb::object m_disk;           //!< Disk of the process that was started last
    mutable nb::object m_stored; //!< Description of a stopped replica's disk
};

} // namespace ns3

#endif // SCRIPT_REPLICA_H
