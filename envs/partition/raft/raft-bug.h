// SPDX-License-Identifier: GPL-2.0-only

#ifndef RAFT_BUG_H
#define RAFT_BUG_H

#include "seeded-bug.h"

#include <cstdint>

namespace ns3
{

/**
 * @brief A mistake that a Raft replica makes on purpose, so that tests have something to find;
 * docs/reference/seeded-bugs.md has histories that expose them.
 */
enum class RaftBug : uint8_t
{
    NONE = 0,
    FORGETS_BALLOT = 1,          //!< R1: term and vote do not outlive a crash
    COUNTS_EARLIER_TERMS = 2,    //!< R2: an entry of an earlier term is committed by counting
    VOTES_FOR_ANYBODY = 3,       //!< R3: a candidate's log may be behind the voter's
    TAKES_WHAT_DOES_NOT_FIT = 4, //!< R4: the term of the entry before new ones is not compared
    COUNTS_OLD_ANSWERS = 5,      //!< R5: acknowledgements of an earlier term are counted
    CUTS_ITS_LOG = 6,            //!< R6: what follows the entries of a message is thrown away
    NEEDS_LESS_THAN_MOST = 7,    //!< R7: a majority is off by one
    READS_ALONE = 8,             //!< R8: a leader answers reads without asking the others
    NEVER_WALKS_BACK = 9,        //!< R9: a leader sends what a follower has refused again
};

inline constexpr SeededBugs<RaftBug> RAFT_BUGS{'R', 9}; //!< R1 to R9

} // namespace ns3

#endif // RAFT_BUG_H
