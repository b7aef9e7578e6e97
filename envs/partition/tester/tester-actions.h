// SPDX-License-Identifier: GPL-2.0-only

#ifndef TESTER_ACTIONS_H
#define TESTER_ACTIONS_H

#include "colored-partition.h"
#include "set-partitions.h"
#include "tester-parameters.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief The acts of a tester in a step.
 */
struct TesterAction
{
    /// Which of them it is.
    enum Kind : uint8_t
    {
        KEEP,      //!< Leave everything as it is
        CREATE,    //!< Partition the network
        STOP,      //!< Stop a replica
        START,     //!< Start a replica
        REQUEST,   //!< Hand over a request of a client
        BYZANTINE, //!< Have a replica do what its protocol forbids
        DELAY,     //!< Have messages that are held for a replica in this step wait
        RELEASE,   //!< Hand over the messages that wait for a replica
        HEAL,      //!< Start all replicas, make all links whole, and wait until they are healed
    };

    Kind kind{KEEP};      //!< Which it is
    uint32_t argument{0}; //!< Number of the partition, or slot of the replica
};

/**
 * @brief The actor of each act.
 */
enum class TesterRole : uint8_t
{
    TESTER,      //!< Does everything
    CLIENT,      //!< Hands over requests
    CRASHER,     //!< Stops and starts replicas, and makes them Byzantine
    PARTITIONER, //!< Partitions the network, delays messages, and heals the replicas
};

/**
 * @brief The changes of the replicas, as far as they limit the actions.
 */
struct TesterCounts
{
    uint32_t crashes{0};    //!< Stops
    uint32_t byzantine{0};  //!< Replicas that are Byzantine
    bool canRequest{false}; //!< A request can be handed over
    bool mustHeal{false};   //!< Nothing is left of the episode but a healing phase
};

/**
 * @brief All actions of a role, by number.
 *
 * There are N slots and B ways to divide them. A tester has 0 to keep the partition, 1 to B to
 * create one, N to stop the replica in a slot, N to start it, and one to hand over a request. If
 * replicas may become Byzantine, N make one so. If messages may be delayed, N delay the messages
 * for the replica in a slot, and N release them. With healing phases, one begins such a phase.
 * Other roles have 0 to do nothing, and then their own actions.
 */
class TesterActions
{
  public:
    /**
     * @param parameters The possible actions of a tester.
     * @param role The role.
     */
    TesterActions(const TesterParameters& parameters, TesterRole role);

    uint32_t Count() const; //!< @return number of actions

    /**
     * @param index Number of an action.
     * @return the action
     */
    TesterAction Get(uint32_t index) const;

    /**
     * @param partition Number of a partition.
     * @return the block of each slot
     */
    const SetPartitions::Blocks& GetBlocks(uint32_t partition) const;

    /**
     * Find what is allowed. Of actions that look alike it is the first.
     *
     * @param partition The running replicas, and their colours.
     * @param counts The changes so far.
     * @return 1 for each action that is allowed, 0 for others; one is allowed at least
     */
    std::vector<int8_t> GetMask(const ColoredPartition& partition, const TesterCounts& counts);

    /**
     * Tell how an action looks: equal for those that differ in nothing that is seen.
     *
     * @param index Its number.
     * @param partition The running replicas, and their colours.
     * @return it, as JSON with hashes of colours
     */
    std::string GetLook(uint32_t index, const ColoredPartition& partition) const;

  private:
    /**
     * @param part A role.
     * @return whether its actions are among these
     */
    bool Has(TesterRole part) const;

    /**
     * @param action An action on a slot.
     * @param partition The running replicas, and their colours.
     * @param counts The changes so far.
     * @return whether it is allowed
     */
    bool IsAllowed(TesterAction action,
                   const ColoredPartition& partition,
                   const TesterCounts& counts) const;

    TesterParameters m_parameters;       //!< The possible actions of a tester
    TesterRole m_role;                   //!< The role
    SetPartitions m_partitions;          //!< Ways to divide slots
    std::vector<TesterAction> m_actions; //!< By number
};

} // namespace ns3

#endif // TESTER_ACTIONS_H
