// SPDX-License-Identifier: GPL-2.0-only

#include "raft-oracles.h"
#include "raft-replica.h"
#include "replica-protocol.h"

#include "ns3/test.h"

#include <string>
#include <vector>

using namespace ns3;

namespace
{

using States = std::vector<ReplicaState>;

/**
 * @param commit Index of its last committed entry.
 * @param log Its log.
 * @return a replica
 */
ReplicaState
MakeState(int64_t commit, std::vector<ReplicaEntry> log)
{
    const auto last = static_cast<int64_t>(log.size());
    return {.values = {0, 9, 0, 0, commit, last, 0}, .log = std::move(log), .internals = {}};
}

/**
 * @param state A replica.
 * @param entries Committed ones that a snapshot replaces.
 * @return the same replica with a snapshot
 */
ReplicaState
Compact(ReplicaState state, uint32_t entries)
{
    for (uint32_t i = 0; i < entries; i++)
    {
        state.digest = Digest(state.digest, state.log[i]);
    }
    state.compacted = entries;
    state.log.erase(state.log.begin(), state.log.begin() + entries);
    return state;
}

/**
 * @param group All replicas.
 * @param before The same replicas a tick ago; empty: unknown.
 * @return the group, with the unchanged part of the logs
 */
ReplicaGroup
Keep(ReplicaGroup group, const ReplicaGroup& before)
{
    for (std::size_t i = 0; i < before.states.size(); i++)
    {
        group.kept.push_back(CountCommon(before.states[i].log, group.states[i].log));
    }
    return group;
}

} // namespace

/**
 * @ingroup defiance-tests
 * @brief Each oracle finds its violations, and reports each once, with replica and reason.
 */
class OraclesTestCase : public TestCase
{
  public:
    OraclesTestCase()
        : TestCase("Each property has a history that violates it")
    {
    }

  private:
    /**
     * Play a history, with and without knowledge of the changes.
     *
     * @param history States at each instant.
     * @param expected Violations of the last state.
     */
    void Expect(const std::vector<States>& history, const std::vector<std::string>& expected)
    {
        ExpectOnce(history, expected, false);
        ExpectOnce(history, expected, true);
    }

    /**
     * @copydoc Expect
     * @param knows Whether the changes since the last instant are known.
     */
    void ExpectOnce(const std::vector<States>& history,
                    const std::vector<std::string>& expected,
                    bool knows)
    {
        RaftOracles oracles;
        std::vector<std::string> violated;
        ReplicaGroup before;
        for (const auto& states : history)
        {
            NS_TEST_EXPECT_MSG_EQ(violated.size(),
                                  0,
                                  "There is no violation before the last instant");
            const auto group = Keep({.states = states, .events = {}}, before);
            violated = oracles.Check(group);
            before = knows ? group : ReplicaGroup{};
        }
        std::string text;
        for (const auto& each : violated)
        {
            text += each + "\n";
        }
        NS_TEST_EXPECT_MSG_EQ((violated == expected), true, "Reported instead: " << text);
        NS_TEST_EXPECT_MSG_EQ(oracles.Check({.states = history.back(), .events = {}}).size(),
                              0,
                              "A violation is reported once");
    }

