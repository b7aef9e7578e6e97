// SPDX-License-Identifier: GPL-2.0-only

#ifndef REPLICA_PROTOCOL_H
#define REPLICA_PROTOCOL_H

#include "replica-application.h"
#include "replica-network.h"
#include "replica-state.h"

#include "ns3/nstime.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

class RlSimulation;

/**
 * @brief An observed value of a replica.
 */
struct ReplicaField
{
    /// The meaning of the number.
    enum Kind : uint8_t
    {
        NUMBER,  //!< A number from 0
        CHOICE,  //!< A value from 0 to largest
        REPLICA, //!< The number of a replica, or 0
    };

    std::string name;   //!< Name for painters
    Kind kind{NUMBER};  //!< The meaning
    int64_t largest{0}; //!< Largest value of a choice
};

/**
 * @brief All replicas after a tick.
 */
struct ReplicaGroup
{
    std::vector<ReplicaState> states; //!< States in the order of replicas' numbers
    std::vector<ReplicaEvent> events; //!< Acts in this tick, in the order of replicas
    uint32_t requests{0};             //!< Number of requests so far, numbered from 1
    /// Number of entries of each log that have not changed since the last tick
    std::vector<std::size_t> kept;

    /**
     * @param index Number of a replica, from 0.
     * @return number of entries of its log that have not changed since the last tick; 0, if unknown
     */
    std::size_t CountKept(std::size_t index) const
    {
        return index < kept.size() ? kept[index] : 0;
    }

    /**
     * @return ticks in which a leader searches back, entry by entry, through the longest log
     */
    uint32_t CountTicksBack() const;
};

/**
 * @param time A timeout.
 * @param tick Simulated time of a tick.
 * @return the number of ticks of the timeout
 */
uint32_t ToTicks(Time time, Time tick);

/**
 * @brief The facts of a protocol for testers: its replicas, their observed state, the takers of
 * clients' requests, and the guarantees.
 *
 * A user's protocol is a subclass, and a subclass of ReplicaApplication.
 */
class ReplicaProtocol
{
  public:
    static constexpr uint32_t MOST_TICKS = 2000; //!< Without progress, if timeouts are unknown
    static constexpr uint32_t STABLE_SHARE = 10; //!< Divisor of the ticks for progress

    virtual ~ReplicaProtocol() = default;

    /**
     * @return the value of parameter `protocol`
     */
    virtual std::string GetName() const = 0;

    /**
     * Declare the protocol's own parameters; by default none.
     *
     * @param simulation The scenario.
     */
    virtual void Declare(RlSimulation& simulation)
    {
    }

    /**
     * Read the values of the protocol's parameters.
     *
     * @param chosen Whether this is the protocol of the replicas. If not, all parameters must have
     * their defaults.
     * @param tick Simulated time of a tick.
     * @return a contradiction between values, with its remedy; or an empty string
     */
    virtual std::string FindContradiction(bool chosen, Time tick) const
    {
        return "";
    }

    /**
     * @return the default painter; see Painter
     */
    virtual std::string GetDefaultPainter() const = 0;

    /**
     * @return largest traffic between replicas in a tick; by default 3 datagrams of 500 bytes
     */
    virtual ReplicaTraffic GetTraffic() const
    {
        return {.bytes = 500, .datagrams = 3};
    }

    /**
     * @return names of seeded bugs, which the replicas' attribute `Bug` accepts; by default none
     */
    virtual std::vector<std::string> GetBugs() const
    {
        return {};
    }

    /**
     * @return whether its replicas report their answers to clients; by default false
     */
    virtual bool AnswersClients() const
    {
        return false;
    }

    /**
     * @param bug One of GetBugs().
     * @return whether the bug changes only responses to clients; by default false
     */
    virtual bool IsSeenByClientsAlone(const std::string& bug) const
    {
        return false;
    }

    /**
     * @return whether its replicas read ReplicaApplication::GetClock(); by default false
     */
    virtual bool ReadsClock() const
    {
        return false;
    }

