// SPDX-License-Identifier: GPL-2.0-only

#include "application-test-support.h"

#include "ns3/test.h"

using namespace ns3;

/**
 * @ingroup defiance-tests
 * @brief Ids have names and documented defaults.
 */
class IdTestCase : public TestCase
{
  public:
    IdTestCase()
        : TestCase("Ids of applications")
    {
    }

  private:
    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ((RlApplicationId{OBSERVATION, 1}.ToString()),
                              "observation_1",
                              "Name");
        NS_TEST_EXPECT_MSG_EQ((RlApplicationId{REWARD, 2}.ToString()), "reward_2", "Name");
        NS_TEST_EXPECT_MSG_EQ((RlApplicationId{AGENT, 0}.ToString()), "agent_0", "Name");
        NS_TEST_EXPECT_MSG_EQ((RlApplicationId{ACTION, 3}.ToString()), "action_3", "Name");
        NS_TEST_EXPECT_MSG_EQ(RlApplicationId{}.IsAssigned(), false, "A default id has no number");
        NS_TEST_EXPECT_MSG_EQ(CreateObject<RecordingAgent>()->GetId().ToString(),
                              "agent_unassigned",
                              "An application knows its type from the start");
        NS_TEST_EXPECT_MSG_EQ((RlApplicationId{REWARD, 2} == RlApplicationId{REWARD, 2}),
                              true,
                              "Same type and number are the same id");
        NS_TEST_EXPECT_MSG_EQ((RlApplicationId{REWARD, 9} < RlApplicationId{AGENT, 0}),
                              true,
                              "The type comes first in the order");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief Interface ids count up for each remote application.
 */
class InterfaceIdTestCase : public TestCase
{
  public:
    InterfaceIdTestCase()
        : TestCase("Interface ids")
    {
    }

