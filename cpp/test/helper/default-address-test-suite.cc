// SPDX-License-Identifier: GPL-2.0-only

#include "application-test-support.h"

#include "ns3/channel-address.h"
#include "ns3/communication-helper.h"
#include "ns3/test.h"

using namespace ns3;

/**
 * @ingroup defiance-tests
 * @brief The default address of an application.
 */
class DefaultAddressTestCase : public TestCase
{
  public:
    DefaultAddressTestCase()
        : TestCase("Default addresses")
    {
    }

  private:
    /**
     * @brief Get the default address of an application on a node.
     * @param node the node
     * @param typeId type of the application
     * @return the address
     */
    static Address GetDefault(Ptr<Node> node, TypeId typeId)
    {
        return RlApplicationHelper(typeId).Install(node).Get(0)->GetDefaultAddress();
    }

    void DoRun() override
    {
        ChainTopology topology;
        const auto bare = CreateObject<Node>();
        const auto alone = CreateObject<Node>();
        InternetStackHelper().Install(alone);
        NodeContainer pair(2);
        InternetStackHelper ipv6Only;
        ipv6Only.SetIpv4StackInstall(false);
        ipv6Only.Install(pair);
        const auto interfaces = Ipv6AddressHelper("2001:9::", Ipv6Prefix(64))
                                    .Assign(PointToPointHelper().Install(pair));

        for (const auto& typeId : {ManualObservation::GetTypeId(),
                                   ManualReward::GetTypeId(),
                                   RecordingAgent::GetTypeId(),
                                   RecordingAction::GetTypeId()})
        {
            NS_TEST_EXPECT_MSG_EQ(GetDefault(topology.nodes.Get(1), typeId),
                                  Address(Ipv4Address("10.1.1.2")),
                                  "The first IPv4 address of another interface than loopback");
            NS_TEST_EXPECT_MSG_EQ(GetDefault(pair.Get(1), typeId),
                                  Address(interfaces.GetAddress(1, 1)),
                                  "The global IPv6 address, if there is no IPv4");
            NS_TEST_EXPECT_MSG_EQ(GetDefault(alone, typeId),
                                  Address(Ipv4Address::GetLoopback()),
                                  "Loopback, if there is nothing else");
            NS_TEST_EXPECT_MSG_EQ(GetDefault(bare, typeId).IsInvalid(),
                                  true,
                                  "None without Internet stack");
        }
        const auto agent = CreateObject<RecordingAgent>();
        NS_TEST_EXPECT_MSG_EQ(agent->GetDefaultAddress().IsInvalid(), true, "None without node");
        agent->SetDefaultAddress(Ipv4Address("10.1.7.7"));
        NS_TEST_EXPECT_MSG_EQ(agent->GetDefaultAddress(),
                              Address(Ipv4Address("10.1.7.7")),
                              "The configured address");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief Addresses in messages.
 */
class AddressTextTestCase : public TestCase
{
  public:
    AddressTextTestCase()
        : TestCase("Addresses are written in the usual notation")
    {
    }

  private:
    void DoRun() override
    {
        const Ipv4Address ipv4("10.0.0.1");
        const Ipv6Address ipv6("2001:db8::1");
        for (const auto& [address, text] : std::vector<std::pair<Address, std::string>>{
                 {ipv4, "10.0.0.1"},
                 {ipv6, "2001:db8::1"},
                 {InetSocketAddress(ipv4, 5000), "10.0.0.1:5000"},
                 {InetSocketAddress(ipv4, 0), "10.0.0.1"},
                 {Inet6SocketAddress(ipv6, 5000), "[2001:db8::1]:5000"},
                 {Inet6SocketAddress(ipv6, 0), "2001:db8::1"},
                 {Address(), ""}})
        {
            NS_TEST_EXPECT_MSG_EQ(DescribeAddress(address), text, "The text");
        }
    }
};

/**
 * @ingroup defiance-tests
 * @brief An observation application and an agent, connected by default addresses.
 */
class DefaultConnectionTestCase : public TestCase
{
  public:
    using TestCase::TestCase;

  protected:
    /**
     * @brief Send an observation in second 10.
     * @param observerNode node of the observation application
     * @param agentNode node of the agent
     * @param helper a new helper
     * @param attributes attributes of the pair
     * @return the latency, or nothing if it does not arrive
     */
    std::optional<Time> GetLatency(Ptr<Node> observerNode,
                                   Ptr<Node> agentNode,
                                   CommunicationHelper helper,
                                   const SocketCommunicationAttributes& attributes)
    {
        const auto observers =
            RlApplicationHelper(ManualObservation::GetTypeId()).Install(observerNode);
        const auto agents = RlApplicationHelper(RecordingAgent::GetTypeId()).Install(agentNode);
        helper.SetObservationApps(observers);
        helper.SetAgentApps(agents);
        helper.SetIds();
        helper.Configure();
        helper.AddCommunication({{observers.GetId(0), agents.GetId(0), attributes}});
        channel = agents.Get(0)->GetInterface(observers.GetId(0));
        ChannelRecorder recorder(channel);
        At(Seconds(10),
           [&] { DynamicCast<ManualObservation>(observers.Get(0))->Send(MakeNumberMessage(1)); });
        Simulator::Stop(Seconds(20));
        Simulator::Run();
        Simulator::Destroy();
        return recorder.rx.empty() ? std::nullopt : std::optional(recorder.rx[0].latency);
    }

    Ptr<ChannelInterface> channel; //!< The agent's end
};

/**
 * @ingroup defiance-tests
 * @brief The IP version is one that both nodes have.
 */
class IpVersionTestCase : public DefaultConnectionTestCase
{
  public:
    IpVersionTestCase()
        : DefaultConnectionTestCase("IP version of default addresses")
    {
    }

  private:
    /**
     * @brief Connect two nodes of which at least one has only IPv6.
     * @param hasObserverIpv4 whether the first node also has IPv4
     * @param protocol socket factory
     */
    void CheckIpv6(bool hasObserverIpv4, TypeId protocol)
    {
        NodeContainer nodes(2);
        const auto devices = PointToPointHelper().Install(nodes);
        InternetStackHelper stack;
        stack.SetIpv4StackInstall(false);
        stack.Install(nodes.Get(1));
        stack.SetIpv4StackInstall(hasObserverIpv4);
        stack.Install(nodes.Get(0));
        if (hasObserverIpv4)
        {
            Ipv4AddressHelper("10.1.1.0", "255.255.255.0").Assign(devices.Get(0));
        }
        Ipv6AddressHelper("2001:9::", Ipv6Prefix(64)).Assign(devices);
        SocketCommunicationAttributes attributes;
        attributes.protocol = protocol;
        const auto latency =
            GetLatency(nodes.Get(0), nodes.Get(1), CommunicationHelper(), attributes);
        NS_TEST_EXPECT_MSG_EQ(latency.has_value(), true, "The message arrives over IPv6");
    }

    void DoRun() override
    {
        CheckIpv6(false, UdpSocketFactory::GetTypeId());
        CheckIpv6(true, UdpSocketFactory::GetTypeId());
        CheckIpv6(true, TcpSocketFactory::GetTypeId());
        const auto connectStackless = [this] {
            ChainTopology topology;
            GetLatency(topology.nodes.Get(0), CreateObject<Node>(), CommunicationHelper(), {});
        };
        NS_TEST_EXPECT_MSG_EQ(AbortsWith(connectStackless, "its node has no such address"),
                              true,
                              "A node without Internet stack aborts");
        const auto connectUnlinked = [this] {
            ChainTopology topology;
            const NodeContainer unlinked(1);
            InternetStackHelper().Install(unlinked);
            GetLatency(unlinked.Get(0), topology.nodes.Get(0), CommunicationHelper(), {});
        };
        NS_TEST_EXPECT_MSG_EQ(AbortsWith(connectUnlinked, "which only its own node reaches"),
                              true,
                              "A node without a link aborts");
    }
};

/**
 * @ingroup defiance-tests
 * @brief Applications on one node communicate over its loopback device, or over simple channels.
 */
class SameNodeTestCase : public DefaultConnectionTestCase
{
  public:
    SameNodeTestCase()
        : DefaultConnectionTestCase("Applications on one node")
    {
    }

  private:
    /**
     * @brief Connect two applications on a node by sockets.
     * @param protocol socket factory
     * @param isIpv6 whether to use IPv6
     */
    void CheckSockets(TypeId protocol, bool isIpv6)
    {
        ChainTopology topology;
        SocketCommunicationAttributes attributes;
        attributes.protocol = protocol;
        if (isIpv6)
        {
            attributes.clientAddress = topology.ipv6Interfaces.GetAddress(0, 1);
        }
        const auto node = topology.nodes.Get(0);
        const auto latency = GetLatency(node, node, CommunicationHelper(), attributes);
        NS_TEST_EXPECT_MSG_LT(latency.value_or(Seconds(99)),
                              MilliSeconds(1),
                              "The message arrives without crossing the link");
        NS_TEST_EXPECT_MSG_EQ((DynamicCast<SocketChannelInterface>(channel) != nullptr),
                              true,
                              "Attributes are respected by default");
    }

    void DoRun() override
    {
        for (const auto& protocol : {UdpSocketFactory::GetTypeId(), TcpSocketFactory::GetTypeId()})
        {
            for (const auto isIpv6 : {false, true})
            {
                CheckSockets(protocol, isIpv6);
            }
        }
        const auto node = CreateObject<Node>();
        NS_TEST_EXPECT_MSG_EQ(GetLatency(node, node, CommunicationHelper(true), {}).has_value(),
                              true,
                              "With the same-node rule, no Internet stack is needed");
        NS_TEST_EXPECT_MSG_EQ((DynamicCast<SimpleChannelInterface>(channel) != nullptr),
                              true,
                              "because the channel is a simple one");
        ChainTopology topology;
        GetLatency(topology.nodes.Get(0), topology.nodes.Get(1), CommunicationHelper(true), {});
        NS_TEST_EXPECT_MSG_EQ((DynamicCast<SocketChannelInterface>(channel) != nullptr),
                              true,
                              "The rule concerns only applications on one node");
    }
};

/**
 * @ingroup defiance-tests
 * @brief Connections begin at the time of the helper or the attributes.
 */
class ConnectTimeTestCase : public DefaultConnectionTestCase
{
  public:
    ConnectTimeTestCase()
        : DefaultConnectionTestCase("Connect time")
    {
    }

  private:
    /**
     * @brief Send a message over TCP in second 10.
     * @param ofHelper connect time of the helper
     * @param ofPair connect time of the pair
     * @return the latency
     */
    Time GetTcpLatency(Time ofHelper, Time ofPair)
    {
        ChainTopology topology;
        CommunicationHelper helper;
        helper.SetConnectTime(ofHelper);
        SocketCommunicationAttributes attributes;
        attributes.protocol = TcpSocketFactory::GetTypeId();
        attributes.connectTime = ofPair;
        return GetLatency(topology.nodes.Get(0), topology.nodes.Get(1), helper, attributes)
            .value_or(Time{});
    }

    void DoRun() override
    {
        const auto usual = GetTcpLatency(Time{}, Time{});
        NS_TEST_EXPECT_MSG_LT(usual, MilliSeconds(3), "The connection was established early");
        NS_TEST_EXPECT_MSG_EQ(GetTcpLatency(Seconds(9), Time{}), usual, "since second 9");
        NS_TEST_EXPECT_MSG_GT(GetTcpLatency(Seconds(12), Time{}),
                              Seconds(2),
                              "The connection waits for second 12");
        NS_TEST_EXPECT_MSG_LT(GetTcpLatency(Seconds(12), Seconds(11)), Seconds(2), "not 11");
        NS_TEST_EXPECT_MSG_GT(GetTcpLatency(Seconds(12), Seconds(15)), Seconds(5), "but 15");
    }
};

/**
 * @ingroup defiance-tests
 * @brief Test suite of default addresses and connections by them.
 */
class DefaultAddressTestSuite : public TestSuite
{
  public:
    DefaultAddressTestSuite()
        : TestSuite("defiance-default-address", Type::UNIT)
    {
        AddTestCase(new AddressTextTestCase);
        AddTestCase(new DefaultAddressTestCase);
        AddTestCase(new IpVersionTestCase);
        AddTestCase(new SameNodeTestCase);
        AddTestCase(new ConnectTimeTestCase);
    }
};

static DefaultAddressTestSuite g_defaultAddressTestSuite; //!< Registers the suite
