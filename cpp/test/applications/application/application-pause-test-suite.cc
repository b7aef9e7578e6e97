// SPDX-License-Identifier: GPL-2.0-only

#include "application-test-support.h"

#include "ns3/test.h"

using namespace ns3;

namespace
{

constexpr int32_t PAUSE{2}; //!< Observation at which an agent pauses again

/**
 * @ingroup defiance-tests
 * @brief An agent that records transfers, and pauses when it observes PAUSE.
 */
class PausingAgent : public RecordingAgent
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("PausingAgent").SetParent<RecordingAgent>().AddConstructor<PausingAgent>();
        return tid;
    }

    std::vector<Time> transfers; //!< Times of their arrival

  private:
    void OnReceive(RlApplicationId remoteId, Ptr<OpenGymDictContainer> data) override
    {
        RecordingAgent::OnReceive(remoteId, data);
        if (GetNumber(data) == PAUSE)
        {
            Pause();
        }
    }

    void OnReceiveTransfer(RlApplicationId remoteId,
                           const std::string& kind,
                           uint64_t bytes) override
    {
        transfers.push_back(Simulator::Now());
    }
};

} // namespace

/**
 * @ingroup defiance-tests
 * @brief A paused application loses no message.
 */
class PauseTestCase : public TestCase
{
  public:
    PauseTestCase()
        : TestCase("Pause and resume")
    {
    }

  private:
    void DoRun() override
    {
        const auto observer = InstallOnNewNode<ManualObservation>({OBSERVATION, 0});
        const auto agent = InstallOnNewNode<PausingAgent>({AGENT, 0});
        Link(observer, agent);
        At(Seconds(1), [&] {
            NS_TEST_EXPECT_MSG_EQ(agent->IsRunning(), true, "It runs");
            agent->Pause();
            NS_TEST_EXPECT_MSG_EQ(agent->IsRunning(), false, "and does not run");
            for (const int32_t value : {1, PAUSE, 3})
            {
                observer->Send(MakeNumberMessage(value));
            }
            observer->GetInterface(agent->GetId())->SendTransfer(1, "update", 100);
        });
        At(Seconds(2), [&] {
            NS_TEST_EXPECT_MSG_EQ(agent->observations.size(), 0, "Nothing is received");
            agent->Resume();
            NS_TEST_EXPECT_MSG_EQ((agent->observations == Receipts{{0, 1}, {0, PAUSE}}),
                                  true,
                                  "All messages are received until it pauses again");
            NS_TEST_EXPECT_MSG_EQ(agent->IsPaused(), true, "as it does");
        });
        At(Seconds(3), [&] { agent->Resume(); });
        Simulator::Stop(Seconds(4));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ((agent->observations == Receipts{{0, 1}, {0, PAUSE}, {0, 3}}),
                              true,
                              "Each once, in order");
        NS_TEST_EXPECT_MSG_EQ((agent->transfers == std::vector{Seconds(3)}),
                              true,
                              "A transfer is received in its turn");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief An application that stops while it is paused does not react.
 */
class StoppedWhilePausedTestCase : public TestCase
{
  public:
    StoppedWhilePausedTestCase()
        : TestCase("A paused application stops")
    {
    }

  private:
    void DoRun() override
    {
        const auto observer = InstallOnNewNode<ManualObservation>({OBSERVATION, 0});
        const auto agent = InstallOnNewNode<RecordingAgent>({AGENT, 0});
        Link(observer, agent);
        agent->SetStopTime(Seconds(2));
        At(Seconds(1), [&] {
            agent->Pause();
            observer->Send(MakeNumberMessage(1));
        });
        At(Seconds(3), [&] { agent->Resume(); });
        Simulator::Stop(Seconds(4));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(agent->observations.size(), 0, "It does not react");
        NS_TEST_EXPECT_MSG_EQ(agent->IsRunning(), false, "nor run");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief Test suite of RlApplication::Pause() and Resume().
 */
class ApplicationPauseTestSuite : public TestSuite
{
  public:
    ApplicationPauseTestSuite()
        : TestSuite("defiance-application-pause", Type::UNIT)
    {
        AddTestCase(new PauseTestCase);
        AddTestCase(new StoppedWhilePausedTestCase);
    }
};

static ApplicationPauseTestSuite g_applicationPauseTestSuite; //!< Registers the suite
