// SPDX-License-Identifier: GPL-2.0-only

#include "tendermint-group.h"

#include "ns3/test.h"

#include <utility>
#include <vector>

using namespace ns3;

namespace
{

constexpr auto NIL = TendermintValue::NIL;
constexpr auto EMPTY = TendermintValue::EMPTY;
constexpr auto PREVOTE = TendermintVotes::PREVOTE;
constexpr auto PRECOMMIT = TendermintVotes::PRECOMMIT;
const uint32_t FIRST = TendermintValue::Of(1);
const uint32_t SECOND = TendermintValue::Of(2);
const std::vector<uint32_t> ALL{1, 2, 3, 4};

/**
 * @param ids Numbers of replicas.
 * @return the set of signers of votes
 */
uint64_t
Sign(const std::vector<uint32_t>& ids)
{
    uint64_t signers = 0;
    for (const auto id : ids)
    {
        signers |= uint64_t{1} << id;
    }
    return signers;
}

} // namespace

/**
 * @ingroup defiance-tests
 * @brief One of four replicas locks a value in round 0, receives a quorum for another value in
 * round 1, and gives its lock up for that in round 2.
 */
class LockTestCase : public TestCase
{
  public:
    LockTestCase()
        : TestCase(
              "A replica is locked on a value until it receives a later quorum for another one")
    {
    }

  private:
    using Pairs = std::vector<std::pair<uint32_t, uint32_t>>; //!< Senders and receivers

    /// @param pairs sender and receiver of the message that arrives, for each
    void Deliver(const Pairs& pairs)
    {
        for (const auto& [from, to] : pairs)
        {
            NS_TEST_EXPECT_MSG_EQ(m_group.Deliver(from, to), true, from << " has sent to " << to);
        }
    }

    /// @param pairs sender and receiver of the message that is lost, for each
    void Drop(const Pairs& pairs)
    {
        for (const auto& [from, to] : pairs)
        {
            NS_TEST_EXPECT_MSG_EQ(m_group.Drop(from, to), true, from << " has sent to " << to);
        }
    }

    /**
     * @param id Number of a replica.
     * @param type Type of the vote.
     * @param round Round of the vote.
     * @param value Expected value; -1: it has not voted.
     */
    void ExpectVote(uint32_t id, TendermintVotes::Type type, int32_t round, int64_t value)
    {
        NS_TEST_EXPECT_MSG_EQ(m_group.GetVote(id, type, round),
                              value,
                              "The vote of " << id << " in round " << round);
    }

    /// Deliver all messages in flight; all replicas begin the next round.
    void BeginRound(int32_t round)
    {
        m_group.DeliverAll();
        m_group.Pass(ALL, TendermintGroup::VOTE_TICKS);
        for (const auto id : ALL)
        {
            NS_TEST_EXPECT_MSG_EQ(m_group[id].GetHeight(), 1, "Nothing is decided");
            NS_TEST_EXPECT_MSG_EQ(m_group[id].GetRecord().round, round, "The round of " << id);
        }
    }

    void DoRun() override
    {
        m_group[1].Submit(1);
        m_group[2].Submit(2);
        m_group.Pass(ALL, 1);
        LockInRoundZero();
        BeginRound(1);
        StayLockedInRoundOne();
        BeginRound(2);
        UnlockInRoundTwo();
    }

    /// 3 gets no proposal, and only 4 receives all prevotes of the others.
    void LockInRoundZero()
    {
        const auto& locked = m_group[4].GetRecord();
        Deliver({{1, 2}, {1, 4}});
        Drop({{1, 3}});
        m_group.Pass({3}, TendermintGroup::PROPOSE_TICKS);
        ExpectVote(1, PREVOTE, 0, FIRST);
        ExpectVote(2, PREVOTE, 0, FIRST);
        ExpectVote(3, PREVOTE, 0, NIL);
        ExpectVote(4, PREVOTE, 0, FIRST);
        Deliver({{1, 4}});
        NS_TEST_EXPECT_MSG_EQ(locked.lockedRound, -1, "Two prevotes of four are not a quorum");
        Deliver({{2, 4}});
        NS_TEST_EXPECT_MSG_EQ(locked.lockedRound, 0, "Three are a quorum");
        NS_TEST_EXPECT_MSG_EQ(locked.lockedValue, FIRST, "4 is locked on their value");
        ExpectVote(4, PRECOMMIT, 0, FIRST);
        Drop({{4, 1}, {4, 2}, {4, 3}}); // its prevote
        Deliver({{2, 1}, {3, 1}, {1, 2}, {3, 2}, {1, 3}, {2, 3}});
        m_group.Pass({1, 2, 3}, TendermintGroup::VOTE_TICKS - 1);
        ExpectVote(1, PRECOMMIT, 0, -1);
        m_group.Pass({1, 2, 3}, 1);
        for (const uint32_t id : {1, 2, 3})
        {
            ExpectVote(id, PRECOMMIT, 0, NIL);
            NS_TEST_EXPECT_MSG_EQ(m_group[id].GetRecord().lockedRound, -1, "It is not locked");
        }
    }

