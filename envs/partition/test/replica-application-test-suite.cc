// SPDX-License-Identifier: GPL-2.0-only

#include "raft-replica.h"
#include "raft-storage.h"
#include "replica-network.h"

#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <functional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

using namespace ns3;

/**
 * @ingroup defiance-tests
 * @brief Raft replicas on a star of links, driven tick by tick.
 */
class ReplicaTestCase : public TestCase
{
  public:
    using TestCase::TestCase;

  protected:
    /**
     * Build replicas, and start them.
     *
     * @param count Number of replicas.
     */
    void Build(uint32_t count)
    {
        network = ReplicaTopology::GetAll().at("star").build(count, {.delay = MilliSeconds(1)});
        for (uint32_t i = 0; i < count; i++)
        {
            auto replica = CreateObject<RaftReplica>();
            replica->SetParameters({.electionTicks = 10, .heartbeatTicks = 1});
            replica->SetGroup(i + 1, network->addresses);
            network->nodes.Get(i)->AddApplication(replica);
            replicas.push_back(replica);
        }
        Pass(1);
    }

    /**
     * Let time pass: at each tick held messages arrive, if they may.
     *
     * @param ticks Number of ticks.
     * @param mayPass Whether a message from one replica to another arrives; else it is discarded.
     */
    void Pass(
        uint32_t ticks,
        const std::function<bool(uint32_t, uint32_t)>& mayPass = [](uint32_t, uint32_t) {
            return true;
        })
    {
        for (uint32_t i = 0; i < ticks; i++)
        {
            for (const auto& replica : replicas)
            {
                const auto interceptor = replica->GetInterceptor();
                const auto held = interceptor->GetHeld();
                for (const auto& [number, message] : held)
                {
                    mayPass(message.from, replica->GetId()) ? interceptor->Release(number)
                                                            : interceptor->Discard(number);
                }
            }
            for (const auto& replica : replicas)
            {
                replica->Tick();
            }
            Simulator::Stop(MilliSeconds(10));
            Simulator::Run();
        }
    }

    /**
     * @return the number of the only leader; 0: there is none, or there are several
     */
    uint32_t FindLeader() const
    {
        uint32_t found = 0;
        for (const auto& replica : replicas)
        {
            const auto state = replica->Snapshot();
            if (state.active && state.values[RaftReplica::ROLE] == 2)
            {
                found = found == 0 ? replica->GetId() : 0;
            }
        }
        return found;
    }

    /**
     * @param id Number of a replica.
     * @param field Index of a value.
     * @return the value
     */
    int64_t Get(uint32_t id, RaftReplica::Field field) const
    {
        return replicas.at(id - 1)->Snapshot().values[field];
    }

    std::unique_ptr<ReplicaNetwork> network;       //!< Network of the replicas
    std::vector<Ptr<ReplicaApplication>> replicas; //!< In the order of their numbers

