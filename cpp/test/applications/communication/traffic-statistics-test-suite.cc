// SPDX-License-Identifier: GPL-2.0-only

#include "communication-test-support.h"

#include "ns3/boolean.h"
#include "ns3/communication-statistics.h"
#include "ns3/global-value.h"
#include "ns3/opengym-serialization.h"
#include "ns3/ppp-header.h"

#include <algorithm>

using namespace ns3;

/**
 * @ingroup defiance-tests
 * @brief Counts the traffic on a chain of links of 5 Mbit/s.
 */
class TrafficTestCase : public HelperTestCase
{
  protected:
    using HelperTestCase::HelperTestCase;

    /**
     * @brief Send some messages from node 0 to node 2, and count the traffic.
     * @param protocol UDP or TCP
     * @param numbers number of elements of each message
     * @return the report
     */
    CommunicationReport Count(TypeId protocol, const std::vector<std::size_t>& numbers)
    {
        GlobalValue::Bind("CommunicationReport", BooleanValue(true));
        Install();
        communication.SetIds();
        communication.AddCommunication({{actions.GetId(1),
                                         agents.GetId(0),
                                         SocketCommunicationAttributes{.protocol = protocol}},
                                        {observers.GetId(0),
                                         agents.GetId(0),
                                         SocketCommunicationAttributes{.protocol = protocol}}});
        communication.Configure();
        const auto observer = Get<ManualObservation>(observers);
        m_bytes = 0;
        for (std::size_t i = 0; i < numbers.size(); ++i)
        {
            const auto message =
                MakeDictContainer("value", MakeBoxContainer(std::vector<int32_t>(numbers[i], 1)));
            m_bytes += SerializeContainer(message).size();
            At(Seconds(1 + i), [observer, message] { observer->Send(message); });
        }
        CountFrames();
        Simulator::Stop(Seconds(10));
        Simulator::Run();
        const auto report = CommunicationStatistics::Get()->GetReport(Simulator::Now());
        Simulator::Destroy();
        GlobalValue::Bind("CommunicationReport", BooleanValue(false));
        return report;
    }

    /**
     * @brief Find the path from one application to another.
     * @param report the report
     * @param sender the sending application
     * @param receiver the receiving application
     * @return packets between both
     */
    static CommunicationPathReport FindPath(const CommunicationReport& report,
                                            const std::string& sender,
                                            const std::string& receiver)
    {
        const auto found =
            std::find_if(report.paths.begin(), report.paths.end(), [&](const auto& path) {
                return path.sender == sender && path.receiver == receiver;
            });
        return found == report.paths.end() ? CommunicationPathReport{} : *found;
    }

    uint64_t m_bytes{0};      //!< Bytes of the contents of all messages
    uint64_t m_frames{0};     //!< Frames sent by devices
    uint64_t m_frameBytes{0}; //!< Bytes of these frames
    uint64_t m_ipv4Frames{0}; //!< IPv4 frames
    uint64_t m_ipv4Bytes{0};  //!< Bytes of IPv4 frames

  private:
    /// Count the frames of all devices independently.
    void CountFrames()
    {
        m_frames = m_frameBytes = m_ipv4Frames = m_ipv4Bytes = 0;
        for (uint32_t i = 0; i < topology->nodes.GetN(); ++i)
        {
            for (uint32_t j = 0; j < topology->nodes.Get(i)->GetNDevices(); ++j)
            {
                topology->nodes.Get(i)->GetDevice(j)->TraceConnectWithoutContext(
                    "PhyTxEnd",
                    MakeCallback(&TrafficTestCase::CountFrame, this));
            }
        }
    }

    /**
     * @brief Count a frame.
     * @param frame the frame
     */
    void CountFrame(Ptr<const Packet> frame)
    {
        ++m_frames;
        m_frameBytes += frame->GetSize();
        PppHeader header;
        frame->PeekHeader(header);
        if (header.GetProtocol() == 0x0021)
        {
            ++m_ipv4Frames;
            m_ipv4Bytes += frame->GetSize();
        }
    }
};

/**
 * @ingroup defiance-tests
 * @brief Datagrams and their fragments.
 */
class DatagramTrafficTestCase : public TrafficTestCase
{
  public:
    DatagramTrafficTestCase()
        : TrafficTestCase("Datagrams and their fragments, by hand")
    {
    }

