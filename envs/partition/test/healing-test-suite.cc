// SPDX-License-Identifier: GPL-2.0-only

#include "healing-phase.h"
#include "raft-group.h"
#include "raft-protocol.h"
#include "tendermint-group.h"
#include "tendermint-protocol.h"
#include "tester-parameters.h"

#include "ns3/nstime.h"
#include "ns3/test.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint32_t LIMIT = 16; // ticks without progress, with a request in every second one

using Texts = std::vector<std::string>;

/**
 * @param ticks Ticks without progress.
 * @return parameters of a phase
 */
TesterParameters
Within(uint32_t ticks)
{
    return {.healingTicks = ticks, .stableTicks = 2};
}

/**
 * @param commits Committed entries of each replica.
 * @param log Requests in each log.
 * @param leader Number of the leader; 0: none.
 * @return Raft replicas
 */
ReplicaGroup
MakeGroup(const std::vector<int64_t>& commits, const std::vector<uint32_t>& log, int64_t leader = 1)
{
    ReplicaGroup group;
    group.requests = 5;
    for (const auto commit : commits)
    {
        ReplicaState state;
        const bool leads = static_cast<int64_t>(group.states.size()) + 1 == leader;
        const auto role = static_cast<int64_t>(leads ? RaftRole::LEADER : RaftRole::FOLLOWER);
        state.values = {role, 1, 0, leader, commit, static_cast<int64_t>(log.size()), 0};
        for (const auto request : log)
        {
            state.log.push_back({.term = 1, .request = request});
        }
        group.states.push_back(state);
    }
    return group;
}

} // namespace

/**
 * @ingroup defiance-tests
 * @brief The requirements of a healing phase, tick by tick.
 */
class HealingPhaseTestCase : public TestCase
{
  public:
    HealingPhaseTestCase()
        : TestCase("Two new requests must be committed, and the leader must remain")
    {
    }

  private:
    void DoRun() override
    {
        PassWhenBothRequestsAreCommitted();
        NameWhoIsBehind();
        WaitWhileThereIsProgress();
        RequireAStableLeader();
        RepeatRequestsThatAreLost();
        CountEntriesInSnapshots();
        SpareLiars();
    }

    void PassWhenBothRequestsAreCommitted()
    {
        HealingPhase phase(m_protocol, MakeGroup({1, 2, 2}, {3, 5}), Within(LIMIT));
        NS_TEST_EXPECT_MSG_EQ(phase.WantsRequest(), true, "The first request");
        auto group = MakeGroup({2, 2, 2}, {3, 5, 6});
        group.requests = 6;
        phase.NoteTick(group, 6);
        NS_TEST_EXPECT_MSG_EQ(phase.WantsRequest(), false, "The request is pending");
        group = MakeGroup({3, 2, 3}, {3, 5, 6});
        group.requests = 6;
        phase.NoteTick(group, 0);
        NS_TEST_EXPECT_MSG_EQ(phase.WantsRequest(), false, "One replica has not committed it");
        group = MakeGroup({3, 3, 3}, {3, 5, 6});
        group.requests = 6;
        phase.NoteTick(group, 0);
        NS_TEST_EXPECT_MSG_EQ(phase.WantsRequest(), true, "The second request");
        NS_TEST_EXPECT_MSG_EQ(phase.IsOver(), false, "One replica is not enough");
        Finish(phase);
        NS_TEST_EXPECT_MSG_EQ(phase.WantsRequest(), false, "There is no third request");
        NS_TEST_EXPECT_MSG_EQ(phase.IsOver(), false, "The leader may change");
        phase.NoteTick(MakeGroup({4, 4, 4}, {3, 5, 6, 7}), 0);
        NS_TEST_EXPECT_MSG_EQ(phase.IsOver(), false, "The leader may change");
        phase.NoteTick(MakeGroup({4, 4, 4}, {3, 5, 6, 7}), 0);
        NS_TEST_EXPECT_MSG_EQ(phase.IsOver(), true, "The replicas are healed");
        NS_TEST_EXPECT_MSG_EQ((phase.FindViolations() == Texts{}), true, "There is no violation");
    }