  private:
    void DoTeardown() override
    {
        replicas.clear();
        network.reset();
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief Replicas elect a leader over the network, commit requests, and survive its crash.
 */
class LeaderCrashTestCase : public ReplicaTestCase
{
  public:
    LeaderCrashTestCase()
        : ReplicaTestCase("Requests are committed, also after the leader has crashed")
    {
    }

  private:
    void DoRun() override
    {
        Build(3);
        Pass(60);
        const auto first = FindLeader();
        NS_TEST_ASSERT_MSG_NE(first, 0, "There is one leader");
        NS_TEST_EXPECT_MSG_EQ(replicas[first % 3]->Submit(1), false, "Followers refuse requests");
        NS_TEST_EXPECT_MSG_EQ(replicas[first - 1]->Submit(1), true, "The leader accepts them");
        Pass(4);
        for (uint32_t id = 1; id <= 3; id++)
        {
            NS_TEST_EXPECT_MSG_EQ(Get(id, RaftReplica::COMMIT),
                                  2,
                                  "Its own entry, and the request");
        }
        replicas[first - 1]->Crash();
        replicas[first - 1]->Crash(); // once is enough
        NS_TEST_EXPECT_MSG_EQ(replicas[first - 1]->IsActive(), false, "It is down");
        NS_TEST_EXPECT_MSG_EQ(replicas[first - 1]->Submit(2), false, "It accepts nothing");
        NS_TEST_EXPECT_MSG_EQ(Get(first, RaftReplica::INDEX), 2, "Its disk has the log");
        Pass(60);
        const auto second = FindLeader();
        NS_TEST_ASSERT_MSG_NE(second, 0, "There is another leader");
        NS_TEST_ASSERT_MSG_NE(second, first, "It is not the crashed leader");
        replicas[second - 1]->Submit(2);
        Pass(4);
        replicas[first - 1]->Restart();
        Pass(8);
        NS_TEST_EXPECT_MSG_EQ(
            (replicas[first - 1]->Snapshot().log == replicas[second - 1]->Snapshot().log),
            true,
            "It catches up");
        NS_TEST_EXPECT_MSG_EQ(Get(first, RaftReplica::COMMIT), 4, "and commits");
        replicas[first - 1]->Reset();
        NS_TEST_EXPECT_MSG_EQ(Get(first, RaftReplica::TERM), 0, "A new disk is empty");
    }
};

/**
 * @ingroup defiance-tests
 * @brief A minority with the leader commits nothing; the majority continues without it.
 */
class PartitionTestCase : public ReplicaTestCase
{
  public:
    PartitionTestCase()
        : ReplicaTestCase("The old leader of a minority commits nothing")
    {
    }

  private:
    void DoRun() override
    {
        Build(5);
        Pass(60);
        const auto old = FindLeader();
        NS_TEST_ASSERT_MSG_NE(old, 0, "There is one leader");
        const auto follower = old % 5 + 1;
        const auto isMinority = [&](uint32_t id) { return id == old || id == follower; };
        const auto within = [&](uint32_t from, uint32_t to) {
            return isMinority(from) == isMinority(to);
        };
        Pass(2, within);
        replicas[old - 1]->Submit(1);
        Pass(60, within);
        NS_TEST_EXPECT_MSG_EQ(Get(old, RaftReplica::COMMIT), 1, "Two of five have the request");
        NS_TEST_EXPECT_MSG_EQ(Get(follower, RaftReplica::INDEX), 2, "The other replica has it");
        Pass(6);
        const auto now = FindLeader();
        NS_TEST_ASSERT_MSG_NE(now, 0, "All follow one leader again");
        NS_TEST_EXPECT_MSG_EQ(isMinority(now), false, "It belongs to the majority");
        for (uint32_t id = 1; id <= 5; id++)
        {
            NS_TEST_EXPECT_MSG_EQ(
                (replicas[id - 1]->Snapshot().log == replicas[now - 1]->Snapshot().log),
                true,
                "The request is gone from all, also from " << id);
        }
    }
};

/**
 * @ingroup defiance-tests
 * @brief The fates of messages that an interceptor holds.
 */
class InterceptorTestCase : public ReplicaTestCase
{
  public:
    InterceptorTestCase()
        : ReplicaTestCase("Messages are held until they are released or discarded")
    {
    }

  private:
    void DoRun() override
    {
        Build(3);
        const auto timesOut = [&] { return Get(1, RaftReplica::TERM) > 0; };
        while (!timesOut())
        {
            replicas[0]->Tick();
        }
        NS_TEST_EXPECT_MSG_EQ(replicas[1]->GetInterceptor()->GetHeld().size(), 0, "In flight");
        Simulator::Stop(MilliSeconds(10));
        Simulator::Run();
        const auto held = replicas[1]->GetInterceptor()->GetHeld();
        NS_TEST_ASSERT_MSG_EQ(held.size(), 1, "It has crossed the network");
        NS_TEST_EXPECT_MSG_EQ(held.begin()->second.from, 1, "Its sender is known");
        NS_TEST_EXPECT_MSG_GT(held.begin()->second.arrived, MilliSeconds(12), "After two links");
        NS_TEST_EXPECT_MSG_LT(held.begin()->second.arrived, MilliSeconds(13), "After two links");
        NS_TEST_EXPECT_MSG_EQ(Get(2, RaftReplica::TERM), 0, "The replica has not received it");
        replicas[1]->GetInterceptor()->Release(held.begin()->first);
        NS_TEST_EXPECT_MSG_EQ(Get(2, RaftReplica::TERM), 1, "It has received it");
        NS_TEST_EXPECT_MSG_EQ(replicas[1]->GetInterceptor()->GetHeld().size(),
                              0,
                              "It is no longer held");
        replicas[2]->Crash();
        NS_TEST_EXPECT_MSG_EQ(replicas[2]->GetInterceptor()->GetHeld().size(), 0, "It is lost");
        replicas[2]->Restart();
        NS_TEST_EXPECT_MSG_EQ(Get(3, RaftReplica::TERM), 0, "It is never received");
        // Two equal messages are two messages.
        auto packet = Create<Packet>(3);
        replicas[2]->GetInterceptor()->Hold(1, packet);
        replicas[2]->GetInterceptor()->Hold(1, packet);
        NS_TEST_EXPECT_MSG_EQ(replicas[2]->GetInterceptor()->GetHeld().size(), 2, "Each is held");
    }
};

/**
 * @ingroup defiance-tests
 * @brief A protocol with a bug: it throws at the second tick after its start.
 */
class BuggyReplica : public ReplicaApplication
{
    void Recover(Ptr<StableStorage> /* storage */) override
    {
        m_ticks = 0;
    }

    void Forget() override
    {
        m_forgotten++;
    }

    void OnTick() override
    {
        const std::vector<int> onlyOne(1);
        onlyOne.at(m_ticks++);
    }

    bool OnSubmit(uint32_t request) override
    {
        return request == 1;
    }

    void OnMessage(uint32_t /* from */, Ptr<const Packet> /* packet */) override
    {
    }

    ReplicaState DoSnapshot(Ptr<const StableStorage> /* storage */) const override
    {
        ReplicaState state;
        state.values = {m_forgotten};
        return state;
    }

    Ptr<StableStorage> MakeStorage() const override
    {
        return CreateObject<RaftStorage>();
    }

    uint32_t m_ticks{0};     //!< Since its start
    uint32_t m_forgotten{0}; //!< Crashes
};

/**
 * @ingroup defiance-tests
 * @brief An exception is a crash of the one process that throws it.
 */
class BuggyReplicaTestCase : public TestCase
{
  public:
    BuggyReplicaTestCase()
        : TestCase("An exception of a protocol ends its process, and nothing else")
    {
    }

  private:
    void DoRun() override
    {
        const auto network = ReplicaTopology::GetAll().at("star").build(2, {});
        auto replica = CreateObject<BuggyReplica>();
        replica->SetGroup(1, network->addresses);
        network->nodes.Get(0)->AddApplication(replica);
        std::string reason;
        replica->TraceConnectWithoutContext(
            "Failure",
            Callback<void, const std::string&>([&](const std::string& told) { reason = told; }));
        Simulator::Stop(MilliSeconds(1));
        Simulator::Run();
        replica->Tick();
        NS_TEST_EXPECT_MSG_EQ(replica->IsActive(), true, "The first tick succeeds");
        NS_TEST_EXPECT_MSG_EQ(replica->Submit(2), false, "It refuses a request");
        NS_TEST_EXPECT_MSG_EQ(replica->Submit(1), true, "and accepts another one");
        replica->Tick();
        NS_TEST_EXPECT_MSG_EQ(replica->IsActive(), false, "The second tick throws");
        NS_TEST_EXPECT_MSG_NE(reason.find("range"), std::string::npos, "The reason: " << reason);
        NS_TEST_EXPECT_MSG_EQ(replica->Snapshot().values[0], 1, "It has lost its memory, once");
        NS_TEST_EXPECT_MSG_EQ(replica->Submit(1), false, "It accepts nothing");
        replica->Restart();
        replica->Tick();
        NS_TEST_EXPECT_MSG_EQ(replica->IsActive(), true, "It runs again");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief A disk that counts its writes.
 */
class CountingStorage : public StableStorage
{
  public:
    void Erase() override
    {
        writes = 0;
    }

    void Write() //!< Count a write
    {
        BeforeWrite();
        writes++;
    }

    int64_t writes{0}; //!< Number of writes
};

/**
 * @ingroup defiance-tests
 * @brief A replica that writes, sends and writes in each tick, and writes for each request.
 */
class WritingReplica : public ReplicaApplication
{
    void Recover(Ptr<StableStorage> storage) override
    {
        m_disk = DynamicCast<CountingStorage>(storage);
    }

    void Forget() override
    {
        m_disk = nullptr;
    }

    void OnTick() override
    {
        m_disk->Write();
        Send(2, Create<Packet>(1));
        m_disk->Write();
    }

    bool OnSubmit(uint32_t /* request */) override
    {
        m_disk->Write();
        return false;
    }

    void OnMessage(uint32_t /* from */, Ptr<const Packet> /* packet */) override
    {
    }

    ReplicaState DoSnapshot(Ptr<const StableStorage> storage) const override
    {
        ReplicaState state;
        state.values = {DynamicCast<const CountingStorage>(storage)->writes};
        return state;
    }

    Ptr<StableStorage> MakeStorage() const override
    {
        return CreateObject<CountingStorage>();
    }

    Ptr<CountingStorage> m_disk; //!< Disk, while the process runs
};

/**
 * @ingroup defiance-tests
 * @brief A process is killed at each point of its calls, and never after them.
 */
class CrashPointTestCase : public TestCase
{
  public:
    CrashPointTestCase()
        : TestCase("A process is killed before, between and after the effects of its calls")
    {
    }

  private:
    using Point =
        std::tuple<bool, int64_t, uint32_t>; //!< Whether a request is refused, writes, messages

    void DoRun() override
    {
        const auto network = ReplicaTopology::GetAll().at("star").build(2, {});
        auto replica = CreateObject<WritingReplica>();
        replica->SetGroup(1, network->addresses);
        network->nodes.Get(0)->AddApplication(replica);
        uint32_t sent = 0;
        replica->TraceConnectWithoutContext(
            "Send",
            Callback<void, uint32_t, Ptr<const Packet>>([&](auto, auto) { sent++; }));
        Simulator::Stop(MilliSeconds(1));
        Simulator::Run();
        std::set<Point> points;
        for (uint64_t draw = 1; draw < 200; draw++)
        {
            replica->Reset();
            sent = 0;
            replica->CrashWithin(2, draw);
            const bool refused = !replica->Submit(1);
            replica->Tick();
            NS_TEST_EXPECT_MSG_EQ(replica->IsActive(), false, "It is killed within two calls");
            points.emplace(refused, replica->Snapshot().values[0], sent);
            replica->Restart();
            replica->Tick();
            NS_TEST_EXPECT_MSG_EQ(replica->IsActive(), true, "The next process is not killed");
        }
        const std::set<Point> expected{{false, 0, 0}, // a killed process may have taken it
                                       {true, 1, 0},
                                       {true, 2, 0},
                                       {true, 2, 1},
                                       {true, 3, 1}};
        NS_TEST_EXPECT_MSG_EQ((points == expected), true, "Each point is drawn");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief Replicas as applications on a network.
 */
class ReplicaApplicationTestSuite : public TestSuite
{
  public:
    ReplicaApplicationTestSuite()
        : TestSuite("defiance-replica-application", Type::UNIT)
    {
        AddTestCase(new LeaderCrashTestCase, Duration::QUICK);
        AddTestCase(new PartitionTestCase, Duration::QUICK);
        AddTestCase(new InterceptorTestCase, Duration::QUICK);
        AddTestCase(new BuggyReplicaTestCase, Duration::QUICK);
        AddTestCase(new CrashPointTestCase, Duration::QUICK);
    }
};

/// The one instance that registers the suite.
static ReplicaApplicationTestSuite g_replicaApplicationTestSuite;
