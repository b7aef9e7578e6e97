// SPDX-License-Identifier: GPL-2.0-only

#include "flow-filter.h"

#include "ns3/fq-codel-queue-disc.h"
#include "ns3/fq-pie-queue-disc.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-queue-disc-item.h"
#include "ns3/ipv6-queue-disc-item.h"
#include "ns3/node-container.h"
#include "ns3/packet.h"
#include "ns3/random-variable-stream.h"
#include "ns3/simple-net-device.h"
#include "ns3/simulator.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/tcp-option-ts.h"
#include "ns3/test.h"
#include "ns3/traffic-control-helper.h"
#include "ns3/udp-header.h"
#include "ns3/udp-l4-protocol.h"
#include "ns3/uinteger.h"

using namespace ns3;

namespace
{

constexpr uint8_t ICMP_NUMBER{1};                         //!< A protocol without ports
constexpr uint8_t TCP_NUMBER{TcpL4Protocol::PROT_NUMBER}; //!< A protocol with a long header
constexpr uint8_t UDP_NUMBER{UdpL4Protocol::PROT_NUMBER}; //!< A protocol with a short header

/**
 * @ingroup defiance-tests
 * @brief Makes packets of random flows.
 */
class PacketMaker
{
  public:
    /**
     * @param protocol protocol number
     * @return a packet with a header of this protocol, and with padding
     */
    Ptr<Packet> MakePacket(uint8_t protocol)
    {
        auto packet = Create<Packet>(Draw() % 100);
        if (protocol == TCP_NUMBER)
        {
            TcpHeader header;
            header.SetSourcePort(Draw());
            header.SetDestinationPort(Draw());
            header.AppendOption(CreateObject<TcpOptionTS>());
            packet->AddHeader(header);
        }
        else if (protocol == UDP_NUMBER)
        {
            UdpHeader header;
            header.SetSourcePort(Draw());
            header.SetDestinationPort(Draw());
            packet->AddHeader(header);
        }
        return packet;
    }

    /**
     * @param protocol protocol number
     * @param offset of the fragment
     * @return an item of IPv4
     */
    Ptr<QueueDiscItem> MakeIpv4(uint8_t protocol, uint16_t offset)
    {
        Ipv4Header header;
        header.SetSource(Ipv4Address(Draw()));
        header.SetDestination(Ipv4Address(Draw()));
        header.SetProtocol(protocol);
        header.SetFragmentOffset(offset);
        return Create<Ipv4QueueDiscItem>(MakePacket(protocol), Address(), 0x800, header);
    }

    /**
     * @param protocol protocol number
     * @return an item of IPv6
     */
    Ptr<QueueDiscItem> MakeIpv6(uint8_t protocol)
    {
        Ipv6Header header;
        header.SetSource(Ipv6Address::MakeIpv4MappedAddress(Ipv4Address(Draw())));
        header.SetDestination(Ipv6Address::MakeIpv4MappedAddress(Ipv4Address(Draw())));
        header.SetNextHeader(protocol);
        return Create<Ipv6QueueDiscItem>(MakePacket(protocol), Address(), 0x86dd, header);
    }

  private:
    uint32_t Draw() //!< @return any number
    {
        return m_random->GetInteger(0, UINT32_MAX);
    }

    /// Random numbers of the packets
    Ptr<UniformRandomVariable> m_random{CreateObject<UniformRandomVariable>()};
};

} // namespace

/**
 * @ingroup defiance-tests
 * @brief The filter assigns the flow that the queue assigns without it.
 */
class FlowHashTestCase : public TestCase
{
  public:
    FlowHashTestCase()
        : TestCase("A flow filter hashes like ns-3")
    {
    }

  private:
    void DoRun() override
    {
        PacketMaker maker;
        for (const uint32_t perturbation : {0U, 7U, 0xfedcba98U})
        {
            const auto filter = Create<FlowFilter>(perturbation, 1024);
            const auto check = [&](Ptr<QueueDiscItem> item) {
                NS_TEST_EXPECT_MSG_EQ(static_cast<uint32_t>(filter->Classify(item)),
                                      item->Hash(perturbation),
                                      "The hash is equal");
            };
            for (int i = 0; i < 50; ++i)
            {
                for (const auto protocol : {ICMP_NUMBER, TCP_NUMBER, UDP_NUMBER})
                {
                    check(maker.MakeIpv4(protocol, 0));
                    check(maker.MakeIpv4(protocol, 800));
                    check(maker.MakeIpv6(protocol));
                }
            }
        }
    }
};

/**
 * @ingroup defiance-tests
 * @brief Fair queues get a filter once, unless they have one.
 */
class FlowFilterInstallationTestCase : public TestCase
{
  public:
    FlowFilterInstallationTestCase()
        : TestCase("Fair queues without a filter get a flow filter")
    {
    }

  private:
    /**
     * @param type root queue of the device
     * @return the queue, on a new node
     */
    static Ptr<QueueDisc> MakeQueue(const std::string& type)
    {
        NodeContainer node(1);
        const auto device = CreateObject<SimpleNetDevice>();
        node.Get(0)->AddDevice(device);
        InternetStackHelper().Install(node);
        TrafficControlHelper helper;
        helper.SetRootQueueDisc(type);
        return helper.Install(device).Get(0);
    }

    void DoRun() override
    {
        const auto codel = MakeQueue("ns3::FqCoDelQueueDisc");
        const auto pie = MakeQueue("ns3::FqPieQueueDisc");
        const auto own = MakeQueue("ns3::FqCobaltQueueDisc");
        const auto fifo = MakeQueue("ns3::FifoQueueDisc");
        const auto chosen = Create<FlowFilter>(5, 16);
        own->AddPacketFilter(chosen);
        FlowFilter::InstallEverywhere();
        FlowFilter::InstallEverywhere();
        NS_TEST_EXPECT_MSG_EQ(codel->GetNPacketFilters(), 1, "FqCoDel gets a filter");
        NS_TEST_EXPECT_MSG_EQ(pie->GetNPacketFilters(), 1, "FqPIE, too");
        NS_TEST_EXPECT_MSG_EQ(own->GetNPacketFilters(), 1, "A queue keeps the user's filter");
        NS_TEST_EXPECT_MSG_EQ(own->GetPacketFilter(0), chosen, "and no other");
        NS_TEST_EXPECT_MSG_EQ(fifo->GetNPacketFilters(), 0, "Other queues need none");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief Test suite of FlowFilter.
 */
class FlowFilterTestSuite : public TestSuite
{
  public:
    FlowFilterTestSuite()
        : TestSuite("defiance-flow-filter", Type::UNIT)
    {
        AddTestCase(new FlowHashTestCase);
        AddTestCase(new FlowFilterInstallationTestCase);
    }
};

static FlowFilterTestSuite g_flowFilterTestSuite; //!< Registers the suite