    /// 4 prevotes nil; 1 and 2 lock the second value, and 3 knows of it.
    void StayLockedInRoundOne()
    {
        Deliver({{2, 1}, {2, 3}, {2, 4}});
        ExpectVote(1, PREVOTE, 1, SECOND);
        ExpectVote(3, PREVOTE, 1, SECOND);
        ExpectVote(4, PREVOTE, 1, NIL);
        Deliver({{2, 1}, {3, 1}, {1, 2}, {3, 2}});
        ExpectVote(1, PRECOMMIT, 1, SECOND);
        ExpectVote(2, PRECOMMIT, 1, SECOND);
        Deliver({{1, 3}, {4, 3}});
        m_group.Pass({3}, TendermintGroup::VOTE_TICKS);
        ExpectVote(3, PRECOMMIT, 1, NIL);
        Deliver({{2, 3}});
        const auto& late = m_group[3].GetRecord();
        NS_TEST_EXPECT_MSG_EQ(late.validValue, SECOND, "A quorum after the precommit");
        NS_TEST_EXPECT_MSG_EQ(late.validRound, 1, "makes the value valid");
        NS_TEST_EXPECT_MSG_EQ(late.lockedRound, -1, "and locks no replica");
        Deliver({{1, 4}, {2, 4}});
        m_group.Pass({4}, TendermintGroup::VOTE_TICKS);
        ExpectVote(4, PRECOMMIT, 1, NIL);
        NS_TEST_EXPECT_MSG_EQ(m_group[4].GetRecord().lockedValue, FIRST, "4 stays locked");
    }

    /// 3 proposes the second value again, with round 1 as its proof.
    void UnlockInRoundTwo()
    {
        const auto& record = m_group[4].GetRecord();
        NS_TEST_EXPECT_MSG_EQ(record.lockedValue, FIRST, "4 is still locked");
        NS_TEST_EXPECT_MSG_EQ(record.validValue, SECOND, "It knows the quorum of round 1 now");
        const auto proposal = m_group[3].GetRecord().proposals.back();
        NS_TEST_EXPECT_MSG_EQ(proposal.value, SECOND, "3 proposes the valid value");
        NS_TEST_EXPECT_MSG_EQ(proposal.validRound, 1, "with its round");
        Deliver({{3, 4}});
        ExpectVote(4, PREVOTE, 2, SECOND);
        Deliver({{3, 1}, {3, 2}, {3, 4}, {1, 4}});
        NS_TEST_EXPECT_MSG_EQ(record.lockedValue, SECOND, "4 is locked on the other value");
        NS_TEST_EXPECT_MSG_EQ(record.lockedRound, 2, "In this round");
        m_group.DeliverAll();
        for (const auto id : ALL)
        {
            const auto& decisions = m_group.GetStorage(id).GetDecisions();
            NS_TEST_ASSERT_MSG_EQ(decisions.size(), 1, id << " has decided");
            NS_TEST_EXPECT_MSG_EQ(decisions[0].value, SECOND, "The second value");
            NS_TEST_EXPECT_MSG_EQ(decisions[0].round, 2, "In round 2");
        }
    }

    TendermintGroup m_group{4}; //!< The replicas
};

/**
 * @ingroup defiance-tests
 * @brief A quorum of the lock's round or a later one releases a lock, an earlier one does not.
 */
class UnlockTestCase : public TestCase
{
  public:
    UnlockTestCase()
        : TestCase("A quorum of a round before the lock does not unlock")
    {
    }

