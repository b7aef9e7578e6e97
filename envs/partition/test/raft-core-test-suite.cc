// SPDX-License-Identifier: GPL-2.0-only

#include "raft-group.h"
#include "raft-header.h"

#include "ns3/packet.h"
#include "ns3/test.h"

using namespace ns3;

namespace
{

using Entries = std::vector<ReplicaEntry>;

} // namespace

/**
 * @ingroup defiance-tests
 * @brief Two of five replicas are candidates in one term, and neither gets three votes.
 */
class SplitVoteTestCase : public TestCase
{
  public:
    SplitVoteTestCase()
        : TestCase("A split vote elects no leader, and the next term elects one")
    {
    }

  private:
    void DoRun() override
    {
        RaftGroup group(5, true);
        group.TimeOut(1);
        group.TimeOut(2);
        NS_TEST_EXPECT_MSG_EQ(group.messages.size(), 8, "Both request votes of all others");
        for (const auto& [candidate, voter] : {std::pair(1, 3), {2, 4}})
        {
            group.Deliver(candidate, voter);
            NS_TEST_EXPECT_MSG_EQ(group[voter].GetVote(),
                                  candidate,
                                  "The first candidate gets the vote");
            group.Deliver(voter, candidate);
        }
        for (const auto& [candidate, voter] : {std::pair(1, 2), {2, 1}, {1, 4}, {2, 3}})
        {
            group.Deliver(candidate, voter);
            NS_TEST_EXPECT_MSG_EQ(group.messages.back().accepted, false, "There is one vote each");
            group.Deliver(voter, candidate);
        }
        for (const uint32_t candidate : {1, 2})
        {
            NS_TEST_EXPECT_MSG_EQ((group[candidate].GetRole() == RaftRole::CANDIDATE),
                                  true,
                                  "Two votes of five are not a majority");
        }
        group.messages.clear(); // messages to 5 are lost
        group.TimeOut(1);
        NS_TEST_EXPECT_MSG_EQ(group[1].GetTerm(), 2, "A new election is a new term");
        group.Deliver(1, 5);
        group.Deliver(5, 1);
        NS_TEST_EXPECT_MSG_EQ((group[1].GetRole() == RaftRole::CANDIDATE), true, "Two votes");
        group.Deliver(1, 3);
        NS_TEST_EXPECT_MSG_EQ(group[3].GetVote(), 1, "In a new term there is a new vote");
        group.Deliver(3, 1);
        NS_TEST_EXPECT_MSG_EQ((group[1].GetRole() == RaftRole::LEADER), true, "Three votes");
        NS_TEST_EXPECT_MSG_EQ(group.ledTerms[1], 2, "It leads term 2");
        group.Exchange(1, 2);
        NS_TEST_EXPECT_MSG_EQ((group[2].GetRole() == RaftRole::FOLLOWER),
                              true,
                              "It becomes a follower");
        NS_TEST_EXPECT_MSG_EQ(group[2].GetLeader(), 1, "It knows the leader");
        NS_TEST_EXPECT_MSG_EQ((group.GetStorage(2).GetLog() == Entries{{2, 0}}),
                              true,
                              "It has the leader's entry");
    }
};

/**
 * @ingroup defiance-tests
 * @brief Figure 8 of Ongaro and Ousterhout (2014): an entry of an earlier term on a majority of
 * replicas is not committed by that, as it may still be overwritten.
 */
class EarlierTermTestCase : public TestCase
{
  public:
    /**
     * @param commits Whether an entry of the current term follows: (e) of the figure, else (d).
     */
    explicit EarlierTermTestCase(bool commits)
        : TestCase(commits
                       ? "An entry of an earlier term is committed with one of the current term"
                       : "An entry of an earlier term is overwritten although a majority had it"),
          m_commits(commits)
    {
    }

  private:
    void DoRun() override
    {
        RaftGroup group(5, false);
        BeginAsInTheFigure(group);
        NS_TEST_ASSERT_MSG_EQ((group[1].GetRole() == RaftRole::LEADER), true, "Term 4, (c)");
        group.Exchange(1, 2);
        group.Exchange(1, 3);
        for (const uint32_t id : {1, 2, 3})
        {
            NS_TEST_EXPECT_MSG_EQ((group.GetStorage(id).GetLog() == Entries{{1, 1}, {2, 2}}),
                                  true,
                                  "Three of five have the entry of term 2");
        }
        NS_TEST_EXPECT_MSG_EQ(group[1].GetCommit(), 0, "Nothing is committed since its restart");
        m_commits ? Commit(group) : Overwrite(group);
    }

