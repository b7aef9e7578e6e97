// SPDX-License-Identifier: GPL-2.0-only

// A dumbbell of ns-3's own parts only, to compare with tcp_congestion: bulk senders with an
// algorithm of ns-3 on one side, sinks on the other, a queue discipline at the bottleneck. It
// prints the packets dropped by the queue, and the bytes read by each sink.

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <iostream>

using namespace ns3;

namespace
{

constexpr int64_t STREAM = 2000; // of the discipline, as in tcp_congestion
constexpr uint32_t PACKET = 1500;

template <typename Disc>
void
AssignStream(Ptr<QueueDisc> discipline)
{
    if (const auto drawing = DynamicCast<Disc>(discipline))
    {
        drawing->AssignStreams(STREAM);
    }
}

Ptr<QueueDisc>
InstallDiscipline(const std::string& type, uint32_t buffer, Ptr<NetDevice> device)
{
    TrafficControlHelper helper;
    const QueueSizeValue size(QueueSize(QueueSizeUnit::PACKETS, buffer));
    if (type == "ns3::RedQueueDisc")
    {
        helper.SetRootQueueDisc(type,
                                "MaxSize",
                                size,
                                "MeanPktSize",
                                UintegerValue(PACKET),
                                "LinkBandwidth",
                                StringValue("10Mbps"),
                                "LinkDelay",
                                StringValue("10ms"));
    }
    else if (type == "ns3::PieQueueDisc")
    {
        helper.SetRootQueueDisc(type, "MaxSize", size, "MeanPktSize", UintegerValue(PACKET));
    }
    else
    {
        helper.SetRootQueueDisc(type, "MaxSize", size);
    }
    const auto discipline = helper.Install(device).Get(0);
    AssignStream<RedQueueDisc>(discipline);
    AssignStream<PieQueueDisc>(discipline);
    AssignStream<CobaltQueueDisc>(discipline);
    return discipline;
}

} // namespace

int
main(int argc, char* argv[])
{
    std::string type = "ns3::FifoQueueDisc";
    uint32_t flows = 2;
    uint32_t buffer = 30;
    double duration = 10;
    CommandLine command;
    command.AddValue("discipline", "Class of the queue discipline", type);
    command.AddValue("flows", "Number of flows", flows);
    command.AddValue("buffer", "Packets that the discipline holds", buffer);
    command.AddValue("duration", "Simulated time in s", duration);
    command.Parse(argc, argv);

    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TcpNewReno::GetTypeId()));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1448));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(1 << 20));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(1 << 20));

    NodeContainer routers(2);
    NodeContainer senders(flows);
    NodeContainer receivers(flows);
    InternetStackHelper().InstallAll();
    PointToPointHelper bottleneck;
    bottleneck.SetDeviceAttribute("DataRate", StringValue("10Mbps"));
    bottleneck.SetChannelAttribute("Delay", StringValue("10ms"));
    bottleneck.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", StringValue("1p"));
    const auto middle = bottleneck.Install(routers);
    const auto discipline = InstallDiscipline(type, buffer, middle.Get(0));
    Ipv4AddressHelper("20.0.0.0", "255.255.255.0").Assign(middle);
    PointToPointHelper leaf;
    leaf.SetDeviceAttribute("DataRate", StringValue("100Mbps"));
    leaf.SetChannelAttribute("Delay", StringValue("5ms"));
    Ipv4AddressHelper addresses("20.1.0.0", "255.255.255.0");
    std::vector<Ptr<PacketSink>> sinks;
    for (uint32_t i = 0; i < flows; i++)
    {
        addresses.Assign(leaf.Install(senders.Get(i), routers.Get(0)));
        addresses.NewNetwork();
        const auto ends = addresses.Assign(leaf.Install(receivers.Get(i), routers.Get(1)));
        addresses.NewNetwork();
        const InetSocketAddress receiver(ends.GetAddress(0), 9);
        PacketSinkHelper sink("ns3::TcpSocketFactory", receiver);
        sinks.push_back(DynamicCast<PacketSink>(sink.Install(receivers.Get(i)).Get(0)));
        BulkSendHelper sender("ns3::TcpSocketFactory", receiver);
        sender.SetAttribute("SendSize", UintegerValue(1448));
        sender.Install(senders.Get(i)).Start(MilliSeconds(100 * i));
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    Simulator::Stop(Seconds(duration));
    Simulator::Run();
    std::cout << discipline->GetStats().nTotalDroppedPackets;
    for (const auto& sink : sinks)
    {
        std::cout << " " << sink->GetTotalRx();
    }
    std::cout << std::endl;
    Simulator::Destroy();
    return 0;
}
