// SPDX-License-Identifier: GPL-2.0-only

#ifndef TENDERMINT_TYPES_H
#define TENDERMINT_TYPES_H

#include "seeded-bug.h"

#include <cstdint>
#include <vector>

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

/**
 * @brief The event that a Tendermint replica awaits.
 */
enum class TendermintStep : uint8_t
{
    NEW_HEIGHT = 0, //!< The end of the pause after a decision
    PROPOSE = 1,    //!< A proposal
    PREVOTE = 2,    //!< A prevote
    PRECOMMIT = 3,  //!< A precommit
};

/**
 * @brief The values that replicas propose, vote for and decide.
 */
struct TendermintValue
{
    static constexpr uint32_t NIL = 0;   //!< No value
    static constexpr uint32_t EMPTY = 1; //!< The block without a request

    /**
     * @param request Number of a client's request.
     * @return the block with this request
     */
    static uint32_t Of(uint32_t request)
    {
        return EMPTY + request;
    }
};

/**
 * @brief The proposal of the proposer of a round.
 */
struct TendermintProposal
{
    int32_t round{0};       //!< Round at the height
    uint32_t value{0};      //!< The proposed value
    int32_t validRound{-1}; //!< Round of a known quorum of prevotes; -1: none

    bool operator==(const TendermintProposal&) const = default;
};

/**
 * @brief Votes of some replicas for one value.
 */
struct TendermintVotes
{
    /// The type of the votes.
    enum Type : uint8_t
    {
        PREVOTE = 1,
        PRECOMMIT = 2,
    };

    Type type{PREVOTE};  //!< Type of the vote
    int32_t round{0};    //!< Round at the height
    uint32_t value{0};   //!< Value of the vote
    uint64_t signers{0}; //!< The voters: bit i is replica i

    bool operator==(const TendermintVotes&) const = default;
};

/**
 * @brief A decision, with the precommits that prove it.
 */
struct TendermintDecision
{
    int32_t round{0};    //!< Round of the precommits
    uint32_t value{0};   //!< The decided value
    uint64_t signers{0}; //!< Replicas that precommitted: bit i is replica i

    bool operator==(const TendermintDecision&) const = default;
};

/**
 * @brief A message of Tendermint (Buchman, Kwon, Milosevic: The latest gossip on BFT consensus,
 * 2018, algorithm 1).
 *
 * PROPOSAL and VOTE are the algorithm's messages. The other two types are its gossip: a replica's
 * knowledge of its height, and decisions for replicas that are behind. Proposals and votes of
 * others in these messages count as signed: they cannot be forged.
 */
struct TendermintMessage
{
    /// The type of the message.
    enum Type : uint8_t
    {
        PROPOSAL = 1,
        VOTE = 2,
        GOSSIP = 3,
        DECISIONS = 4,
    };

    Type type{PROPOSAL};                       //!< Type of the message
    uint32_t from{0};                          //!< Number of the sending replica
    uint32_t to{0};                            //!< Number of the receiving replica
    uint32_t height{0};                        //!< Height; DECISIONS: the first one
    std::vector<TendermintProposal> proposals; //!< PROPOSAL: one; GOSSIP: all known
    std::vector<TendermintVotes> votes;        //!< VOTE: one; GOSSIP: all known
    std::vector<TendermintDecision> decisions; //!< DECISIONS: one for each height

    bool operator==(const TendermintMessage&) const = default;
};

} // namespace ns3

#endif // TENDERMINT_TYPES_H
