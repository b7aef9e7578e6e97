// SPDX-License-Identifier: GPL-2.0-only

#include "communication-test-support.h"
#include "episode-recording.h"
#include "recorded-network.h"
#include "temporary-directory.h"

#include "ns3/constant-velocity-mobility-model.h"
#include "ns3/names.h"
#include "ns3/opengym-serialization.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

using namespace ns3;

/**
 * @ingroup defiance-tests
 * @brief A simulation that writes to its own folder.
 */
class RecordingTestCase : public HelperTestCase
{
  protected:
    using HelperTestCase::HelperTestCase;

    /**
     * @param name Name of a file of the recording.
     * @return its contents
     */
    std::string Read(const std::string& name) const
    {
        std::ifstream file(m_directory.GetPath(name), std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }

    /**
     * @param name Name of a table of the recording.
     * @return its lines without the first one
     */
    std::vector<std::string> ReadLines(const std::string& name) const
    {
        std::istringstream text(Read(name));
        std::vector<std::string> lines;
        for (std::string line; std::getline(text, line);)
        {
            lines.push_back(line);
        }
        return {lines.begin() + (lines.empty() ? 0 : 1), lines.end()};
    }

  private:
    void DoSetup() override
    {
        setenv("DEFIANCE_RECORD_TO", m_directory.GetPath("").c_str(), 1);
        setenv("DEFIANCE_RECORD_INTERVAL", "100ms", 1);
        setenv("DEFIANCE_RECORD_PCAP", "true", 1);
    }

    void DoTeardown() override
    {
        for (const auto* name : {"TO", "INTERVAL", "PCAP"})
        {
            unsetenv((std::string("DEFIANCE_RECORD_") + name).c_str());
        }
    }

    TemporaryDirectory m_directory; //!< Folder of the recording
};

/**
 * @ingroup defiance-tests
 * @brief Each message gets a line when its fate is known.
 */
class RecordedMessagesTestCase : public RecordingTestCase
{
  public:
    RecordedMessagesTestCase()
        : RecordingTestCase("Messages are recorded")
    {
    }

  private:
    void DoRun() override
    {
        Install();
        communication.SetIds();
        communication.AddCommunication(
            {{observers.GetId(0), agents.GetId(0), CommunicationAttributes{MilliSeconds(10)}},
             {rewards.GetId(0), agents.GetId(0), CommunicationAttributes{MilliSeconds(10), 1}},
             {agents.GetId(0), agents.GetId(1), CommunicationAttributes{MilliSeconds(10)}}});
        communication.Configure();
        auto* recording = EpisodeRecording::Find();
        NS_TEST_ASSERT_MSG_NE(recording, nullptr, "There is a recording");
        recording->Begin();
        const auto observer = Get<ManualObservation>(observers);
        At(Seconds(1), [&] { observer->Send(MakeNumberMessage(1)); });
        At(Seconds(2), [&] { Get<ManualReward>(rewards)->Send(MakeNumberMessage(1)); });
        At(Seconds(3), [&] { agents.Get(0)->MoveTo(topology->nodes.Get(2)); });
        At(Seconds(4.999), [&] { observer->Send(MakeNumberMessage(1)); });
        Simulator::Stop(Seconds(5));
        Simulator::Run();
        const auto bytes = std::to_string(SerializeContainer(MakeNumberMessage(1)).size());
        Simulator::Destroy();
        const std::vector<std::string> expected{"1000000000,1010000000,0," + bytes + ",received",
                                                "2000000000,,1," + bytes + ",lost",
                                                "4999000000,,0," + bytes + ",in flight"};
        NS_TEST_EXPECT_MSG_EQ((ReadLines("messages.csv") == expected), true, Read("messages.csv"));
        NS_TEST_EXPECT_MSG_EQ(Read("moves.csv"),
                              "time_ns,application,node\n3000000000,agent_0,2\n",
                              "The new node of the move");
        NS_TEST_EXPECT_MSG_EQ(Read("events.csv"),
                              "time_ns,kind,agent,text\n"
                              "3000000000,moved,agent_0,from node_1 to node_2\n",
                              "And the move itself");
        CheckTopology();
        NS_TEST_EXPECT_MSG_EQ(EpisodeRecording::Find(), nullptr, "One folder, one episode");
    }

    /// Check the pairs of applications that communicate.
    void CheckTopology()
    {
        const auto text = Read("topology.json");
        const auto has = [&text](const std::string& part) {
            return text.find(part) != std::string::npos;
        };
        for (const auto* part :
             {R"({"name":"observation_0","role":"observation","node":0})",
              R"({"name":"agent_1","role":"agent","node":1})",
              R"({"id":0,"from":"observation_0","to":"agent_0","kind":"simple"})",
              R"({"id":2,"from":"agent_0","to":"agent_1","kind":"simple"})",
              R"({"id":3,"from":"agent_1","to":"agent_0","kind":"simple"})"})
        {
            NS_TEST_EXPECT_MSG_EQ(has(part), true, part << " is not in " << text);
        }
        NS_TEST_EXPECT_MSG_EQ(has(R"("from":"agent_0","to":"observation_0")"),
                              false,
                              "No application sends to the observation application");
    }
};

/**
 * @ingroup defiance-tests
 * @brief Links, their queues and packets are those of the devices.
 */
class RecordedNetworkTestCase : public RecordingTestCase
{
  public:
    RecordedNetworkTestCase()
        : RecordingTestCase("The network is recorded")
    {
    }

