// SPDX-License-Identifier: GPL-2.0-only

#ifndef TENDERMINT_BUG_H
#define TENDERMINT_BUG_H

#include "seeded-bug.h"

#include <cstdint>

namespace ns3
{

/**
 * @brief A seeded bug of a Tendermint replica, for tests to find; docs/reference/seeded-bugs.md has
 * histories that expose these bugs.
 */
enum class TendermintBug : uint8_t
{
    NONE = 0,
    IGNORES_LOCK = 1,       //!< T1: a new proposal is prevoted despite a lock
    LOSES_LOCK = 2,         //!< T2: a lock ends with its round, without a newer quorum
    NEEDS_HALF = 3,         //!< T3: a quorum is more than half, not more than two thirds
    FORGETS_VOTES = 4,      //!< T4: votes are not read back from the write-ahead log
    MIXES_ROUNDS = 5,       //!< T5: votes of all rounds are counted together
    TRUSTS_OLD_QUORUMS = 6, //!< T6: a quorum of a round before the lock's round unlocks
    COUNTS_OWN_TURNS = 7,   //!< T7: the proposer follows from the replica's own number of rounds
    KEEPS_LOCK = 8,         //!< T8: a lock remains at the next height
};

inline constexpr SeededBugs<TendermintBug> TENDERMINT_BUGS{'T', 8}; //!< T1 to T8

} // namespace ns3

#endif // TENDERMINT_BUG_H
