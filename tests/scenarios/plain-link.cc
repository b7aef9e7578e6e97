// SPDX-License-Identifier: GPL-2.0-only

// A program without agents: defiance-zoo new --from inserts one.

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"

#include <iostream>

using namespace ns3;

NS_LOG_COMPONENT_DEFINE("PlainLink");

/** The program. */
int
main(int argc, char* argv[])
{
    uint32_t nPackets = 20;
    Time delay("2ms");
    const Time stop = Seconds(3);

    CommandLine cmd(__FILE__);
    cmd.AddValue("nPackets", "Packets that are sent", nPackets);
    cmd.AddValue("delay", "Delay of the link", delay);
    cmd.Parse(argc, argv);

    NodeContainer nodes(2);
    PointToPointHelper link;
    link.SetChannelAttribute("Delay", TimeValue(delay));
    const auto devices = link.Install(nodes);
    InternetStackHelper().Install(nodes);
    const auto interfaces = Ipv4AddressHelper("10.0.0.0", "255.0.0.0").Assign(devices);

    const auto servers = UdpServerHelper(9).Install(nodes.Get(1));
    UdpClientHelper client(interfaces.GetAddress(1), 9);
    client.SetAttribute("MaxPackets", UintegerValue(nPackets));
    client.SetAttribute("Interval", TimeValue(MilliSeconds(100)));
    client.Install(nodes.Get(0));

    Simulator::Stop(stop);
    Simulator::Run();
    std::cout << DynamicCast<UdpServer>(servers.Get(0))->GetReceived() << " received" << std::endl;
    Simulator::Destroy();
    return 0;
}
