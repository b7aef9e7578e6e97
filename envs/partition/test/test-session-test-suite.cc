// SPDX-License-Identifier: GPL-2.0-only

#include "raft-protocol.h"
#include "test-session.h"

#include "ns3/test.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/**
 * @ingroup defiance-tests
 * @brief A player that records its decisions and its end.
 */
class NotingPlayer : public TestPlayer
{
  public:
    void Ask() override
    {
        asked++;
    }

    void Earn(double reward) override
    {
        earned += reward;
    }

    void End(bool terminated) override
    {
        end = terminated ? "terminated" : "cut";
    }

    int asked{0};     //!< Number of decisions
    double earned{0}; //!< Sum of rewards
    std::string end;  //!< How it ended
};

} // namespace

/**
 * @ingroup defiance-tests
 * @brief A test of three artificial replicas.
 */
class SessionTestCase : public TestCase
{
  public:
    using TestCase::TestCase;

  protected:
    /**
     * Begin a test.
     *
     * @param parameters The allowed actions.
     * @param players Number of players.
     */
    void Begin(const TesterParameters& parameters, std::size_t players = 1)
    {
        session = std::make_unique<TestSession>(
            parameters,
            m_protocol,
            [this](uint32_t id, const ReplicaCommand& command) { commands[id] = command; });
        m_players.resize(players);
        for (auto& player : m_players)
        {
            session->Join(player);
        }
        actions = std::make_unique<TesterActions>(parameters, TesterRole::TESTER);
        session->Begin();
        Report();
    }

    /**
     * Let all replicas report a tick.
     *
     * @param pending Held messages, known or new.
     * @param failure Reason of a replica's crash; empty: all run.
     * @param commit Entries committed by all.
     * @param failed Number of the replica that crashes.
     */
    void Report(const std::vector<PendingMessage>& pending = {},
                const std::string& failure = "",
                int64_t commit = 0,
                uint32_t failed = 1)
    {
        const auto tick = commands.at(1).tick;
        for (uint32_t id = 1; id <= 3; id++)
        {
            ReplicaReport report{.tick = tick, .replica = id};
            report.state.values = {0, 1, 0, 0, commit, commit, 0};
            report.state.log.resize(commit, {.term = 1, .request = 0});
            for (const auto& message : pending)
            {
                if (message.to == id)
                {
                    report.pending.push_back(message);
                }
            }
            if (id == failed && !failure.empty())
            {
                report.state.active = false;
                report.failure = failure;
            }
            session->TakeReport(report);
        }
    }

    /**
     * Act, and let a step of one tick pass.
     *
     * @param action The action.
     */
    void Step(TesterAction action)
    {
        session->Act(action, *actions);
        Report();
    }

    std::unique_ptr<TestSession> session;        //!< The test
    std::unique_ptr<TesterActions> actions;      //!< Allowed actions
    std::map<uint32_t, ReplicaCommand> commands; //!< Last command to each replica
    std::vector<NotingPlayer> m_players;         //!< Players

  private:
    RaftProtocol m_protocol; //!< Protocol of the replicas
};

/**
 * @ingroup defiance-tests
 * @brief The messages that are delivered and dropped before each tick.
 */
class DropRuleTestCase : public SessionTestCase
{
  public:
    DropRuleTestCase()
        : SessionTestCase("Messages between blocks are dropped by the rule")
    {
    }

  private:
    void DoRun() override
    {
        const std::vector<PendingMessage> held{{1, 2, 1, 5, 0}, {1, 3, 2, 4, 0}, {2, 1, 2, 6, 0}};
        using Numbers = std::vector<uint64_t>;
        const std::map<std::string, std::pair<bool, bool>> rules{{"every_tick", {true, true}},
                                                                 {"first_tick", {true, false}},
                                                                 {"hold", {false, false}}};
        for (const auto& [rule, drops] : rules)
        {
            Begin({.ticksPerPartition = 2, .painter = "id", .dropRule = rule});
            Step({TesterAction::KEEP, 0});
            Report(held);                                      // the end of the step
            session->Act({TesterAction::CREATE, 4}, *actions); // each replica is alone
            NS_TEST_EXPECT_MSG_EQ(
                (commands[2].dropped == (drops.first ? Numbers{1, 2} : Numbers{})),
                true,
                rule << " at the first tick");
            Report(held);
            NS_TEST_EXPECT_MSG_EQ(
                (commands[2].dropped == (drops.second ? Numbers{1, 2} : Numbers{})),
                true,
                rule << " at the second tick");
            NS_TEST_EXPECT_MSG_EQ(commands[2].released.size(), 0, "Nothing is delivered");
        }
        Begin({.mostMessages = 2, .painter = "id"});
        session->Act({TesterAction::KEEP, 0}, *actions);
        Report(held);
        NS_TEST_EXPECT_MSG_EQ((commands[2].released == Numbers{1}), true, "The oldest messages");
        NS_TEST_EXPECT_MSG_EQ((commands[1].released == Numbers{1}), true, "Two of them");
    }
};

