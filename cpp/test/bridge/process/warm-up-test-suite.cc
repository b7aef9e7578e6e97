// SPDX-License-Identifier: GPL-2.0-only

#include "fake-python.h"
#include "warm-up.h"

#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv6-address-helper.h"
#include "ns3/node-container.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simple-net-device-helper.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/udp-socket-factory.h"

#include <iostream>

using namespace ns3;

/**
 * @brief After the warm-up a process builds the same network as a fresh one.
 */
class WarmUpTestCase : public TestCase
{
  public:
    WarmUpTestCase()
        : TestCase("The warm-up leaves no trace")
    {
    }

  private:
    /** Build two nodes, send a packet between them and write all numbers that could differ. */
    static void Build()
    {
        NodeContainer nodes(2);
        InternetStackHelper().Install(nodes);
        const auto devices = SimpleNetDeviceHelper().Install(nodes);
        std::cout << Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(devices).GetAddress(1)
                  << Ipv6AddressHelper().Assign(devices).GetAddress(1, 1) << std::endl;
        const auto receiver = Socket::CreateSocket(nodes.Get(1), UdpSocketFactory::GetTypeId());
        receiver->Bind(InetSocketAddress(Ipv4Address::GetAny(), 9));
        receiver->SetRecvCallback(Callback<void, Ptr<Socket>>([](Ptr<Socket> socket) {
            std::cout << "packet " << socket->Recv()->GetUid() << " at " << Simulator::Now()
                      << std::endl;
        }));
        const auto sender = Socket::CreateSocket(nodes.Get(0), UdpSocketFactory::GetTypeId());
        sender->Connect(InetSocketAddress(Ipv4Address("10.0.0.2"), 9));
        Simulator::Schedule(Seconds(1), [sender] { sender->Send(Create<Packet>(100)); });
        Simulator::Stop(Seconds(2));
        Simulator::Run();
        std::cout << "node " << nodes.Get(1)->GetId() << " device " << devices.Get(1)->GetAddress()
                  << " next " << Mac48Address::Allocate() << " stream "
                  << RngSeedManager::GetNextStreamIndex() << " number "
                  << CreateObject<UniformRandomVariable>()->GetValue() << " events "
                  << Simulator::GetEventCount() << std::endl;
        Simulator::Destroy();
    }

    /** Build two nodes with the addresses of Build(), and a random variable. */
    static void Connect()
    {
        NodeContainer nodes(2);
        InternetStackHelper().Install(nodes);
        const auto devices = SimpleNetDeviceHelper().Install(nodes);
        Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(devices);
        Ipv6AddressHelper().Assign(devices);
        CreateObject<UniformRandomVariable>()->GetValue();
    }

    /**
     * @param prepare Code to run before.
     * @return the output of Build() in a separate process
     */
    std::string GetRecord(const std::function<void()>& prepare)
    {
        const auto end = ForkedSimulation(
                             [&prepare] {
                                 prepare();
                                 Build();
                                 return 0;
                             },
                             {})
                             .Wait();
        NS_TEST_EXPECT_MSG_EQ(end.status, 0, end.errors);
        return end.output;
    }

    void DoRun() override
    {
        const auto fresh = GetRecord([] {});
        NS_TEST_EXPECT_MSG_NE(fresh.find("packet"), std::string::npos, "A packet arrives");
        NS_TEST_EXPECT_MSG_EQ(GetRecord([] { WarmUp(); }), fresh, "Nothing is different");
        NS_TEST_EXPECT_MSG_EQ(GetRecord([] {
                                  WarmUp({Connect, Connect});
                              }),
                              fresh,
                              "nor after networks of the scenario, whose addresses are free again");
        // If the program has built something before, there is no warm-up.
        const auto built = GetRecord([] { CreateObject<UniformRandomVariable>(); });
        NS_TEST_EXPECT_MSG_NE(built, fresh, "A random variable takes a stream");
        NS_TEST_EXPECT_MSG_EQ(GetRecord([] {
                                  CreateObject<UniformRandomVariable>();
                                  WarmUp();
                              }),
                              built,
                              "which the warm-up does not assign again");
    }
};

/** The preparation of a fork server before it forks. */
class WarmUpTestSuite : public TestSuite
{
  public:
    WarmUpTestSuite()
        : TestSuite("defiance-warm-up", Type::UNIT)
    {
        AddTestCase(new WarmUpTestCase);
    }
};

static WarmUpTestSuite g_warmUpTestSuite; //!< Registers the suite