  private:
    void DoRun() override
    {
        for (const int32_t validRound : {-1, 0, 1, 2})
        {
            auto storage = CreateObject<TendermintStorage>();
            storage->Save({.round = 3,
                           .step = TendermintStep::PROPOSE,
                           .lockedValue = FIRST,
                           .lockedRound = 1,
                           .validValue = FIRST,
                           .validRound = 1,
                           .proposals = {},
                           .votes = {}});
            uint32_t prevoted = 99;
            TendermintCore core(
                {.id = 1},
                storage,
                [](const TendermintMessage&) {},
                [&](const TendermintAct& act) { prevoted = act.value; });
            TendermintMessage message{.type = TendermintMessage::PROPOSAL,
                                      .from = 4,
                                      .to = 1,
                                      .height = 1,
                                      .proposals = {{3, SECOND, validRound}},
                                      .votes = {},
                                      .decisions = {}};
            core.Receive(message);
            NS_TEST_EXPECT_MSG_EQ(prevoted,
                                  (validRound == -1 ? NIL : 99),
                                  "Only nil needs no proof");
            message.type = TendermintMessage::GOSSIP;
            message.votes = {{PREVOTE, validRound, SECOND, Sign({2, 3})}};
            core.Receive(message);
            NS_TEST_EXPECT_MSG_EQ(prevoted,
                                  (validRound == -1 ? NIL : 99),
                                  "Two prevotes are not a proof");
            message.votes = {{PREVOTE, validRound, SECOND, Sign({3, 4})}};
            core.Receive(message);
            NS_TEST_EXPECT_MSG_EQ(prevoted, (validRound >= 1 ? SECOND : NIL), "Three are a proof");
        }
    }
};

/**
 * @ingroup defiance-tests
 * @brief Proposals and votes of a replica survive a crash; received messages do not.
 */
class RestartTestCase : public TestCase
{
  public:
    RestartTestCase()
        : TestCase("A restarted replica does not vote twice")
    {
    }

  private:
    void DoRun() override
    {
        TendermintGroup group(4);
        group[1].Submit(1);
        group.Pass(ALL, 1);
        const auto proposal = group.messages.front();
        NS_TEST_EXPECT_MSG_EQ(proposal.to, 2, "The first message is for 2");
        group.DeliverAll();
        NS_TEST_EXPECT_MSG_EQ(group[2].GetHeight(), 2, "All have decided");
        group.Start(2);
        NS_TEST_EXPECT_MSG_EQ(group[2].GetHeight(), 2, "Decisions are stored");
        group.Pass(ALL, 1);
        group.messages.clear();
        group.Start(2); // it has proposed the empty block
        NS_TEST_EXPECT_MSG_EQ(int(group[2].GetRecord().step),
                              int(TendermintStep::PREVOTE),
                              "It knows its vote");
        group[2].Submit(7);
        group.Pass({2}, 20);
        NS_TEST_EXPECT_MSG_EQ(group.messages.size(), 0, "It sends nothing else");
        NS_TEST_EXPECT_MSG_EQ(group.GetVote(2, PREVOTE, 0), EMPTY, "Its vote is stored");
        const auto twice = [&](const TendermintVotes& votes) {
            group[2].Receive({.type = TendermintMessage::GOSSIP,
                              .from = 3,
                              .to = 2,
                              .height = 2,
                              .proposals = {},
                              .votes = {votes},
                              .decisions = {}});
        };
        twice({PREVOTE, 0, EMPTY, Sign({3, 4})});
        NS_TEST_EXPECT_MSG_EQ(group.GetVote(2, PRECOMMIT, 0),
                              EMPTY,
                              "With its own vote there are three");
        group.Start(2);
        NS_TEST_EXPECT_MSG_EQ(group[2].GetRecord().lockedValue, EMPTY, "The lock is stored");
        twice({PREVOTE, 0, EMPTY, Sign({3, 4})});
        NS_TEST_EXPECT_MSG_EQ(group[2].GetRecord().votes.size(), 2, "One vote of each kind");
    }
};

/**
 * @ingroup defiance-tests
 * @brief A lagging replica catches up: to the round of others, and to their height.
 */
class CatchUpTestCase : public TestCase
{
  public:
    CatchUpTestCase()
        : TestCase("A lagging replica skips rounds, and receives votes and decisions")
    {
    }