/**
 * @ingroup defiance-tests
 * @brief Messages from and to a stopped replica.
 */
class StopTestCase : public SessionTestCase
{
  public:
    StopTestCase()
        : SessionTestCase("Messages come before a stop, unless it is at the start of a tick")
    {
    }

  private:
    void DoRun() override
    {
        using Numbers = std::vector<uint64_t>;
        for (const std::string point : {"any", "start"})
        {
            const bool passes = point == "any";
            const auto delivered = passes ? Numbers{1} : Numbers{};
            Begin({.ticksPerPartition = 1, .painter = "id", .crashPoint = point});
            session->Act({TesterAction::KEEP, 0}, *actions);
            Report({{1, 2, 1, 5, 0}, {1, 1, 2, 6, 0}});
            session->Act(StopOf2(), *actions);
            NS_TEST_EXPECT_MSG_EQ(int(commands[2].power), int(ReplicaCommand::STOP), "It stops");
            NS_TEST_EXPECT_MSG_EQ((commands[2].detail != 0), passes, "Within the tick");
            NS_TEST_EXPECT_MSG_EQ((commands[2].released == delivered), true, "Messages to it");
            NS_TEST_EXPECT_MSG_EQ((commands[1].released == delivered), true, "Messages from it");
            const std::vector<PendingMessage> last{{1, 2, 1, 7, 0}};
            Report(last);
            session->Act({TesterAction::KEEP, 0}, *actions);
            NS_TEST_EXPECT_MSG_EQ((commands[1].released == delivered), true, "Its last message");
            Report(last);
            session->Act({TesterAction::CREATE, 0}, *actions);
            NS_TEST_EXPECT_MSG_EQ((commands[1].dropped == Numbers{1}), true, "A division cuts it");
        }
    }

    /**
     * @return the action that stops replica 2
     */
    TesterAction StopOf2() const
    {
        const auto& slots = session->GetPartition().GetSlots();
        const auto slot = std::find(slots.begin(), slots.end(), 2) - slots.begin();
        return {TesterAction::STOP, static_cast<uint32_t>(slot)};
    }
};

/**
 * @ingroup defiance-tests
 * @brief A replica that crashes by itself is a violation, and leaves its block.
 */
class FailureTestCase : public SessionTestCase
{
  public:
    FailureTestCase()
        : SessionTestCase("A process that ends by itself is a violation")
    {
    }

  private:
    void DoRun() override
    {
        for (const bool stops : {true, false})
        {
            Begin({.stopsOnViolation = stops, .painter = "id"});
            NS_TEST_EXPECT_MSG_EQ(m_players[0].asked, 1, "The player decides");
            session->Act({TesterAction::STOP, 2}, *actions);
            Report({}, "a bug");
            const auto& violations = session->GetStep().violations;
            NS_TEST_ASSERT_MSG_EQ(violations.size(), 1, "There is one violation");
            NS_TEST_EXPECT_MSG_EQ(violations[0],
                                  "replica_crash: replica 1: a bug",
                                  "The replica and the reason");
            NS_TEST_EXPECT_MSG_EQ(session->GetPartition().IsActive(1), false, "It is down");
            NS_TEST_EXPECT_MSG_EQ(m_players[0].earned, 1, "The violation earns a reward");
            NS_TEST_EXPECT_MSG_EQ(m_players[0].end,
                                  (stops ? "terminated" : ""),
                                  "The episode ends as configured");
            m_players.clear();
        }
    }
};

