// SPDX-License-Identifier: GPL-2.0-only

#include "replica-protocol.h"
#include "tendermint-core.h"
#include "tendermint-header.h"
#include "tendermint-oracles.h"

#include "ns3/packet.h"
#include "ns3/test.h"

#include <string>
#include <vector>

using namespace ns3;

namespace
{

/**
 * @param requests Its decisions, by height.
 * @param proposer Number of the proposer in its view.
 * @return a replica in round 0 of the next height
 */
ReplicaState
MakeValidator(const std::vector<uint32_t>& requests, int64_t proposer)
{
    ReplicaState state;
    state.values = {static_cast<int64_t>(requests.size()) + 1, 0, 1, 0, 0, 0, 0, 0, proposer, 0, 0};
    for (const auto request : requests)
    {
        state.log.push_back({.term = 0, .request = request});
    }
    return state;
}

} // namespace

/**
 * @ingroup defiance-tests
 * @brief Each oracle finds its violations, and reports each once, with replica and reason.
 */
class TendermintOraclesTestCase : public TestCase
{
  public:
    TendermintOraclesTestCase()
        : TestCase("Each property has a history that violates it")
    {
    }

  private:
    /**
     * Play a history without a violation before the last instant.
     *
     * @param history All replicas at each instant.
     * @param expected Violations of the last state.
     */
    void Expect(const std::vector<ReplicaGroup>& history, const std::vector<std::string>& expected)
    {
        TendermintOracles oracles;
        std::vector<std::string> violated;
        for (const auto& group : history)
        {
            NS_TEST_EXPECT_MSG_EQ(violated.size(),
                                  0,
                                  "There is no violation before the last instant");
            violated = oracles.Check(group);
        }
        std::string text;
        for (const auto& each : violated)
        {
            text += each + "\n";
        }
        NS_TEST_EXPECT_MSG_EQ((violated == expected), true, "Reported instead: " << text);
        NS_TEST_EXPECT_MSG_EQ(oracles.Check(history.back()).size(),
                              0,
                              "A violation is reported once");
    }

    /**
     * @param one A replica.
     * @param other Another replica.
     * @param events Events of both.
     * @return both, with two requests handed over
     */
    static ReplicaGroup Make(const ReplicaState& one,
                             const ReplicaState& other,
                             const std::vector<ReplicaEvent>& events = {})
    {
        return {.states = {one, other}, .events = events, .requests = 2};
    }

    void DoRun() override
    {
        const auto none = MakeValidator({}, 1);
        const auto first = MakeValidator({1}, 2);
        Expect({Make(none, none), Make(first, none), Make(MakeValidator({1, 0}, 1), first)}, {});
        Expect({Make(first, none), Make(first, MakeValidator({2}, 2))},
               {"agreement: replica 2 has decided request 2 at height 1, where request 1 was "
                "decided"});
        Expect({Make(none, none), Make(MakeValidator({3}, 2), none)},
               {"validity: replica 1 has decided request 3 at height 1, which no client has handed "
                "over"});
        Expect({Make(first, none), Make(MakeValidator({1, 0, 1}, 1), none)},
               {"validity: request 1 was decided at heights 1 and 3"});
        Expect({Make(first, none), Make(none, none)},
               {"reduced_log: replica 1 has 0 decisions, and had 1"});
        Expect({Make(none, none), Make(none, MakeValidator({}, 2))},
               {"proposer_agreement: replica 2 holds replica 2 for the proposer of round 0 of "
                "height 1, and replica 1 holds replica 1 for it"});
        const ReplicaEvent proposes{2, TendermintAct::PROPOSES, 1, 0, 3};
        Expect({Make(none, none), Make(none, none, {proposes})},
               {"proposer_agreement: replica 2 holds replica 2 for the proposer of round 0 of "
                "height 1, and replica 1 holds replica 1 for it"});
        CheckVotes(none);
        CheckKept(first);
    }

    /// @param first has decided request 1
    void CheckKept(const ReplicaState& first)
    {
        TendermintOracles oracles;
        NS_TEST_EXPECT_MSG_EQ(oracles.Check(Make(first, first)).size(), 0, "There is no violation");
        auto group = Make(first, MakeValidator({2}, 2));
        group.kept = {1, 1};
        NS_TEST_EXPECT_MSG_EQ(oracles.Check(group).size(),
                              0,
                              "Unchanged decisions are not checked again");
        group.kept = {1, 0};
        const auto violated = oracles.Check(group).size();
        NS_TEST_EXPECT_MSG_EQ(violated, 1, "Changed decisions are");
    }