    void NameWhoIsBehind()
    {
        HealingPhase phase(m_protocol, MakeGroup({1, 2, 2}, {3, 5}), Within(3));
        for (int tick = 0; tick < 3; tick++)
        {
            NS_TEST_EXPECT_MSG_EQ(phase.IsOver(), false, "There is time left");
            phase.NoteTick(MakeGroup({1, 2, 2}, {3, 5}), tick == 0 ? 6 : 0);
        }
        NS_TEST_EXPECT_MSG_EQ(phase.IsOver(), true, "There is no time left");
        const Texts expected{
            "convergence: 2 entries are committed, and replica 1 has 1 after 3 ticks of healing",
            "liveness: no replica has committed new request 1 of 2 after 3 ticks of healing"};
        NS_TEST_EXPECT_MSG_EQ((phase.FindViolations() == expected), true, "Both properties");
    }

    /// @param phase a phase with one pending request, which is committed and followed by another
    static void Finish(HealingPhase& phase)
    {
        phase.NoteTick(MakeGroup({4, 4, 4}, {3, 5, 6, 7}), 7);
    }

    void WaitWhileThereIsProgress()
    {
        const auto behind = [](int64_t commit, std::size_t stored) {
            auto group = MakeGroup({commit, 5, 5}, {1, 2, 3, 4, 5});
            group.states[0].log.resize(stored);
            return group;
        };
        HealingPhase phase(m_protocol, behind(0, 0), Within(2));
        for (const auto& [commit, stored] : {std::pair(0, 1), std::pair(0, 4), std::pair(3, 4)})
        {
            phase.NoteTick(behind(commit, stored), 0);
            phase.NoteTick(behind(commit, stored), 0);
            NS_TEST_EXPECT_MSG_EQ(phase.IsOver(), false, "Entries are stored or committed");
        }
        phase.NoteTick(behind(1, 2), 0);
        NS_TEST_EXPECT_MSG_EQ(phase.IsOver(), true, "To repeat progress is none");
        const Texts expected{
            "convergence: 5 entries are committed, and replica 1 has 1 after 7 ticks of healing, 2 "
            "of them without progress",
            "liveness: no replica has committed new request 1 of 2 after 7 ticks of healing, 2 of "
            "them without progress"};
        NS_TEST_EXPECT_MSG_EQ((phase.FindViolations() == expected), true, "Both properties");
    }

    void RequireAStableLeader()
    {
        NS_TEST_EXPECT_MSG_EQ(FindInstability({1, 2, 1, 2, 1, 2}),
                              "stability: leadership has changed 5 times in the last 6 ticks of "
                              "healing, and was never stable for 2 ticks",
                              "The leader changes with each tick");
        NS_TEST_EXPECT_MSG_EQ(FindInstability({2, 1, 2, 2, 2}), "", "The leader remains");
        NS_TEST_EXPECT_MSG_EQ(FindInstability({0, 0, 0, 0, 0, 0}),
                              "stability: leadership has changed 1 times in the last 6 ticks of "
                              "healing, and was never stable for 2 ticks",
                              "No replica leads");
    }

    /**
     * @param leaders The leader after each tick, when all requests are committed.
     * @return the violations of the phase
     */
    std::string FindInstability(const std::vector<int64_t>& leaders)
    {
        HealingPhase phase(m_protocol, MakeGroup({2, 2, 2}, {3, 5}), Within(4));
        auto group = MakeGroup({3, 3, 3}, {3, 5, 6});
        group.requests = 6;
        phase.NoteTick(group, 6);
        Finish(phase);
        for (const auto leader : leaders)
        {
            NS_TEST_EXPECT_MSG_EQ(phase.IsOver(), false, "The leader is not stable yet");
            phase.NoteTick(MakeGroup({4, 4, 4}, {3, 5, 6, 7}, leader), 0);
        }
        NS_TEST_EXPECT_MSG_EQ(phase.IsOver(), true, "The leader is stable, or time is up");
        const auto found = phase.FindViolations();
        return found.empty() ? "" : found.front();
    }