/**
 * @ingroup defiance-tests
 * @brief Ticks without progress are counted while all are together, and again after a warning.
 */
class ProgressTestCase : public SessionTestCase
{
  public:
    ProgressTestCase()
        : SessionTestCase("A lack of progress is reported after its duration")
    {
    }

  private:
    /**
     * @param commit Entries committed by all at the end of a step.
     * @return whether there is a warning
     */
    bool Warns(int64_t commit)
    {
        session->Act({TesterAction::KEEP, 0}, *actions);
        Report({}, "", commit);
        return !session->GetStep().warnings.empty();
    }

    void DoRun() override
    {
        Begin({.ticksPerPartition = 1, .noProgressTicks = 3, .painter = "id"});
        for (const auto& [commit, warns] : std::vector<std::pair<int64_t, bool>>{{0, false},
                                                                                 {0, false},
                                                                                 {1, false},
                                                                                 {1, false},
                                                                                 {1, false},
                                                                                 {1, true},
                                                                                 {1, false},
                                                                                 {2, false}})
        {
            NS_TEST_EXPECT_MSG_EQ(Warns(commit),
                                  warns,
                                  "There is no leader, so progress is required");
        }
    }
};

/**
 * @ingroup defiance-tests
 * @brief Three players act in turn, and their actions reach replicas within one tick.
 */
class RolesTestCase : public SessionTestCase
{
  public:
    RolesTestCase()
        : SessionTestCase("Players act in turn before time passes")
    {
    }

  private:
    void DoRun() override
    {
        Begin({.ticksPerPartition = 1,
               .horizon = 1,
               .roles = true,
               .painter = "id",
               .delivery = "network"},
              3);
        const auto begun = session->GetConcreteHash();
        session->Act({TesterAction::KEEP, 0}, *actions);
        NS_TEST_EXPECT_MSG_EQ(m_players[1].asked, 1, "The second player decides");
        NS_TEST_EXPECT_MSG_NE(session->GetConcreteHash(),
                              begun,
                              "The hash depends on the player that decides");
        session->Act({TesterAction::STOP, 0}, *actions);
        const auto stopped = session->GetPartition().GetSlots().back();
        NS_TEST_EXPECT_MSG_EQ(session->GetPartition().CountActive(),
                              2,
                              "Its action is visible immediately");
        NS_TEST_EXPECT_MSG_EQ(commands.at(stopped).tick, 1, "No time has passed");
        session->Act({TesterAction::CREATE, 2}, *actions); // 0, 1, 0
        NS_TEST_EXPECT_MSG_EQ(int(commands.at(stopped).power), int(ReplicaCommand::STOP), "Now");
        const auto one = session->GetPartition().GetSlots()[0];
        const auto other = session->GetPartition().GetSlots()[1];
        NS_TEST_EXPECT_MSG_EQ((commands.at(one).cut == std::vector<uint32_t>{other}),
                              true,
                              "The two running replicas are separated");
        NS_TEST_EXPECT_MSG_EQ(m_players[0].end, "", "The step is not over");
        Report();
        for (const auto& player : m_players)
        {
            NS_TEST_EXPECT_MSG_EQ(player.end, "cut", "The horizon holds for all");
        }
    }
};

/**
 * @ingroup defiance-tests
 * @brief A healed episode ends with one more step, in which all replicas run.
 */
class HealTestCase : public SessionTestCase
{
  public:
    HealTestCase()
        : SessionTestCase("A healing phase starts all replicas, and delivers all messages")
    {
    }