    void DoRun() override
    {
        const auto none = MakeState(0, {});
        const auto one = MakeState(1, {{1, 1}});
        const auto held = MakeState(0, {{1, 1}});
        Expect({{one, held, none},
                {one, one, held},
                {one, MakeState(2, {{1, 1}, {2, 0}}), MakeState(1, {{1, 1}, {2, 0}})}},
               {});
        CheckElections();
        Expect({{none, MakeState(0, {{1, 1}, {2, 3}}), MakeState(0, {{1, 2}, {2, 3}})}},
               {"log_matching: replicas 2 and 3 have (term 1, request 1) and (term 1, request 2) "
                "at index 1, but entries of one term at 2"});
        Expect({{one, held, none}, {one, MakeState(0, {{2, 2}}), MakeState(1, {{2, 2}})}},
               {"state_machine_safety: replica 3 has committed (term 2, request 2) at index 1, "
                "where (term 1, request 1) was committed",
                "commit_durability: (term 1, request 1) was committed at index 1, and only 1 of 3 "
                "replicas have it"});
        Expect({{one, held, held}, {none, held, held}},
               {"reduced_log: replica 1 has 0 entries, and had committed 1"});
        Expect({{one, held, held}, {MakeState(0, {{2, 2}}), held, held}},
               {"modified_log: replica 1 has (term 2, request 2) at index 1, and had committed "
                "(term 1, request 1)"});
        Expect({{one, held, none}, {one, none, none}},
               {"commit_durability: (term 1, request 1) was committed at index 1, and only 1 of 3 "
                "replicas have it"});
        Expect({{MakeState(1, {}), none, none}},
               {"state_machine_safety: replica 1 has committed up to index 1, and has 0 entries"});
        const auto two = MakeState(2, {{1, 1}, {1, 2}});
        Expect({{two, two, none}, {Compact(two, 1), Compact(two, 2), none}}, {});
        auto wrong = Compact(two, 2);
        wrong.digest++;
        Expect({{two, two, two}, {two, wrong, two}},
               {"state_machine_safety: replica 2 has a snapshot of 2 entries that is not of those "
                "which were committed"});
    }

    /// Two leaders in one term, of which one has crashed since.
    void CheckElections()
    {
        RaftOracles oracles;
        const States states(3, MakeState(0, {}));
        const auto lead = [](uint32_t replica, int64_t term) {
            return ReplicaEvent{replica, RaftReplica::BECAME_LEADER, term};
        };
        const auto first = oracles.Check({states, {lead(1, 3), lead(2, 4), lead(1, 3)}});
        NS_TEST_EXPECT_MSG_EQ(first.size(), 0, "One leader in each term");
        const auto second = oracles.Check({states, {lead(3, 3)}});
        NS_TEST_ASSERT_MSG_EQ(second.size(), 1, "Two in term 3");
        NS_TEST_EXPECT_MSG_EQ(second[0],
                              "election_safety: replicas 1 and 3 became leader in term 3",
                              "The replicas and the term");
    }
};

/**
 * @ingroup defiance-tests
 * @brief Unchanged entries are not checked again, however long a log is.
 */
class KeptTestCase : public TestCase
{
  public:
    KeptTestCase()
        : TestCase("Unchanged entries are not checked again")
    {
    }

  private:
    void DoRun() override
    {
        RaftOracles oracles;
        const States well(3, MakeState(2, {{1, 1}, {1, 2}}));
        NS_TEST_EXPECT_MSG_EQ(oracles.Check({.states = well, .events = {}}).size(),
                              0,
                              "All logs are equal");
        auto states = well;
        states[0].log[0] = {2, 2};
        ReplicaGroup group{.states = states, .events = {}};
        group.kept = {2, 2, 2};
        NS_TEST_EXPECT_MSG_EQ(oracles.Check(group).size(), 0, "The log is not checked");
        group.kept = {0, 2, 2};
        const auto violated = oracles.Check(group).size();
        NS_TEST_EXPECT_MSG_EQ(violated, 4, "Its log, its committed entries, and the two others");
    }
};

/**
 * @ingroup defiance-tests
 * @brief The oracles of Raft's guarantees.
 */
class RaftOraclesTestSuite : public TestSuite
{
  public:
    RaftOraclesTestSuite()
        : TestSuite("defiance-raft-oracles", Type::UNIT)
    {
        AddTestCase(new OraclesTestCase, Duration::QUICK);
        AddTestCase(new KeptTestCase, Duration::QUICK);
    }
};

/// The one instance that registers the suite.
static RaftOraclesTestSuite g_raftOraclesTestSuite;
