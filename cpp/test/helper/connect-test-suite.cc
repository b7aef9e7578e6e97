// SPDX-License-Identifier: GPL-2.0-only

#include "communication-test-support.h"

#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"

#include <sstream>

using namespace ns3;

/**
 * @ingroup defiance-tests
 * @brief Applications are connected pairwise, one with all, and all with one, and get their ids.
 */
class ConnectTestCase : public HelperTestCase
{
  public:
    ConnectTestCase()
        : HelperTestCase("Many applications connected at once")
    {
    }

  private:
    /**
     * @brief List the connections.
     * @param from applications of one type
     * @param to applications of the other type
     * @return a line for each of the first, with a column for each of the others
     */
    static std::string GetConnections(const RlApplicationContainer& from,
                                      const RlApplicationContainer& to)
    {
        std::ostringstream text;
        for (const auto& application : from)
        {
            for (const auto& other : to)
            {
                text << application->GetInterfaceIds(other->GetId()).size();
            }
            text << " ";
        }
        return text.str();
    }

    void DoRun() override
    {
        Install();
        RlApplicationContainer watchers(observers);
        RlApplicationHelper installer(ManualObservation::GetTypeId());
        watchers.Add(installer.Install(topology->nodes.Get(1)));
        RlApplicationContainer second(agents.Get(1));

        CommunicationHelper helper;
        helper.Connect(second, actions);
        helper.Connect(watchers, agents, SocketCommunicationAttributes{});
        helper.Connect(rewards, agents);
        helper.Connect(watchers, second, CommunicationAttributes{MilliSeconds(1)});
        helper.Configure();

        NS_TEST_EXPECT_MSG_EQ(second.GetId(0).ToString(), "agent_0", " ");
        NS_TEST_EXPECT_MSG_EQ(agents.GetId(0).ToString(),
                              "agent_1",
                              "Numbered in the order of their addition");
        NS_TEST_EXPECT_MSG_EQ(watchers.GetId(1).ToString(), "observation_1", "in each type");
        NS_TEST_EXPECT_MSG_EQ(GetConnections(second, actions), "11 ", "One with all");
        NS_TEST_EXPECT_MSG_EQ(GetConnections(watchers, agents),
                              "11 02 ",
                              "Pairwise, and all with one");
        NS_TEST_EXPECT_MSG_EQ(GetConnections(rewards, agents),
                              "11 ",
                              "One with all, by default {}");
        NS_TEST_EXPECT_MSG_EQ(helper.GetApp({AGENT, 1}), agents.Get(0), "All are registered");
        for (const auto& application : {agents.Get(0), watchers.Get(1), actions.Get(1)})
        {
            NS_TEST_EXPECT_MSG_EQ(application->IsSetUp(), true, "All are set up");
        }
        At(Seconds(1), [&] { Get<ManualObservation>(watchers)->Send(MakeNumberMessage(3)); });
        Simulator::Stop(Seconds(2));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ((Get<RecordingAgent>(agents)->observations == Receipts{{0, 3}}),
                              true,
                              "Messages arrive");
        CheckRefusals();
        Simulator::Destroy();
    }

    /// Check refused connections.
    void CheckRefusals()
    {
        RlApplicationContainer three(agents);
        three.Add(agents.Get(0));
        const auto expectAbort = [this](const std::function<void()>& run,
                                        const std::string& words) {
            NS_TEST_EXPECT_MSG_EQ(AbortsWith(run, words), true, "Should abort with: " << words);
        };
        expectAbort([&] { CommunicationHelper().Connect(actions, three); },
                    "cannot connect 2 with 3 applications: give equal numbers, or one");
        expectAbort([&] { CommunicationHelper().Connect({}, agents); }, "cannot connect 0 with 2");
        expectAbort([&] { CommunicationHelper().Connect(observers, actions); },
                    "cannot exchange messages");
        expectAbort([&] { CommunicationHelper().Add({CreateObject<RlApplication>()}); },
                    "cannot be set as observation application");
    }
};

/**
 * @ingroup defiance-tests
 * @brief Connect() and adjacency lists can be combined: ids stay, and later applications follow.
 */
class ConnectLaterTestCase : public HelperTestCase
{
  public:
    ConnectLaterTestCase()
        : HelperTestCase("Connect() next to an adjacency list, while the simulation runs")
    {
    }

  private:
    void DoRun() override
    {
        Install();
        communication.SetIds();
        communication.AddCommunication({{observers.GetId(0), agents.GetId(1), {}}});
        communication.Configure();
        RlApplicationContainer late;
        At(Seconds(1), [&] {
            late = RlApplicationHelper(RecordingAgent::GetTypeId()).Install(topology->nodes.Get(2));
            communication.Connect(observers, late);
            communication.Configure();
        });
        At(Seconds(2), [&] { Get<ManualObservation>(observers)->Send(MakeNumberMessage(1)); });
        Simulator::Stop(Seconds(3));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(agents.GetId(1).ToString(), "agent_1", "Ids stay");
        NS_TEST_EXPECT_MSG_EQ(late.GetId(0).ToString(),
                              "agent_2",
                              "The late application gets the next id");
        NS_TEST_EXPECT_MSG_EQ(Get<RecordingAgent>(late)->observations.size(),
                              1,
                              "and receives messages");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief Addresses are given as text, with or without port.
 */
class TextAddressTestCase : public HelperTestCase
{
  public:
    TextAddressTestCase()
        : HelperTestCase("Addresses as text")
    {
    }

  private:
    void DoRun() override
    {
        const Ipv6Address ipv6("2001:db8::1");
        const auto expect = [this](const CommunicationAddress& given, const Address& address) {
            NS_TEST_EXPECT_MSG_EQ(given, address, "Each form of an address is accepted");
        };
        expect("10.0.0.1", Ipv4Address("10.0.0.1"));
        expect(std::string("10.0.0.1:5000"), InetSocketAddress("10.0.0.1", 5000));
        expect("2001:db8::1", ipv6);
        expect("[2001:db8::1]", ipv6);
        expect("[2001:db8::1]:65535", Inet6SocketAddress(ipv6, 65535));
        expect(ipv6, ipv6);
        expect({}, Address());
        for (const std::string text : {"",
                                       "10.0.0",
                                       "10.0.0.1:",
                                       "10.0.0.1:70000",
                                       "10.0.0.1:5x",
                                       "[10.0.0.1]:5",
                                       "[2001:db8::1",
                                       "host"})
        {
            NS_TEST_EXPECT_MSG_EQ(
                AbortsWith([&] { CommunicationAddress{text}; }, "'" + text + "' is not an address"),
                true,
                "'" << text << "' should be refused");
        }

        Install();
        communication.Connect(observers,
                              agents.Get(0),
                              SocketCommunicationAttributes{"10.1.1.1", "10.1.1.2:5000"});
        communication.Configure();
        At(Seconds(1), [&] { Get<ManualObservation>(observers)->Send(MakeNumberMessage(4)); });
        Simulator::Stop(Seconds(2));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(Get<RecordingAgent>(agents)->observations.size(),
                              1,
                              "Messages use these addresses");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief Test suite of CommunicationHelper::Connect().
 */
class ConnectTestSuite : public TestSuite
{
  public:
    ConnectTestSuite()
        : TestSuite("defiance-connect", Type::UNIT)
    {
        AddTestCase(new ConnectTestCase);
        AddTestCase(new ConnectLaterTestCase);
        AddTestCase(new TextAddressTestCase);
    }
};

static ConnectTestSuite g_connectTestSuite; //!< Registers the suite
