// SPDX-License-Identifier: GPL-2.0-only

#ifndef SCRIPT_REPLICA_H
#define SCRIPT_REPLICA_H

#include "replica-application.h"
#include "replica-protocol.h"
#include "script-hook.h"

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <string>
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
    explicit ScriptStorage(ScriptHook make);

    void Erase() override;

    const nb::object& GetDisk() const; //!< @return the disk

  private:
    ScriptHook m_make; //!< Function that returns an empty disk
    nb::object m_disk; //!< The disk
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
    explicit ScriptReplica(std::shared_ptr<const ReplicaHooks> hooks);

    std::string Describe(Ptr<const Packet> packet) const override;

    /**
     * Send a message for the process.
     *
     * @param to Number of the receiving replica.
     * @param data The message.
     */
    void SendBytes(uint32_t to, const nb::bytes& data);

    /**
     * Report an act of the process.
     *
     * @param event The act.
     */
    void NoteEvent(ReplicaEvent event);

  private:
    Ptr<StableStorage> MakeStorage() const override;
    void Recover(Ptr<StableStorage> storage) override;
    void Forget() override;
    void OnTick() override;
    bool OnSubmit(uint32_t request) override;
    void OnMessage(uint32_t from, Ptr<const Packet> packet) override;
    void OnByzantine() override;
    ReplicaState DoSnapshot(Ptr<const StableStorage> storage) const override;

    /**
     * @param storage Disk of the process.
     * @return a process that is not started
     */
    nb::object MakeProcess(Ptr<const StableStorage> storage) const;

    /**
     * Call a method of the process, which may be killed in the call.
     *
     * @param method Name of the method.
     * @param arguments Arguments of the method.
     * @return the result
     */
    template <typename... Arguments>
    nb::object Call(const char* method, Arguments&&... arguments);

    /**
     * Call a function of the process.
     *
     * @param step The function; a Python exception becomes a ReplicaApplication exception.
     */
    template <typename F>
    void Do(F step);

    std::shared_ptr<const ReplicaHooks> m_hooks; //!< Functions of the process and its disk
    nb::object m_process;                        //!< Running process; invalid: stopped
    mutable nb::object m_stored;                 //!< Description of a stopped replica's disk
};

} // namespace ns3

#endif // SCRIPT_REPLICA_H