  private:
    void DoRun() override
    {
        const auto agent = InstallOnNewNode<RecordingAgent>({AGENT, 0});
        const auto add = [agent](RlApplicationId id) {
            return agent->AddInterface(id, CreateObject<SimpleChannelInterface>());
        };
        NS_TEST_EXPECT_MSG_EQ(add({ACTION, 1}), 0, "The first id is 0");
        NS_TEST_EXPECT_MSG_EQ(add({ACTION, 1}), 1, "The next one is 1");
        NS_TEST_EXPECT_MSG_EQ(add({ACTION, 2}), 0, "Another application has separate ids");
        NS_TEST_EXPECT_MSG_EQ(add({REWARD, 1}), 0, "Another type, too");
        NS_TEST_EXPECT_MSG_EQ(add({ACTION, 1}), 2, "Ids continue");
        agent->DeleteInterface({ACTION, 1}, 1);
        NS_TEST_EXPECT_MSG_EQ(add({ACTION, 1}), 3, "A gap is not filled");
        agent->DeleteInterface({ACTION, 1}, 3);
        NS_TEST_EXPECT_MSG_EQ(add({ACTION, 1}), 3, "The highest id is reused");
        agent->DeleteInterface({ACTION, 2}, 0);
        NS_TEST_EXPECT_MSG_EQ(add({ACTION, 2}), 0, "Without any, ids start again");
        NS_TEST_EXPECT_MSG_EQ(
            (agent->GetInterfaceIds({ACTION, 1}) == std::vector<uint32_t>{0, 2, 3}),
            true,
            "The ids in use");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief Misuse aborts with a message.
 */
class ApplicationMisuseTestCase : public TestCase
{
  public:
    ApplicationMisuseTestCase()
        : TestCase("Misuse of applications")
    {
    }

  private:
    void DoRun() override
    {
        const auto observation = InstallOnNewNode<ManualObservation>({OBSERVATION, 0});
        const auto action = InstallOnNewNode<RecordingAction>({ACTION, 0});
        const auto channel = CreateObject<SimpleChannelInterface>();
        const auto expectAbort = [this](const std::function<void()>& run,
                                        const std::string& words) {
            NS_TEST_EXPECT_MSG_EQ(AbortsWith(run, words), true, "Should abort with: " << words);
        };
        for (const auto type : {OBSERVATION, REWARD, ACTION})
        {
            expectAbort(
                [&] {
                    observation->AddInterface({type, 0}, channel);
                },
                "cannot exchange messages");
            expectAbort(
                [&] {
                    action->AddInterface({type, 0}, channel);
                },
                "cannot exchange messages");
        }
        expectAbort([&] { observation->AddInterface({AGENT, 0}, nullptr); }, "is null");
        expectAbort(
            [&] {
                observation->DeleteInterface({AGENT, 0}, 0);
            },
            "observation_0 has no interface to agent_0");
        observation->AddInterface({AGENT, 0}, channel);
        expectAbort([&] { observation->AddInterface({AGENT, 0}, channel); }, "already has");
        expectAbort(
            [&] {
                observation->DeleteInterface({AGENT, 0}, 1);
            },
            "observation_0 has no interface 1 to agent_0");
        expectAbort([&] { observation->Send(MakeNumberMessage(1), 0, 1); },
                    "observation_0 has no interface 1 to agent_0");
        observation->Setup();
        observation->SetId({OBSERVATION, 0});
        expectAbort([&] { observation->SetId({OBSERVATION, 1}); }, "before Setup()");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief Data reach all agents, one, or one channel; also while channels are added and deleted.
 */
class CollectorSendTestCase : public TestCase
{
  public:
    CollectorSendTestCase()
        : TestCase("Data collectors send messages")
    {
    }

  private:
    void DoRun() override
    {
        const auto reward = InstallOnNewNode<ManualReward>({REWARD, 0});
        std::vector<Ptr<SimpleChannelInterface>> remoteEnds;
        const auto add = [&](uint32_t agent) {
            const auto near = CreateObject<SimpleChannelInterface>();
            remoteEnds.push_back(CreateObject<SimpleChannelInterface>());
            near->Connect(remoteEnds.back());
            return reward->AddInterface({AGENT, agent}, near);
        };
        add(3);
        add(3);
        add(8);
        ChannelRecorder first(remoteEnds[0]);
        ChannelRecorder second(remoteEnds[1]);
        ChannelRecorder other(remoteEnds[2]);
        reward->Send(MakeNumberMessage(0));
        At(Seconds(1), [&] { reward->Send(MakeNumberMessage(1)); });
        At(Seconds(2), [&] { reward->Send(MakeNumberMessage(2), 3); });
        At(Seconds(3), [&] { reward->Send(MakeNumberMessage(3), 3, 1); });
        At(Seconds(4), [&] { reward->DeleteInterface({AGENT, 3}, 0); });
        At(Seconds(5), [&] { reward->Send(MakeNumberMessage(4), 3); });
        At(Seconds(6), [&] { reward->Send(MakeNumberMessage(5)); });
        At(Seconds(7), [&] { reward->Send(MakeNumberMessage(6), 8, 0); });
        reward->SetStopTime(Seconds(10));
        At(Seconds(11), [&] { reward->Send(MakeNumberMessage(7)); });
        Simulator::Run();

        CheckNumbers(first, {1, 2});
        CheckNumbers(second, {1, 2, 3, 4, 5});
        CheckNumbers(other, {1, 5, 6});
        NS_TEST_EXPECT_MSG_EQ(remoteEnds[0]->GetConnectionStatus(),
                              ConnectionStatus::DISCONNECTED,
                              "Deleting an interface disconnects it");
        NS_TEST_EXPECT_MSG_EQ(other.rx[0].kind, "reward", "Messages are marked as rewards");
        Simulator::Destroy();
    }

    /**
     * @brief Check the messages that arrived.
     * @param recorder the receiver's record
     * @param expected their numbers
     */
    void CheckNumbers(const ChannelRecorder& recorder, const std::vector<int32_t>& expected)
    {
        std::vector<int32_t> numbers;
        for (const auto& message : recorder.messages)
        {
            numbers.push_back(GetNumber(message));
        }
        NS_TEST_EXPECT_MSG_EQ((numbers == expected),
                              true,
                              "All messages to this receiver while it runs arrive, and no others");
    }
};

/**
 * @ingroup defiance-tests
 * @brief Setup happens once, at the latest at the start.
 */
class SetupTestCase : public TestCase
{
  public:
    SetupTestCase()
        : TestCase("Setup of applications")
    {
    }

  private:
    void DoRun() override
    {
        const auto twice = InstallOnNewNode<ManualObservation>({OBSERVATION, 0});
        const auto never = InstallOnNewNode<ManualReward>({REWARD, 0});
        twice->Setup();
        twice->Setup();
        never->SetStartTime(Seconds(2));
        At(Seconds(1), [&] {
            NS_TEST_EXPECT_MSG_EQ(never->registrations, 0, "It is not set up before its start");
        });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(twice->registrations, 1, "Callbacks are registered once");
        NS_TEST_EXPECT_MSG_EQ(never->registrations,
                              1,
                              "The start sets up applications that are not set up yet");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief Test suite of RlApplication, the data collectors and ActionApplication.
 */
class ApplicationTestSuite : public TestSuite
{
  public:
    ApplicationTestSuite()
        : TestSuite("defiance-application", Type::UNIT)
    {
        AddTestCase(new IdTestCase);
        AddTestCase(new InterfaceIdTestCase);
        AddTestCase(new ApplicationMisuseTestCase);
        AddTestCase(new CollectorSendTestCase);
        AddTestCase(new SetupTestCase);
    }
};

static ApplicationTestSuite g_applicationTestSuite; //!< Registers the suite
