// SPDX-License-Identifier: GPL-2.0-only

// Programs include these first, and need no other header.
#include "application-test-support.h"

#include "ns3/ai-module.h"
#include "ns3/defiance-names.h"
#include "ns3/opengym-module.h"
#include "ns3/test.h"

using namespace ns3;

/**
 * @ingroup defiance-tests
 * @brief An agent with DEFIANCE's names.
 */
class OtherWordsAgent : public RecordingAgent
{
  public:
    /**
     * @brief Count the applications to which there are channels.
     * @return observers, rewarders, agents and actors
     */
    std::vector<std::size_t> Count() const
    {
        return {m_observationInterfaces.size(),
                m_rewardInterfaces.size(),
                m_agentInterfaces.size(),
                m_actionInterfaces.size()};
    }
};

/**
 * @ingroup defiance-tests
 * @brief An observer with DEFIANCE's names.
 */
class OtherWordsObserver : public ManualObservation
{
  public:
    using ManualObservation::m_interfaces;
};

/**
 * @ingroup defiance-tests
 * @brief Channels are added and deleted by methods for each type.
 */
class InterfaceNamesTestCase : public TestCase
{
  public:
    InterfaceNamesTestCase()
        : TestCase("DEFIANCE's names of interfaces")
    {
    }

  private:
    void DoRun() override
    {
        const auto channel = [] { return CreateObject<SimpleChannelInterface>(); };
        const auto agent = CreateObject<OtherWordsAgent>();
        NS_TEST_EXPECT_MSG_EQ(agent->AddObservationInterface(4, channel()), 0, "The first channel");
        NS_TEST_EXPECT_MSG_EQ(agent->AddObservationInterface(4, channel()),
                              1,
                              "The second channel");
        agent->AddRewardInterface(5, channel());
        agent->AddAgentInterface(6, channel());
        agent->AddActionInterface(7, channel());
        for (const auto& id :
             {RlApplicationId{OBSERVATION, 4}, {REWARD, 5}, {AGENT, 6}, {ACTION, 7}})
        {
            NS_TEST_EXPECT_MSG_EQ(agent->GetInterfaceIds(id).empty(), false, "Added for " << id);
        }
        NS_TEST_EXPECT_MSG_EQ((agent->Count() == std::vector<std::size_t>{1, 1, 1, 1}),
                              true,
                              "and listed in the maps of their types");
        agent->DeleteObservationInterface(4, 0);
        NS_TEST_EXPECT_MSG_EQ((agent->GetInterfaceIds({OBSERVATION, 4}) == std::vector{1U}),
                              true,
                              "The other one stays");
        agent->DeleteObservationInterface(4, 1);
        agent->DeleteRewardInterface(5, 0);
        agent->DeleteAgentInterface(6, 0);
        agent->DeleteActionInterface(7, 0);
        NS_TEST_EXPECT_MSG_EQ((agent->Count() == std::vector<std::size_t>{0, 0, 0, 0}),
                              true,
                              "All are deleted");

        const auto observer = CreateObject<OtherWordsObserver>();
        observer->AddAgentInterface(3, channel());
        NS_TEST_EXPECT_MSG_EQ(observer->m_interfaces.contains(3),
                              true,
                              "A collector has channels to agents");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief Containers, spaces and channels also have DEFIANCE's names.
 */
class BuilderNamesTestCase : public TestCase
{
  public:
    BuilderNamesTestCase()
        : TestCase("DEFIANCE's names of builders and channels")
    {
    }

  private:
    void DoRun() override
    {
        const auto dict = MakeDictBoxContainer<float>(2, "pair", 1, 2);
        NS_TEST_EXPECT_MSG_EQ(
            dict->Get("pair")->GetObject<OpenGymBoxContainer<float>>()->GetValue(1),
            2,
            "A dict with a box");
        const auto box = MakeBoxContainer<float>(2);
        box->AddValue(3);
        NS_TEST_EXPECT_MSG_EQ(box->IsComplete(), false, "A box is filled value by value");
        box->AddValue(4);
        NS_TEST_EXPECT_MSG_EQ(box->IsComplete() && !box->AddValue(5), true, "until it is full");
        const auto space = MakeBoxSpace<float>(2, {-1.5, -INFINITY}, {1.5, INFINITY});
        NS_TEST_EXPECT_MSG_EQ(space->GetHigh()->GetAsDouble(0), 1.5, "Bounds for each element");
        NS_TEST_EXPECT_MSG_EQ(space->Contains(MakeBoxContainer<float>(2, 1, 1000)), true, "");
        NS_TEST_EXPECT_MSG_EQ(space->Contains(MakeBoxContainer<float>(2, 2, 0)), false, "");

        const auto near = CreateObject<SimpleChannelInterface>();
        const auto far = CreateObject<SimpleChannelInterface>();
        NS_TEST_EXPECT_MSG_EQ(near->Connect(far), CONNECTED, "Status without its class");
        NS_TEST_EXPECT_MSG_EQ(near->GetCommunicationPartner(), far, "The other end");

        RlApplicationContainer applications(CreateObject<RecordingAction>());
        uint32_t count = 0;
        for (auto each = applications.Begin(); each != applications.End(); ++each)
        {
            ++count;
        }
        NS_TEST_EXPECT_MSG_EQ(count, 1, "Containers are iterated like others of ns-3");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief An info may consist of texts, and an action may have no receiver.
 */
class TextInfoTestCase : public TestCase
{
  public:
    TextInfoTestCase()
        : TestCase("Infos of texts, as in ns3-ai and DEFIANCE")
    {
    }

  private:
    void DoRun() override
    {
        const auto interface = OpenGymMultiAgentInterface::Get();
        interface->SetGetObservationSpaceCb("a", [] { return MakeBoxSpace<float>(1, 0, 1); });
        interface->SetGetActionSpaceCb("a", [] { return MakeDiscreteSpace(2); });
        const std::map<std::string, std::string> info{{"reason", "fell"}};
        const auto seen = MakeBoxContainer<float>(1, 0.5);
        uint32_t actions = 0;
        const Callback<void, Ptr<OpenGymDataContainer>> count{
            [&](Ptr<OpenGymDataContainer>) { ++actions; }};
        Simulator::Schedule(Seconds(1), [&] {
            interface->NotifyCurrentState("a", seen, 0, false, info, Time(), count);
            interface->NotifyCurrentState("a", seen, 0, false, {}, Seconds(1), count);
        });
        Simulator::Schedule(Seconds(3), [&] {
            interface->NotifyCurrentState("a", seen, -1, true, info, Seconds(0), noopCallback);
        });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(actions, 2, "It decides");
        NS_TEST_EXPECT_MSG_EQ(interface->HasEnded("a"), true, "and ends");
        interface->NotifySimulationEnd();
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief Test suite of names that programs written for other projects use.
 */
class DefianceNamesTestSuite : public TestSuite
{
  public:
    DefianceNamesTestSuite()
        : TestSuite("defiance-defiance-names", Type::UNIT)
    {
        AddTestCase(new InterfaceNamesTestCase);
        AddTestCase(new BuilderNamesTestCase);
        AddTestCase(new TextInfoTestCase);
    }
};

static DefianceNamesTestSuite g_defianceNamesTestSuite; //!< Registers the suite