  private:
    void DoRun() override
    {
        // The second datagram exceeds the link's 1500 bytes: 3 fragments.
        const auto report = Count(UdpSocketFactory::GetTypeId(), {1, 1000});
        const auto path = FindPath(report, "observation_0", "agent_0");
        NS_TEST_EXPECT_MSG_EQ(path.packets, 2, "Two datagrams");
        NS_TEST_EXPECT_MSG_EQ(path.ipBytes, m_bytes + 2 * (8 + 20), "UDP 8, IPv4 20");
        NS_TEST_EXPECT_MSG_EQ(path.wireBytes,
                              m_bytes + 2 * 8 + (1 + 3) * (20 + 2),
                              "Each fragment has headers of IPv4 and PPP");
        NS_TEST_EXPECT_MSG_EQ(FindPath(report, "agent_0", "observation_0").packets,
                              0,
                              "No answers");
        uint64_t frames = 0;
        uint64_t bytes = 0;
        for (const auto& link : report.links)
        {
            frames += link.frames;
            bytes += link.bytes;
            NS_TEST_EXPECT_MSG_EQ(link.dataRate, 5000000, "Each link has its rate");
            NS_TEST_EXPECT_MSG_EQ(link.counted, Seconds(10), "and the whole time was counted");
            NS_TEST_EXPECT_MSG_EQ(link.busy, NanoSeconds(1600) * link.bytes, "8 bits a byte");
            const auto& applications = link.applications;
            const auto isOurs =
                std::find(applications.begin(), applications.end(), "observation_0") !=
                applications.end();
            NS_TEST_EXPECT_MSG_EQ(link.rlFrames, (isOurs ? 4 : 0), "One link is used");
            NS_TEST_EXPECT_MSG_EQ(link.rlBytes, (isOurs ? path.wireBytes : 0), "by this channel");
        }
        NS_TEST_EXPECT_MSG_EQ(report.links.size(), 4, "Both directions of two links");
        NS_TEST_EXPECT_MSG_EQ(frames, m_frames, "All frames, also IPv6's own");
        NS_TEST_EXPECT_MSG_EQ(bytes, m_frameBytes, "All of their bytes");
    }
};

/**
 * @ingroup defiance-tests
 * @brief Segments of TCP itself belong to the path, too.
 */
class StreamTrafficTestCase : public TrafficTestCase
{
  public:
    StreamTrafficTestCase()
        : TrafficTestCase("All frames of TCP belong to its channels")
    {
    }

  private:
    void DoRun() override
    {
        const auto report = Count(TcpSocketFactory::GetTypeId(), {1, 2000, 3});
        uint64_t packets = 0;
        uint64_t ipBytes = 0;
        uint64_t wireBytes = 0;
        for (const auto& path : report.paths)
        {
            packets += path.packets;
            ipBytes += path.ipBytes;
            wireBytes += path.wireBytes;
            NS_TEST_EXPECT_MSG_EQ((path.packets > 0), true, "Each end sends something");
        }
        NS_TEST_EXPECT_MSG_EQ(report.paths.size(), 4, "Two channels, both ways");
        // Only TCP uses IPv4 here; each frame of PPP has 2 bytes more.
        NS_TEST_EXPECT_MSG_EQ(packets, m_ipv4Frames, "No path is longer than a link");
        NS_TEST_EXPECT_MSG_EQ(ipBytes + 2 * packets, m_ipv4Bytes, "Bytes of packets");
        NS_TEST_EXPECT_MSG_EQ(wireBytes, m_ipv4Bytes, "Bytes of frames");
        const auto data = FindPath(report, "observation_0", "agent_0");
        const auto segments = 1 + 4 * 2000 / 536 + 1 + 1;
        // SYN has 36 bytes, and other segments 20 and time stamps of 12.
        NS_TEST_EXPECT_MSG_EQ(data.ipBytes,
                              m_bytes + 3 * 4 + data.packets * (20 + 32) + 4,
                              "Frames of 4 bytes, and headers");
        NS_TEST_EXPECT_MSG_EQ((data.packets >= segments), true, "Segments and acknowledgements");
    }
};

/**
 * @ingroup defiance-tests
 * @brief Test suite of the packets and frames that CommunicationStatistics counts.
 */
class TrafficStatisticsTestSuite : public TestSuite
{
  public:
    TrafficStatisticsTestSuite()
        : TestSuite("defiance-traffic-statistics", Type::UNIT)
    {
        AddTestCase(new DatagramTrafficTestCase);
        AddTestCase(new StreamTrafficTestCase);
    }
};

static TrafficStatisticsTestSuite g_trafficStatisticsTestSuite; //!< Registers the suite
