// SPDX-License-Identifier: GPL-2.0-only

#ifndef TESTER_ACTIONS_H
#define TESTER_ACTIONS_H

#include "colored-partition.h"
#include "set-partitions.h"
#include "tester-parameters.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @brief What a tester does in a step.
 */
struct TesterAction
{
    /// Which of them it is.
    enum Kind : uint8_t
    {
        KEEP,    //!< Leave the partition as it is
        CREATE,  //!< Partition the network
        STOP,    //!< Stop a replica
        START,   //!< Start a replica
        REQUEST, //!< Hand over a request of a client
    };

    Kind kind{KEEP};      //!< Which it is
    uint32_t argument{0}; //!< Number of the partition, or slot of the replica
};

/**
 * @brief All actions of a tester, by number.
 *
 * With N slots and B ways to divide them: 0 keeps the partition, 1 to B create one, then there are
 * N to stop the replica in a slot, N to start it, and the last one hands over a request.
 */
class TesterActions
{
  public:
    /**
     * @param parameters What a tester may do.
     */
    explicit TesterActions(const TesterParameters& parameters);

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
     * @param partition Who runs, and how they look.
     * @param crashes Stops so far.
     * @param canRequest Whether a request can be handed over.
     * @return 1 for each action that is allowed, 0 for others; one is allowed at least
     */
    std::vector<int8_t> GetMask(const ColoredPartition& partition,
                                uint32_t crashes,
                                bool canRequest);

  private:
    TesterParameters m_parameters; //!< What a tester may do
    SetPartitions m_partitions;    //!< Ways to divide slots
};

} // namespace ns3

#endif // TESTER_ACTIONS_H