  private:
    void DoRun() override
    {
        const TesterParameters parameters{.mostMessages = 1,
                                          .horizon = 1,
                                          .painter = "id",
                                          .healing = "at_end",
                                          .healingTicks = 2};
        Begin(parameters);
        session->Act({TesterAction::STOP, 2}, *actions);
        const std::vector<PendingMessage> held{{1, 2, 1, 5, 0}, {1, 1, 2, 6, 0}};
        Report(held);
        NS_TEST_EXPECT_MSG_EQ(m_players[0].end, "", "The episode continues");
        TesterActions all(parameters, TesterRole::TESTER);
        const auto mask = all.GetMask(session->GetPartition(), session->GetCounts());
        NS_TEST_EXPECT_MSG_EQ(std::count(mask.begin(), mask.end(), 1), 1, "One action is left");
        NS_TEST_EXPECT_MSG_EQ(mask.back(), 1, "It is the last action");
        session->Act(all.Get(all.Count() - 1), all);
        for (uint32_t id = 1; id <= 3; id++)
        {
            const auto power = commands.at(id).power;
            NS_TEST_EXPECT_MSG_EQ(int(power), int(ReplicaCommand::HEAL), "All run");
        }
        NS_TEST_EXPECT_MSG_EQ(commands[1].released.size(), 1, "All messages are delivered");
        NS_TEST_EXPECT_MSG_EQ(commands[2].released.size(),
                              1,
                              "Any number of messages is delivered");
        NS_TEST_EXPECT_MSG_EQ(session->GetPartition().IsOne(), true, "All are together");
        Report();
        NS_TEST_EXPECT_MSG_EQ(m_players[0].end, "", "There is a tick left");
        Report();
        NS_TEST_EXPECT_MSG_EQ(m_players[0].end, "terminated", "There is no leader");
        const auto& step = session->GetStep();
        NS_TEST_ASSERT_MSG_EQ(step.violations.size(), 1, "No request was or is committed");
        NS_TEST_EXPECT_MSG_EQ(step.violations[0].substr(0, 9), "liveness:", "The property");
        NS_TEST_EXPECT_MSG_EQ(step.healingTicks, 2, "The configured number of ticks");
    }
};

/**
 * @ingroup defiance-tests
 * @brief Delayed messages wait for their release, and newer messages overtake them.
 */
class DelayTestCase : public SessionTestCase
{
  public:
    DelayTestCase()
        : SessionTestCase("Newer messages overtake delayed ones")
    {
    }

  private:
    using Numbers = std::vector<uint64_t>;

    /**
     * @param numbers Numbers of messages from replica 1 to replica 2, the oldest first.
     * @return the messages
     */
    static std::vector<PendingMessage> Hold(const Numbers& numbers)
    {
        std::vector<PendingMessage> held;
        for (const auto number : numbers)
        {
            held.push_back({number, 1, 2, static_cast<int64_t>(number), 0});
        }
        return held;
    }

    /**
     * @param kind The action on messages to replica 2.
     * @return the action
     */
    TesterAction About2(TesterAction::Kind kind) const
    {
        const auto& slots = session->GetPartition().GetSlots();
        const auto slot = std::find(slots.begin(), slots.end(), 2) - slots.begin();
        return {kind, static_cast<uint32_t>(slot)};
    }

    /**
     * @param kind The action on messages to replica 2.
     * @return whether the action is allowed
     */
    bool IsAllowed(TesterAction::Kind kind) const
    {
        const auto wanted = About2(kind);
        const auto mask = actions->GetMask(session->GetPartition(), session->GetCounts());
        uint32_t index = 0;
        while (actions->Get(index).kind != kind || actions->Get(index).argument != wanted.argument)
        {
            index++;
        }
        return mask[index] == 1;
    }

    /**
     * Let a tick pass.
     *
     * @param held Held messages at its end.
     * @param released Messages handed over at the next tick, if this step has one.
     */
    void Tick(const Numbers& held, const Numbers& released)
    {
        Report(Hold(held));
        NS_TEST_EXPECT_MSG_EQ((commands[2].released == released), true, "The messages handed over");
    }