    /**
     * @return whether guarantees hold with Byzantine replicas; by default false
     */
    virtual bool ToleratesByzantine() const
    {
        return false;
    }

    /**
     * @param tick Simulated time of a tick.
     * @return a new replica
     */
    virtual Ptr<ReplicaApplication> MakeReplica(Time tick) const = 0;

    /**
     * @return the fields of ReplicaState::values
     */
    virtual const std::vector<ReplicaField>& GetFields() const = 0;

    /**
     * @param states States of all replicas.
     * @return the numbers of the replicas that take a client's request now
     */
    virtual std::vector<uint32_t> FindTakers(const std::vector<ReplicaState>& states) const = 0;

    /**
     * @param group All replicas.
     * @return a number that grows with the replicas' work; by default 0
     */
    virtual int64_t GetProgress(const ReplicaGroup& group) const
    {
        return 0;
    }

    /**
     * @param group All replicas.
     * @return whether all work is done, so that missing progress is not a fault; by default true
     */
    virtual bool IsDone(const ReplicaGroup& group) const
    {
        return true;
    }

    /**
     * Count the entries that a replica has committed: after a healing phase all replicas must have
     * all committed entries. The default is the value of the field `commit`.
     *
     * @param state State of a replica; before the first episode, a state of zeros.
     * @return number of committed entries from the first one on, including those in a snapshot;
     * none: replicas have no log of requests, and cannot be healed
     */
    virtual std::optional<std::size_t> CountCommitted(const ReplicaState& state) const;

    /**
     * Check whether the parameters allow progress without faults; by default they do.
     *
     * @param replicas Number of replicas.
     * @param byzantine Maximum number of Byzantine replicas.
     * @param tick Simulated time of a tick.
     * @return an obstacle to progress, with its remedy; or an empty string
     */
    virtual std::string FindHealingContradiction(uint32_t replicas,
                                                 uint32_t byzantine,
                                                 Time tick) const
    {
        return "";
    }

    /**
     * Bound the time of a step of healing: a replica commits or stores another entry that others
     * have committed, or a replica commits another request.
     *
     * @param group All replicas after the last step.
     * @param tick Simulated time of a tick.
     * @return ticks within which correct replicas make the next step, if all run and messages
     * arrive within a tick; by default 2000, and two for each entry of the longest log
     */
    virtual uint32_t GetHealingTicks(const ReplicaGroup& group, Time tick) const
    {
        return MOST_TICKS + group.CountTicksBack();
    }

    /**
     * @param group All replicas after the last step of healing.
     * @param tick Simulated time of a tick.
     * @return ticks for which GetLeadership() must then stay equal; 0: it may always change. By
     * default a tenth of GetHealingTicks()
     */
    virtual uint32_t GetStableTicks(const ReplicaGroup& group, Time tick) const
    {
        return GetHealingTicks(group, tick) / STABLE_SHARE;
    }

    /**
     * @param group All replicas in a healing phase.
     * @return numbers that stay equal while one leader leads; by default the takers of requests,
     * and the leaders that correct replicas report in a field `leader` of kind REPLICA
     */
    virtual std::vector<int64_t> GetLeadership(const ReplicaGroup& group) const;

    /**
     * Find violations after a healing phase, in addition to convergence, liveness and stability.
     * Called at the end of the phase; by default none.
     *
     * @param group All replicas.
     * @return violations: the property, a colon, and the replicas and entries
     */
    virtual std::vector<std::string> CheckHealed(const ReplicaGroup& group)
    {
        return {};
    }

    /**
     * Find violations of the protocol's guarantees. Called after each tick.
     *
     * @param group All replicas.
     * @return new violations: the property, a colon, and the replicas and entries
     */
    virtual std::vector<std::string> Check(const ReplicaGroup& group) = 0;
};

} // namespace ns3

#endif // REPLICA_PROTOCOL_H
