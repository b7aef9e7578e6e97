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
    uint32_t GetHealingTicks(const ReplicaGroup& group, Time tick) const override;
    uint32_t GetStableTicks(const ReplicaGroup& group, Time tick) const override;
    std::vector<std::string> CheckHealed(const ReplicaGroup& group) override;
    std::vector<std::string> Check(const ReplicaGroup& group) override;

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
    nb::object GetView(const std::vector<ReplicaState>& states) const;

    /**
     * @param group All replicas.
     * @return its view in Python
     */
    nb::object GetView(const ReplicaGroup& group) const;

    /**
     * Update the view of a state.
     *
     * @param index Number of the replica, from 0.
     * @param state State of the replica.
     */
    void Renew(std::size_t index, const ReplicaState& state) const;

    ScriptFacts m_facts;                           //!< Facts of the protocol for testers
    ProtocolHooks m_hooks;                         //!< Functions of the protocol
    std::shared_ptr<const ReplicaHooks> m_replica; //!< Functions of its replicas
    mutable std::vector<View> m_views;             //!< The last state, by replica
};

} // namespace ns3

#endif // SCRIPT_PROTOCOL_H