    /**
     * Get to (c): 1 leads term 4, and has an entry of term 2, like 2; 5 is down, and has
     * one of term 3 at the same index.
     *
     * @param group The replicas.
     */
    void BeginAsInTheFigure(RaftGroup& group)
    {
        group.Elect(1, {2, 3});
        group.messages.clear();
        group[1].Submit(1);
        for (const uint32_t id : {2, 3, 4, 5})
        {
            group.Exchange(1, id);
        }
        NS_TEST_EXPECT_MSG_EQ(group[1].GetCommit(), 1, "All have the first entry");
        group.Start(1);
        group.Elect(1, {2, 3, 4, 5});
        group.messages.clear();
        group[1].Submit(2);
        group.Exchange(1, 2); // (a)
        group.messages.clear();
        group.Start(1);
        group.Elect(5, {3, 4});
        NS_TEST_EXPECT_MSG_EQ(group.ledTerms[5], 3, "5 leads term 3");
        group[5].Submit(3); // (b)
        group.messages.clear();
        group.Elect(1, {2, 3});
        group.messages.clear();
        if (group[1].GetRole() != RaftRole::LEADER)
        {
            group.Elect(1, {2, 3}); // 3 has voted for 5 in term 3
        }
        NS_TEST_EXPECT_MSG_EQ(group.ledTerms[1], 4, "1 leads term 4");
    }

    /**
     * (e): an entry of term 4 is replicated, and commits the entries before it.
     *
     * @param group The replicas.
     */
    void Commit(RaftGroup& group)
    {
        group.messages.clear();
        group[1].Submit(4);
        group.Exchange(1, 2);
        NS_TEST_EXPECT_MSG_EQ(group[1].GetCommit(), 0, "Two of five have the entry");
        group.Exchange(1, 3);
        NS_TEST_EXPECT_MSG_EQ(group[1].GetCommit(), 3, "Three have it");
        group.Start(5);
        group.Elect(5, {2, 3, 4});
        NS_TEST_EXPECT_MSG_EQ(group.ledTerms[5], 0, "Only 4 votes for an older log");
        NS_TEST_EXPECT_MSG_EQ((group[5].GetRole() == RaftRole::LEADER), false, "It cannot win");
    }

    /**
     * (d): 5 is elected, and replaces the entry of term 2.
     *
     * @param group The replicas.
     */
    void Overwrite(RaftGroup& group)
    {
        group.messages.clear();
        group.Start(1);
        group.Start(5);
        group.Elect(5, {2, 3, 4});
        if (group[5].GetRole() != RaftRole::LEADER)
        {
            group.messages.clear();
            group.Elect(5, {2, 3, 4}); // at first, its term was behind
        }
        NS_TEST_EXPECT_MSG_EQ((group[5].GetRole() == RaftRole::LEADER), true, "Its log is newer");
        for (const uint32_t id : {1, 2, 3, 4})
        {
            group.Exchange(5, id);
            NS_TEST_EXPECT_MSG_EQ((group.GetStorage(id).GetLog() == Entries{{1, 1}, {3, 3}}),
                                  true,
                                  "The entry of term 2 is gone from " << id);
        }
        NS_TEST_EXPECT_MSG_EQ(group[5].GetCommit(),
                              0,
                              "The entry of term 3 is not committed either");
    }

    bool m_commits; //!< (e), not (d)
};

/**
 * @ingroup defiance-tests
 * @brief Followers with messages that are late, duplicate, or of another log.
 */
class ConsistencyTestCase : public TestCase
{
  public:
    ConsistencyTestCase()
        : TestCase("A follower accepts entries that fit its log, and keeps its own")
    {
    }

  private:
    void DoRun() override
    {
        RaftGroup group(3, false);
        group.Elect(1, {2});
        for (uint32_t request = 1; request <= 5; request++)
        {
            group[1].Submit(request);
        }
        auto late = group.messages; // equal entries several times, at most two in each message
        group.messages.clear();
        group[1].Tick(); // a heartbeat from entry 1 on
        group.Exchange(1, 2);
        NS_TEST_EXPECT_MSG_EQ(group.GetStorage(2).GetLog().size(), 5, "All parts are consecutive");
        NS_TEST_EXPECT_MSG_EQ(group[1].GetCommit(), 5, "Two of three have the entries");
        for (const auto& message : late)
        {
            group[message.to].Receive(message);
            group[message.to].Receive(message);
        }
        NS_TEST_EXPECT_MSG_EQ(group.GetStorage(2).GetLog().size(),
                              5,
                              "An old message removes nothing");
        NS_TEST_EXPECT_MSG_EQ(group.GetStorage(3).GetLog().size(),
                              2,
                              "It contains the entries of the message");
        RaftMessage gap{.type = RaftMessage::APPEND_ENTRIES,
                        .from = 1,
                        .to = 3,
                        .term = 1,
                        .index = 4,
                        .logTerm = 1,
                        .entries = {{1, 5}}};
        group[3].Receive(gap);
        NS_TEST_EXPECT_MSG_EQ(group.GetStorage(3).GetLog().size(), 2, "A gap is refused");
        NS_TEST_EXPECT_MSG_EQ(group.messages.back().index,
                              2,
                              "The result has the length of the log");
        gap.term = 0;
        group[3].Receive(gap);
        NS_TEST_EXPECT_MSG_EQ(group.messages.back().accepted, false, "Its term has ended");
        gap.to = 2;
        group[3].Receive(gap);
        NS_TEST_EXPECT_MSG_EQ(group.messages.back().from, 3, "Messages to others have no effect");
    }
};