    void RepeatRequestsThatAreLost()
    {
        HealingPhase phase(m_protocol, MakeGroup({0, 0, 0}, {}), Within(LIMIT));
        std::string wishes;
        for (int tick = 0; tick < 6; tick++)
        {
            wishes += phase.WantsRequest() ? "x" : "-";
            phase.NoteTick(MakeGroup({0, 0, 0}, {}), phase.WantsRequest() ? 6 : 0);
        }
        NS_TEST_EXPECT_MSG_EQ(wishes, "x--x--", "The next request follows after some ticks");
    }

    void CountEntriesInSnapshots()
    {
        const auto group = MakeGroup({1, 1, 1}, {5});
        HealingPhase phase(m_protocol, group, Within(LIMIT));
        auto later = MakeGroup({3, 3, 3}, {5, 6, 7});
        for (auto& state : later.states)
        {
            state.compacted = 1;
            state.log.erase(state.log.begin());
        }
        later.requests = 6;
        phase.NoteTick(later, 6);
        NS_TEST_EXPECT_MSG_EQ(phase.WantsRequest(), true, "Request 6 is found after the snapshot");
    }

    void SpareLiars()
    {
        auto group = MakeGroup({2, 2, 2}, {3, 5});
        group.states[1].byzantine = true;
        group.states[1].values[RaftReplica::COMMIT] = 9;
        HealingPhase phase(m_protocol, group, Within(1));
        group = MakeGroup({3, 0, 3}, {3, 5, 6});
        group.states[1].byzantine = true;
        phase.NoteTick(group, 6);
        phase.NoteTick(group, 0);
        const Texts expected{"liveness: no replica has committed new request 2 of 2 after 2 ticks "
                             "of healing, 1 of them without progress"};
        NS_TEST_EXPECT_MSG_EQ((phase.FindViolations() == expected),
                              true,
                              "The first request is committed");
    }

    RaftProtocol m_protocol; //!< Protocol of the replicas
};

/**
 * @ingroup defiance-tests
 * @brief A protocol with an unknown log.
 */
class LoglessProtocol : public RaftProtocol
{
    std::optional<std::size_t> CountCommitted(const ReplicaState& /* state */) const override
    {
        return {};
    }
};

/**
 * @ingroup defiance-tests
 * @brief Healing needs a log.
 */
class LoglessTestCase : public TestCase
{
  public:
    LoglessTestCase()
        : TestCase("Replicas that do not report their committed entries cannot be healed")
    {
    }

  private:
    void DoRun() override
    {
        const TesterParameters parameters{.healing = "at_end"};
        const auto fault = parameters.FindContradiction(LoglessProtocol());
        NS_TEST_EXPECT_MSG_NE(fault.find("override CountCommitted()"), std::string::npos, fault);
        NS_TEST_EXPECT_MSG_EQ(parameters.FindContradiction(RaftProtocol()),
                              "",
                              "Raft reports them");
    }
};

/**
 * @ingroup defiance-tests
 * @brief A bug that stops progress, and that only a healing phase finds.
 *
 * @tparam Group The replicas.
 * @tparam Protocol Protocol of the replicas.
 */
template <typename Group, typename Protocol>
class HealedBugTestCase : public TestCase
{
  public:
    using Maker =
        std::function<std::unique_ptr<Group>(bool)>; //!< Makes replicas, with or without bug

    /**
     * @param name Name of the bug.
     * @param make Makes the replicas.
     * @param play Events before the healing phase.
     * @param property The violated property.
     */
    HealedBugTestCase(const std::string& name,
                      Maker make,
                      void (*play)(Group&),
                      std::string property)
        : TestCase(name + " is found by healing, and no violation without it"),
          m_make(std::move(make)),
          m_play(play),
          m_property(std::move(property))
    {
    }