  private:
    void DoRun() override
    {
        const NodeContainer nodes(2);
        PointToPointHelper link;
        link.SetDeviceAttribute("DataRate", StringValue("5Mbps"));
        link.SetChannelAttribute("Delay", StringValue("2ms"));
        InternetStackHelper stack;
        stack.SetIpv6StackInstall(false);
        stack.Install(nodes);
        Ipv4AddressHelper("10.1.1.0", "255.255.255.0").Assign(link.Install(nodes));
        const auto node = nodes.Get(0);
        Names::Add("the <first>", node);
        Names::Add("the (first)", nodes.Get(1)); // becomes the same file name
        const auto mobility = CreateObject<ConstantVelocityMobilityModel>();
        mobility->SetPosition({1, 2, 3});
        node->AggregateObject(mobility);
        node->GetDevice(1)->TraceConnectWithoutContext(
            "PhyTxEnd",
            Callback<void, Ptr<const Packet>>(
                [this](Ptr<const Packet> frame) { m_sent += frame->GetSize(); }));
        EpisodeRecording::Find()->Begin();
        const auto socket = Socket::CreateSocket(node, UdpSocketFactory::GetTypeId());
        const auto sink = Socket::CreateSocket(nodes.Get(1), UdpSocketFactory::GetTypeId());
        sink->Bind(InetSocketAddress(Ipv4Address::GetAny(), 9));
        At(Seconds(1), [&] {
            for (int i = 0; i < 3; ++i) // 1030 bytes on the link, of 5 Mbit/s: 1.648 ms each
            {
                socket->SendTo(Create<Packet>(1000), 0, InetSocketAddress("10.1.1.2", 9));
            }
        });
        At(Seconds(2), [&] { mobility->SetVelocity({0, 10, 0}); });
        At(Seconds(2.25), [&] { mobility->SetVelocity({0, 0, 0}); });
        Simulator::Stop(Seconds(3));
        Simulator::Run();
        Simulator::Destroy();
        CheckFiles();
    }

    /// Compare with numbers computed by hand.
    void CheckFiles()
    {
        NS_TEST_EXPECT_MSG_EQ(m_sent, 3 * 1030, "Equal to another count");
        const auto links = ReadLines("links.csv");
        // All three were handed over at the multiple of the interval; the first is on the link.
        NS_TEST_EXPECT_MSG_EQ(links.at(0), "1000000000,0,0,2,2060,0", "Two packets wait");
        NS_TEST_EXPECT_MSG_EQ(links.at(1), "1100000000,0,0,0,0,3090", "No packet waits");
        const std::vector<std::string> positions{"2000000000,0,1,2,3", "2300000000,0,1,4.5,3"};
        NS_TEST_EXPECT_MSG_EQ((ReadLines("positions.csv") == positions),
                              true,
                              Read("positions.csv"));
        const auto text = Read("topology.json");
        NS_TEST_EXPECT_MSG_NE(text.find(R"({"id":0,"name":"the <first>","position":[1,2,3]})"),
                              std::string::npos,
                              text);
        NS_TEST_EXPECT_MSG_NE(
            text.find("\"nodes\":[0,1],\"rate_bps\":5000000,\"delay_ns\":2000000"),
            std::string::npos,
            text);
        // A header of 24 bytes, and one of 16 bytes for each frame.
        NS_TEST_EXPECT_MSG_EQ(Read("the__first_-1.pcap").size(), 24 + 3 * (16 + 1030), "Captured");
        NS_TEST_EXPECT_MSG_EQ(Read("the__first__1-1.pcap").size(), 24 + 3 * (16 + 1030), "Too");
    }

    uint64_t m_sent{0}; //!< Bytes that the first device has sent
};

/**
 * @ingroup defiance-tests
 * @brief A link has a rate if all its devices have the same rate.
 */
class RecordedRatesTestCase : public RecordingTestCase
{
  public:
    RecordedRatesTestCase()
        : RecordingTestCase("Rates of links are recorded")
    {
    }

  private:
    void DoRun() override
    {
        const NodeContainer nodes(2);
        PointToPointHelper link;
        link.SetDeviceAttribute("DataRate", StringValue("5Mbps"));
        link.Install(nodes);
        link.Install(nodes).Get(1)->SetAttribute("DataRate", StringValue("1Mbps"));
        const RecordedNetwork network;
        NS_TEST_ASSERT_MSG_EQ(network.GetLinks().size(), 2, "Two links");
        NS_TEST_EXPECT_MSG_EQ(network.GetLinks()[0].rate.value_or(0), 5000000, "Of one rate");
        NS_TEST_EXPECT_MSG_EQ(network.GetLinks()[1].rate.has_value(), false, "Of two");
        Simulator::Destroy();
    }
};

/**
 * @ingroup defiance-tests
 * @brief Recordings of episodes.
 */
class EpisodeRecordingTestSuite : public TestSuite
{
  public:
    EpisodeRecordingTestSuite()
        : TestSuite("defiance-episode-recording", Type::UNIT)
    {
        AddTestCase(new RecordedMessagesTestCase, Duration::QUICK);
        AddTestCase(new RecordedNetworkTestCase, Duration::QUICK);
        AddTestCase(new RecordedRatesTestCase, Duration::QUICK);
    }
};

static EpisodeRecordingTestSuite g_episodeRecordingTestSuite; //!< Registers the suite