/**
 * @ingroup defiance-tests
 * @brief Term, vote and log survive a crash; role, leader and commit index do not.
 */
class StorageTestCase : public TestCase
{
  public:
    StorageTestCase()
        : TestCase("A restarted replica has its vote and its log")
    {
    }

  private:
    void DoRun() override
    {
        RaftGroup group(3, true);
        group.Elect(1, {2});
        group.Exchange(1, 2);
        NS_TEST_EXPECT_MSG_EQ(group[1].GetCommit(), 1, "Its entry is committed");
        group.Start(2);
        NS_TEST_EXPECT_MSG_EQ(group[2].GetTerm(), 1, "The term is stored");
        NS_TEST_EXPECT_MSG_EQ(group[2].GetVote(), 1, "The vote is stored");
        NS_TEST_EXPECT_MSG_EQ((group.GetStorage(2).GetLog() == Entries{{1, 0}}),
                              true,
                              "The log is stored");
        NS_TEST_EXPECT_MSG_EQ(group[2].GetCommit(), 0, "The commit index is not");
        group.messages.clear();
        group[2].Receive({.type = RaftMessage::REQUEST_VOTE,
                          .from = 3,
                          .to = 2,
                          .term = 1,
                          .index = 9,
                          .logTerm = 1});
        NS_TEST_EXPECT_MSG_EQ(group.messages.back().accepted, false, "It does not vote twice");
        group.Start(1);
        NS_TEST_EXPECT_MSG_EQ((group[1].GetRole() == RaftRole::FOLLOWER), true, "It led before");
        NS_TEST_EXPECT_MSG_EQ(group[1].Submit(1), false, "A follower takes no requests");
    }
};

/**
 * @ingroup defiance-tests
 * @brief Snapshots replace committed entries, and bring lagging replicas up to date.
 */
class CompactionTestCase : public TestCase
{
  public:
    CompactionTestCase()
        : TestCase("A snapshot replaces committed entries, and is sent to replicas that lack them")
    {
    }

  private:
    void DoRun() override
    {
        RaftGroup group(3, false, 2);
        group.Elect(1, {2});
        for (uint32_t request = 1; request <= 3; request++)
        {
            group[1].Submit(request);
        }
        group.Exchange(1, 2);
        group.messages.clear(); // 3 has nothing
        NS_TEST_EXPECT_MSG_EQ(group[1].GetCommit(), 3, "Two of three have all entries");
        NS_TEST_EXPECT_MSG_EQ(group.GetStorage(1).GetLog().size(), 3, "Not immediately");
        group[1].Tick();
        NS_TEST_EXPECT_MSG_EQ(group.GetStorage(1).GetSnapshotIndex(),
                              0,
                              "Not at the first tick either");
        group.Exchange(1, 2);
        group.messages.clear();
        group[1].Submit(4);
        group[1].Tick();
        const auto& leader = group.GetStorage(1);
        NS_TEST_EXPECT_MSG_EQ(leader.GetSnapshotIndex(), 3, "The entries committed a tick ago");
        NS_TEST_EXPECT_MSG_EQ(leader.GetSnapshotTerm(), 1, "The term of the last of them");
        NS_TEST_EXPECT_MSG_EQ((leader.GetLog() == Entries{{1, 4}}), true, "The rest stays");
        uint64_t digest = 0;
        for (uint32_t request = 1; request <= 3; request++)
        {
            digest = Digest(digest, {1, request});
        }
        NS_TEST_EXPECT_MSG_EQ(leader.GetDigest(), digest, "The hash of all of them");

        const auto& late = group.GetStorage(3);
        const auto sent = group.messages; // to 2 and to 3
        group.Exchange(1, 3);
        NS_TEST_EXPECT_MSG_EQ(late.GetSnapshotIndex(), 3, "3 has the snapshot");
        NS_TEST_EXPECT_MSG_EQ(late.GetDigest(), digest, "The same snapshot");
        NS_TEST_EXPECT_MSG_EQ((late.GetLog() == Entries{{1, 4}}), true, "And the entries after it");
        NS_TEST_EXPECT_MSG_EQ(group[1].GetCommit(), 4, "These are committed with it");
        for (const auto& message : sent)
        {
            group[3].Receive({message.type,
                              1,
                              3,
                              message.term,
                              message.index,
                              message.logTerm,
                              message.commit,
                              false,
                              message.digest,
                              message.entries});
        }
        NS_TEST_EXPECT_MSG_EQ((late.GetLog() == Entries{{1, 4}}),
                              true,
                              "An old message has no effect");
        group[3].Receive({.type = RaftMessage::APPEND_ENTRIES,
                          .from = 1,
                          .to = 3,
                          .term = 1,
                          .index = 1,
                          .logTerm = 1,
                          .entries = {{1, 2}, {1, 3}, {1, 4}, {1, 5}}});
        NS_TEST_EXPECT_MSG_EQ((late.GetLog() == Entries{{1, 4}, {1, 5}}),
                              true,
                              "Of entries before the snapshot only the rest is taken");
        group.Start(3);
        NS_TEST_EXPECT_MSG_EQ(group[3].GetCommit(),
                              3,
                              "A snapshot is committed, after a crash too");
        InstallOverOthers();
    }