  private:
    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(Heal(false), "", "There is no violation without the bug");
        NS_TEST_EXPECT_MSG_EQ(Heal(true), m_property, "The violated property");
    }

    /**
     * @param isWrong Whether the replicas have the bug.
     * @return the properties violated in a healing phase; or the violations before it
     */
    std::string Heal(bool isWrong)
    {
        const auto group = m_make(isWrong);
        Protocol protocol;
        m_play(*group);
        auto states = group->Look();
        std::string found;
        for (const auto& violation : protocol.Check(states))
        {
            found += "before: " + violation;
        }
        states.requests = 2;
        HealingPhase phase(protocol, states, {.tick = MilliSeconds(20)});
        uint32_t requests = states.requests;
        while (!phase.IsOver())
        {
            const bool hasTaker = !protocol.FindTakers(states.states).empty();
            const bool asks = phase.WantsRequest() && hasTaker;
            requests += asks;
            for (const auto id :
                 asks ? protocol.FindTakers(states.states) : std::vector<uint32_t>{})
            {
                (*group)[id].Submit(requests);
            }
            group->DeliverOld();
            for (uint32_t id = 1; id <= states.states.size(); id++)
            {
                (*group)[id].Tick();
            }
            states = group->Look();
            states.requests = requests;
            phase.NoteTick(states, asks ? requests : 0);
        }
        for (const auto& violation : phase.FindViolations())
        {
            found += (found.empty() ? "" : " ") + violation.substr(0, violation.find(':'));
        }
        return found;
    }

    Maker m_make;           //!< Makes the replicas
    void (*m_play)(Group&); //!< Events before the healing phase
    std::string m_property; //!< The violated property
};

namespace
{

/// R9 and R10: a follower that lacks entries gets a new leader.
void
LagBehindANewLeader(RaftGroup& group)
{
    group.Win(1, {2});
    group[1].Submit(1);
    group[1].Submit(2);
    group.Exchange(1, 2); // 3 has none of the entries
    group.Win(2, {1});
}

/// T8: a height is decided, and a lock of it remains.
void
DecideAHeight(TendermintGroup& group)
{
    for (uint32_t id = 1; id <= 4; id++)
    {
        group[id].Submit(1);
    }
    group.Pass({1, 2, 3, 4}, 1);
    group.DeliverAll();
}

} // namespace

/**
 * @ingroup defiance-tests
 * @brief Healing phases.
 */
class HealingTestSuite : public TestSuite
{
  public:
    HealingTestSuite()
        : TestSuite("defiance-healing", Type::UNIT)
    {
        AddTestCase(new HealingPhaseTestCase, Duration::QUICK);
        AddTestCase(new LoglessTestCase, Duration::QUICK);
        AddRaft("R9", "convergence");
        AddRaft("R10", "stability");
        const auto tendermint = [](bool isWrong) {
            const auto bug = isWrong ? TENDERMINT_BUGS.Find("T8") : TendermintBug::NONE;
            return std::make_unique<TendermintGroup>(4, 5, bug);
        };
        AddTestCase(new HealedBugTestCase<TendermintGroup, TendermintProtocol>("T8",
                                                                               tendermint,
                                                                               DecideAHeight,
                                                                               "liveness"),
                    Duration::QUICK);
    }

  private:
    /**
     * @param bug Name of a bug of Raft.
     * @param property The violated property.
     */
    void AddRaft(const std::string& bug, const std::string& property)
    {
        const auto make = [bug](bool isWrong) {
            return std::make_unique<RaftGroup>(3,
                                               true,
                                               0,
                                               isWrong ? RAFT_BUGS.Find(bug) : RaftBug::NONE);
        };
        AddTestCase(new HealedBugTestCase<RaftGroup, RaftProtocol>(bug,
                                                                   make,
                                                                   LagBehindANewLeader,
                                                                   property),
                    Duration::QUICK);
    }
};

/// The one instance that registers the suite.
static HealingTestSuite g_healingTestSuite;
