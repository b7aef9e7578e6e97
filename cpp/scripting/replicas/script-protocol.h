// SPDX-License-Identifier: GPL-2.0-only

#ifndef SCRIPT_PROTOCOL_H
#define SCRIPT_PROTOCOL_H

#include "script-replica.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief The facts of a protocol in Python that testers know before an episode.
 */
struct ScriptFacts
{
    std::string name;              //!< Its name
    std::string painter;           //!< The default painter
    std::vector<std::string> bugs; //!< Names of its seeded bugs
    ReplicaTraffic traffic;        //!< Largest number of messages between replicas in a tick
    bool answers{false};           //!< Replicas tell what they answer clients
    bool byzantine{false};         //!< Guarantees hold though some replicas are Byzantine
};

/**
 * @brief Functions of a protocol in Python.
 */
struct ProtocolHooks
{
    ScriptHook entry;    //!< Takes term and request, returns an entry of a log
    ScriptHook view;     //!< Takes number, active, byzantine, log and values, returns a state
    ScriptHook group;    //!< Takes states, events and the number of requests, returns a group
    ScriptHook takers;   //!< Takes states, returns who takes requests
    ScriptHook check;    //!< Takes a group, returns lines about new violations
    ScriptHook healed;   //!< Takes a group when a healing phase ends, returns such lines
    ScriptHook progress; //!< Takes a group, returns a number; none: there is no such function
    ScriptHook done;     //!< Takes a group, returns whether nothing is left; none: likewise
};

/**
 * @brief A protocol that is written in Python.
 */
class ScriptProtocol : public ReplicaProtocol
{
  public:
    /**
     * @param facts The facts that testers know of it.
     * @param hooks Its functions.
     * @param replicas Functions that make its replicas.
     */
    ScriptProtocol(ScriptFacts facts, ProtocolHooks hooks, ReplicaHooks replicas);

    std::string GetName() const override;
    std::string GetDefaultPainter() const override;
    ReplicaTraffic GetTraffic() const override;
    std::vector<std::string> GetBugs() const override;
    bool AnswersClients() const override;
    bool ToleratesByzantine() const override;
    Ptr<ReplicaApplication> MakeReplica(Time tick) const override;
    const std::vector<ReplicaField>& GetFields() const override;
    std::vector<uint32_t> FindTakers(const std::vector<ReplicaState>& states) const override;
    int64_t GetProgress(const ReplicaGroup& group) const override;
    bool IsDone(const ReplicaGroup& group) const override;
    std::vector<std::string> CheckHealed(const ReplicaGroup& group) override;
    std::vector<std::string> Check(const ReplicaGroup& group) override;

  private:
    /// A state, and what Python sees of it.
    struct View
    {
        ReplicaState state; //!< The state
        nb::object log;     //!< Its log, a tuple
        nb::object seen;    //!< The Python view
    };

    /**
     * @param states States of all replicas.
     * @return what Python sees of them, a tuple
     */
    nb::object See(const std::vector<ReplicaState>& states) const;

    /**
     * @param group All replicas.
     * @return what Python sees of it
     */
    nb::object See(const ReplicaGroup& group) const;

    /**
     * Look at a state anew.
     *
     * @param index Number of the replica, from 0 on.
     * @param state Its state.
     */
    void Renew(std::size_t index, const ReplicaState& state) const;

    ScriptFacts m_facts;                           //!< The facts that testers know of it
    ProtocolHooks m_hooks;                         //!< Its functions
    std::shared_ptr<const ReplicaHooks> m_replica; //!< Make its replicas
    mutable std::vector<View> m_views;             //!< The last state, by replica
};

} // namespace ns3

#endif // SCRIPT_PROTOCOL_H