    void DoRun() override
    {
        Begin({.ticksPerPartition = 2, .withDelays = true, .painter = "id"});
        NS_TEST_EXPECT_MSG_EQ(actions->Count(), 19, "Two more for each replica");
        NS_TEST_EXPECT_MSG_EQ(IsAllowed(TesterAction::RELEASE), false, "No message waits");
        session->Act({TesterAction::KEEP, 0}, *actions);
        Tick({1}, {1});
        Report(Hold({2}));
        session->Act(About2(TesterAction::DELAY), *actions);
        NS_TEST_EXPECT_MSG_EQ(commands[2].released.size(), 0, "The message waits");
        Tick({2, 3}, {}); // the second one has arrived in this step
        const auto before = session->GetConcreteHash();
        Report(Hold({2, 3, 4}));
        NS_TEST_EXPECT_MSG_EQ(session->GetDelays().Count(), 2, "The last one arrived too late");
        NS_TEST_EXPECT_MSG_EQ(session->GetStates().at(1).delayed,
                              true,
                              "The state contains the delay");
        NS_TEST_EXPECT_MSG_NE(session->GetConcreteHash(), before, "It determines the next state");
        NS_TEST_EXPECT_MSG_EQ(IsAllowed(TesterAction::RELEASE), true, "It may be released");
        session->Act({TesterAction::CREATE, 4}, *actions); // each replica is alone
        Tick({2, 3}, {});
        Report(Hold({2, 3}));
        session->Act({TesterAction::CREATE, 0}, *actions); // all together
        Tick({2, 3, 5}, {5});
        Report(Hold({2, 3, 6}));
        session->Act(About2(TesterAction::RELEASE), *actions);
        NS_TEST_EXPECT_MSG_EQ((commands[2].released == Numbers{6, 2, 3}), true, "The newest first");
        Report();
        NS_TEST_EXPECT_MSG_EQ(session->GetStates().at(1).delayed, false, "No message waits");
        session->Act(About2(TesterAction::DELAY), *actions);
        Tick({7}, {});
        Report({}, "a bug", 0, 2);
        NS_TEST_EXPECT_MSG_EQ(session->GetDelays().Count(), 0, "A crash lost the message");
    }
};

/**
 * @ingroup defiance-tests
 * @brief The work of a step does not grow with the log.
 */
class LongLogTestCase : public SessionTestCase
{
  public:
    LongLogTestCase()
        : SessionTestCase("The hashed bytes of a step do not grow with logs")
    {
    }

  private:
    void DoRun() override
    {
        Begin({.requests = 0, .horizon = 10});
        Step({.kind = TesterAction::START, .argument = 0});
        const auto text = session->GetConcreteText();
        session->Act({.kind = TesterAction::START, .argument = 0}, *actions);
        Report({}, "", 1000);
        NS_TEST_EXPECT_MSG_EQ(session->GetStates().at(0).log.size(), 1000, "A log has grown");
        NS_TEST_EXPECT_MSG_EQ(session->GetConcreteText().size(),
                              text.size(),
                              "Logs are reported as a hash");
        session->Act({.kind = TesterAction::START, .argument = 0}, *actions);
        const auto tick = commands.at(1).tick;
        for (uint32_t id = 1; id <= 3; id++)
        {
            ReplicaReport report{.tick = tick, .replica = id, .kept = 1000};
            report.state.values = {0, 1, 0, 0, 1000, 1001, 0};
            report.state.log = {{.term = 2, .request = 0}};
            session->TakeReport(report);
        }
        const auto& log = session->GetStates().at(2).log;
        NS_TEST_EXPECT_MSG_EQ(log.size(), 1001, "New entries are appended to the kept log");
        NS_TEST_EXPECT_MSG_EQ(log.back().term, 2, "At the end");
        uint64_t digest = 0;
        for (const auto& entry : log)
        {
            digest = Digest(digest, entry);
        }
        NS_TEST_EXPECT_MSG_EQ(session->GetController().GetLogDigest(3),
                              digest,
                              "The hash is that of the whole log");
    }
};

/**
 * @ingroup defiance-tests
 * @brief Tests, step by step.
 */
class TestSessionTestSuite : public TestSuite
{
  public:
    TestSessionTestSuite()
        : TestSuite("defiance-test-session", Type::UNIT)
    {
        AddTestCase(new DropRuleTestCase, Duration::QUICK);
        AddTestCase(new StopTestCase, Duration::QUICK);
        AddTestCase(new FailureTestCase, Duration::QUICK);
        AddTestCase(new ProgressTestCase, Duration::QUICK);
        AddTestCase(new RolesTestCase, Duration::QUICK);
        AddTestCase(new HealTestCase, Duration::QUICK);
        AddTestCase(new DelayTestCase, Duration::QUICK);
        AddTestCase(new LongLogTestCase, Duration::QUICK);
    }
};

/// The one instance that registers the suite.
static TestSessionTestSuite g_testSessionTestSuite;