    /// @param none two of it vote
    void CheckVotes(const ReplicaState& none)
    {
        const auto vote = [](uint32_t replica, int64_t kind, int64_t round, int64_t value) {
            return ReplicaEvent{replica, kind, 1, round, value};
        };
        const auto prevote = TendermintAct::PREVOTES;
        const auto precommit = TendermintAct::PRECOMMITS;
        const std::vector<ReplicaEvent> well{vote(1, prevote, 0, 2),
                                             vote(2, prevote, 0, 3),
                                             vote(1, prevote, 1, 3),
                                             vote(1, precommit, 0, 0),
                                             vote(1, prevote, 0, 2)};
        Expect({Make(none, none, well), Make(none, none, {vote(1, precommit, 0, 2)})},
               {"double_vote: replica 1 has precommitted 0 and 2 in round 0 of height 1 (0: nil, "
                "1: the empty block, 1 + r: request r)",
                "unproved_precommit: replica 1 has precommitted 2 in round 0 of height 1, in which "
                "no quorum has prevoted it"});
        const std::vector<ReplicaEvent> locks{vote(1, prevote, 0, 2),
                                              vote(2, prevote, 0, 2),
                                              vote(1, precommit, 0, 2),
                                              vote(1, prevote, 1, 2),
                                              vote(2, prevote, 1, 3)};
        Expect({Make(none, none, locks), Make(none, none, {vote(1, prevote, 2, 3)})},
               {"broken_lock: replica 1 has prevoted 3 in round 2 of height 1, has precommitted 2 "
                "in round 0, and no quorum has prevoted 3 since"});
        auto newer = locks;
        newer[3].value = 3; // it should not have precommitted, but a quorum has
        TendermintOracles oracles;
        oracles.Check(Make(none, none, newer));
        const auto unlocked = oracles.Check(Make(none, none, {vote(1, prevote, 2, 3)}));
        NS_TEST_EXPECT_MSG_EQ(unlocked.size(), 0, "A quorum of round 1 unlocks");
        auto liar = none;
        liar.byzantine = true;
        liar.log = {{.term = 0, .request = 9}};
        Expect({Make(none, none, well), Make(liar, none, {vote(1, precommit, 0, 2)})}, {});
    }
};

/**
 * @ingroup defiance-tests
 * @brief Messages in packets.
 */
class TendermintHeaderTestCase : public TestCase
{
  public:
    TendermintHeaderTestCase()
        : TestCase("A message is equal after it was in a packet")
    {
    }

  private:
    void DoRun() override
    {
        const TendermintMessage message{TendermintMessage::GOSSIP,
                                        1,
                                        2,
                                        3,
                                        {{4, 5, -1}, {6, 7, 5}},
                                        {{TendermintVotes::PRECOMMIT, 8, 9, uint64_t{1} << 63 | 2}},
                                        {{10, 11, 12}}};
        auto packet = Create<Packet>();
        packet->AddHeader(TendermintHeader(message));
        NS_TEST_EXPECT_MSG_EQ(packet->GetSize(), 84, "The documented size");
        TendermintHeader header;
        NS_TEST_EXPECT_MSG_EQ(packet->PeekHeader(header), 84, "All bytes are read");
        NS_TEST_EXPECT_MSG_EQ(header.IsValid(), true, "It is a message");
        NS_TEST_EXPECT_MSG_EQ((header.GetMessage() == message), true, "The contents are equal");
        for (const uint32_t missing : {1, 8, 83})
        {
            packet->Copy()->CreateFragment(0, 84 - missing)->PeekHeader(header);
            NS_TEST_EXPECT_MSG_EQ(header.IsValid(), false, missing << " bytes are missing");
        }
        Create<Packet>(100)->PeekHeader(header);
        NS_TEST_EXPECT_MSG_EQ(header.IsValid(), false, "Zeros are not a message");
        auto impossible = message;
        impossible.proposals[0].validRound = 4;
        packet = Create<Packet>();
        packet->AddHeader(TendermintHeader(impossible));
        packet->PeekHeader(header);
        NS_TEST_EXPECT_MSG_EQ(header.IsValid(), false, "A proof comes from an earlier round");
    }
};

/**
 * @ingroup defiance-tests
 * @brief The oracles of Tendermint's guarantees, and the packets of its messages.
 */
class TendermintOraclesTestSuite : public TestSuite
{
  public:
    TendermintOraclesTestSuite()
        : TestSuite("defiance-tendermint-oracles", Type::UNIT)
    {
        AddTestCase(new TendermintOraclesTestCase, Duration::QUICK);
        AddTestCase(new TendermintHeaderTestCase, Duration::QUICK);
    }
};

/// The one instance that registers the suite.
static TendermintOraclesTestSuite g_tendermintOraclesTestSuite;
