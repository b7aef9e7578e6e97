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
 * @brief One of the values that testers see of a replica.
 */
struct ReplicaField
{
    /// The meaning of the number.
    enum Kind : uint8_t
    {
        NUMBER,  //!< A number from 0 on
        CHOICE,  //!< One of a few, from 0 to largest
        REPLICA, //!< The number of a replica, or 0
    };

    std::string name;   //!< As painters call it
    Kind kind{NUMBER};  //!< The meaning
    int64_t largest{0}; //!< Of a choice
};

/**
 * @brief All replicas after a tick.
 */
struct ReplicaGroup
{
    std::vector<ReplicaState> states; //!< In the order of their numbers
    std::vector<ReplicaEvent> events; //!< Their acts in this tick, in that order
    uint32_t requests{0};             //!< Handed over so far: they have the numbers from 1 to this
    /// Of each log, how many entries are as they were a tick ago: the last ones may have changed
    std::vector<std::size_t> kept;

    /**
     * @param index Number of a replica, from 0 on.
     * @return how many entries of its log are as they were a tick ago; 0, if that is not known
     */
    std::size_t CountKept(std::size_t index) const
    {
        return index < kept.size() ? kept[index] : 0;
    }
};

/**
 * @brief The facts of a protocol that a tester knows: its replicas, their observed state, the
 * replicas that take requests of clients, and the guarantees.
 *
 * A user's protocol is a subclass, and a subclass of ReplicaApplication.
 */
class ReplicaProtocol
{
  public:
    virtual ~ReplicaProtocol() = default;

    /**
     * @return what parameter `protocol` calls it
     */
    virtual std::string GetName() const = 0;

    /**
     * Declare its own parameters; by default there are none.
     *
     * @param simulation Where.
     */
    virtual void Declare(RlSimulation& simulation);

    /**
     * Read the values of the protocol's parameters.
     *
     * @param chosen Whether this is the protocol of the replicas. If not, all have to be as they
     * are by default.
     * @param tick Simulated time of a tick.
     * @return what is wrong with them together, and what would be right; or an empty string
     */
    virtual std::string FindContradiction(bool chosen, Time tick) const;

    /**
     * @return a painter for those who give none; see Painter
     */
    virtual std::string GetDefaultPainter() const = 0;

    /**
     * @return what replicas send each other in a tick, at most; by default 3 datagrams of 500 bytes
     */
    virtual ReplicaTraffic GetTraffic() const;

    /**
     * @return names of mistakes that its replicas can make on purpose, which their attribute `Bug`
     * takes; by default there are none
     */
    virtual std::vector<std::string> GetBugs() const;

    /**
     * @return whether its replicas can tell what they answer clients; by default they cannot
     */
    virtual bool AnswersClients() const;

    /**
     * @param bug One of GetBugs().
     * @return whether it changes nothing but the responses to clients; by default it does not
     */
    virtual bool IsSeenByClientsAlone(const std::string& bug) const;

    /**
     * @return whether guarantees hold though some replicas are Byzantine; by default they do not
     */
    virtual bool ToleratesByzantine() const;

    /**
     * @param tick Simulated time of a tick.
     * @return a new replica
     */
    virtual Ptr<ReplicaApplication> MakeReplica(Time tick) const = 0;

    /**
     * @return what ReplicaState::values are
     */
    virtual const std::vector<ReplicaField>& GetFields() const = 0;

    /**
     * @param states States of all replicas.
     * @return the numbers of the replicas that take a client's request now
     */
    virtual std::vector<uint32_t> FindTakers(const std::vector<ReplicaState>& states) const = 0;

    /**
     * @param group All replicas.
     * @return a number that is larger the more of what is asked of them is done; by default 0
     */
    virtual int64_t GetProgress(const ReplicaGroup& group) const;

    /**
     * @param group All replicas.
     * @return whether nothing is left to be done, so that no progress is no fault; by default that
     * is always so
     */
    virtual bool IsDone(const ReplicaGroup& group) const;

    /**
     * Count the entries that a replica has committed: after a healing phase all replicas have those
     * of any. The default is the value of the field `commit`.
     *
     * @param state State of a replica; before the first episode one whose values are all 0.
     * @return how many entries from the first on are committed, with those that a snapshot has
     * replaced; none: replicas have no log of requests, and cannot be healed
     */
    virtual std::optional<std::size_t> CountCommitted(const ReplicaState& state) const;

    /**
     * Look whether its parameters allow progress when there are no faults; by default they do.
     *
     * @param byzantine Whether some replicas may be Byzantine.
     * @return what prevents progress, and what would be right; or an empty string
     */
    virtual std::string FindHealingContradiction(bool byzantine) const;

    /**
     * @param group All replicas when a healing phase begins.
     * @param tick Simulated time of a tick.
     * @return ticks within which they commit requests again, if all run and messages arrive within
     * a tick; by default 1000
     */
    virtual uint32_t GetHealingTicks(const ReplicaGroup& group, Time tick) const;

    /**
     * Look for violations that a healing phase leaves, beside those of convergence and liveness. It
     * is called when the phase ends; by default it finds none.
     *
     * @param group All replicas.
     * @return violations: the property, a colon, and which replicas and entries
     */
    virtual std::vector<std::string> CheckHealed(const ReplicaGroup& group);

    /**
     * Look for violations of what the protocol guarantees. It is called after each tick.
     *
     * @param group All replicas.
     * @return new violations: the property, a colon, and which replicas and entries
     */
    virtual std::vector<std::string> Check(const ReplicaGroup& group) = 0;
};

} // namespace ns3

#endif // REPLICA_PROTOCOL_H