    /// A snapshot replaces a log that does not fit, and keeps one that does.
    void InstallOverOthers()
    {
        RaftGroup group(3, false, 2);
        group.Elect(2, {3});
        group[2].Submit(7);
        RaftMessage snapshot{.type = RaftMessage::INSTALL_SNAPSHOT,
                             .from = 1,
                             .to = 2,
                             .term = 2,
                             .index = 1,
                             .logTerm = 2,
                             .digest = 5};
        group[2].Receive(snapshot);
        NS_TEST_EXPECT_MSG_EQ(group.GetStorage(2).GetLog().size(), 0, "Its entry was another one");
        NS_TEST_EXPECT_MSG_EQ(group.GetStorage(2).GetDigest(), 5, "The snapshot replaces it");
        NS_TEST_EXPECT_MSG_EQ(group.messages.back().accepted,
                              true,
                              "The follower accepts the snapshot");
        snapshot.term = 1;
        snapshot.index = 9;
        group[2].Receive(snapshot);
        NS_TEST_EXPECT_MSG_EQ(group.messages.back().accepted,
                              false,
                              "A message of an earlier leader");
        NS_TEST_EXPECT_MSG_EQ(group.GetStorage(2).GetSnapshotIndex(), 1, "has no effect");
    }
};

/**
 * @ingroup defiance-tests
 * @brief Messages in packets.
 */
class RaftHeaderTestCase : public TestCase
{
  public:
    RaftHeaderTestCase()
        : TestCase("A message is equal after it was in a packet")
    {
    }

  private:
    void DoRun() override
    {
        const RaftMessage message{RaftMessage::APPEND_ENTRIES, 1, 2, 3, 4, 5, 6, true, 9, {{7, 8}}};
        auto packet = Create<Packet>();
        packet->AddHeader(RaftHeader(message));
        NS_TEST_EXPECT_MSG_EQ(packet->GetSize(), 48, "The documented size");
        RaftHeader header;
        NS_TEST_EXPECT_MSG_EQ(packet->PeekHeader(header), 48, "All bytes are read");
        NS_TEST_EXPECT_MSG_EQ(header.IsValid(), true, "It is a message");
        NS_TEST_EXPECT_MSG_EQ((header.GetMessage() == message), true, "The contents are equal");
        for (const uint32_t missing : {1, 8, 47})
        {
            packet->Copy()->CreateFragment(0, 48 - missing)->PeekHeader(header);
            NS_TEST_EXPECT_MSG_EQ(header.IsValid(), false, missing << " bytes are missing");
        }
        Create<Packet>(100)->PeekHeader(header);
        NS_TEST_EXPECT_MSG_EQ(header.IsValid(), false, "Zeros are not a message");
    }
};

/**
 * @ingroup defiance-tests
 * @brief Raft without a network.
 */
class RaftCoreTestSuite : public TestSuite
{
  public:
    RaftCoreTestSuite()
        : TestSuite("defiance-raft-core", Type::UNIT)
    {
        AddTestCase(new SplitVoteTestCase, Duration::QUICK);
        AddTestCase(new EarlierTermTestCase(true), Duration::QUICK);
        AddTestCase(new EarlierTermTestCase(false), Duration::QUICK);
        AddTestCase(new ConsistencyTestCase, Duration::QUICK);
        AddTestCase(new StorageTestCase, Duration::QUICK);
        AddTestCase(new CompactionTestCase, Duration::QUICK);
        AddTestCase(new RaftHeaderTestCase, Duration::QUICK);
    }
};

/// The one instance that registers the suite.
static RaftCoreTestSuite g_raftCoreTestSuite;
