// SPDX-License-Identifier: GPL-2.0-only

#ifndef RAFT_BUG_H
#define RAFT_BUG_H

#include "seeded-bug.h"

#include <cstdint>

namespace ns3
{

/**
 * @brief A seeded bug of a Raft replica, for tests to find; docs/reference/seeded-bugs.md has
 * histories that expose these bugs.
 */
enum class RaftBug : uint8_t
{
    NONE = 0,
    FORGETS_BALLOT = 1,          //!< R1: term and vote are lost in a crash
    COUNTS_EARLIER_TERMS = 2,    //!< R2: counting commits an entry of an earlier term
    VOTES_FOR_ANYBODY = 3,       //!< R3: a candidate's log may be behind the voter's
    TAKES_WHAT_DOES_NOT_FIT = 4, //!< R4: the term of the entry before new ones is not compared
    COUNTS_OLD_ANSWERS = 5,      //!< R5: acknowledgements of an earlier term are counted
    CUTS_ITS_LOG = 6,            //!< R6: entries after those of a message are cut off
    NEEDS_LESS_THAN_MOST = 7,    //!< R7: a majority is off by one
    READS_ALONE = 8,             //!< R8: a leader answers reads without the others
    NEVER_WALKS_BACK = 9,        //!< R9: a leader repeats entries that a follower has refused
    IGNORES_HEARTBEATS = 10,     //!< R10: messages of the leader do not reset the election timer
};

inline constexpr SeededBugs<RaftBug> RAFT_BUGS{'R', 10}; //!< R1 to R10

} // namespace ns3

#endif // RAFT_BUG_H