  private:
    void DoRun() override
    {
        TendermintGroup group(4, 3);
        group.Pass(ALL, 1);
        TendermintMessage message{.type = TendermintMessage::VOTE,
                                  .from = 2,
                                  .to = 4,
                                  .height = 1,
                                  .proposals = {},
                                  .votes = {{PREVOTE, 5, NIL, Sign({2})}},
                                  .decisions = {}};
        group[4].Receive(message);
        NS_TEST_EXPECT_MSG_EQ(group[4].GetRecord().round, 0, "One replica may be a liar");
        message.from = 3;
        group[4].Receive(message);
        NS_TEST_EXPECT_MSG_EQ(group[4].GetRecord().round, 0, "A replica votes only for itself");
        message.votes = {{PRECOMMIT, 5, NIL, Sign({3})}};
        group[4].Receive(message);
        NS_TEST_EXPECT_MSG_EQ(group[4].GetRecord().round, 5, "Two of four cannot both be liars");

        TendermintGroup lossy(4, 3);
        lossy.Pass(ALL, 1);
        lossy.messages.clear(); // the proposal and the prevote of 1
        lossy.Pass({1}, 3);
        NS_TEST_ASSERT_MSG_EQ(lossy.messages.size(),
                              3,
                              "After three silent ticks it sends its knowledge");
        lossy.DeliverAll();
        NS_TEST_EXPECT_MSG_EQ(lossy[1].GetHeight(), 2, "They decide");

        TendermintGroup late(4, 3);
        for (int round = 0; round < 3; round++)
        {
            late.Pass({1, 2, 3}, 1);
            late.DeliverAll(4);
        }
        NS_TEST_EXPECT_MSG_EQ(late[1].GetHeight(), 4, "Three decide without 4");
        late.messages.clear();
        late.Pass({4}, 4);
        late.DeliverAll();
        NS_TEST_EXPECT_MSG_EQ(late[4].GetHeight(), 4, "4 receives their decisions");
        NS_TEST_EXPECT_MSG_EQ(
            (late.GetStorage(4).GetDecisions() == late.GetStorage(1).GetDecisions()),
            true,
            "with their proofs");
        late[4].Receive({.type = TendermintMessage::DECISIONS,
                         .from = 1,
                         .to = 4,
                         .height = 4,
                         .proposals = {},
                         .votes = {},
                         .decisions = {{0, EMPTY, Sign({1, 2})}}});
        NS_TEST_EXPECT_MSG_EQ(late[4].GetHeight(), 4, "Two precommits prove nothing");
    }
};

/**
 * @ingroup defiance-tests
 * @brief One Byzantine replica of four cannot violate agreement; two can.
 */
class ByzantineTestCase : public TestCase
{
  public:
    ByzantineTestCase()
        : TestCase("More than a third of liars violate agreement, fewer do not")
    {
    }

  private:
    /**
     * Decide a height, without clocks.
     *
     * @param liars Numbers of the liars.
     * @return the decisions of 3 and 4, nil if there is none
     */
    std::pair<uint32_t, uint32_t> Decide(const std::vector<uint32_t>& liars)
    {
        TendermintGroup group(4);
        for (const auto id : ALL)
        {
            group[id].Submit(1);
        }
        for (const auto id : liars)
        {
            group[id].BecomeByzantine();
        }
        group.Pass(ALL, 1);
        group.DeliverAll();
        const auto get = [&](uint32_t id) {
            const auto& decisions = group.GetStorage(id).GetDecisions();
            return decisions.empty() ? NIL : decisions[0].value;
        };
        return {get(3), get(4)};
    }

    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ((Decide({}) == std::pair(FIRST, FIRST)), true, "There is no liar");
        const auto [third, fourth] = Decide({1});
        NS_TEST_EXPECT_MSG_EQ((third == fourth || third == NIL || fourth == NIL),
                              true,
                              "One liar, who even proposes two values");
        NS_TEST_EXPECT_MSG_EQ((Decide({1, 2}) == std::pair(FIRST, EMPTY)), true, "Two liars");
    }
};

/**
 * @ingroup defiance-tests
 * @brief Tendermint without a network.
 */
class TendermintCoreTestSuite : public TestSuite
{
  public:
    TendermintCoreTestSuite()
        : TestSuite("defiance-tendermint-core", Type::UNIT)
    {
        AddTestCase(new LockTestCase, Duration::QUICK);
        AddTestCase(new UnlockTestCase, Duration::QUICK);
        AddTestCase(new RestartTestCase, Duration::QUICK);
        AddTestCase(new CatchUpTestCase, Duration::QUICK);
        AddTestCase(new ByzantineTestCase, Duration::QUICK);
    }
};

/// The one instance that registers the suite.
static TendermintCoreTestSuite g_tendermintCoreTestSuite;
