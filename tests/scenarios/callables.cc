// SPDX-License-Identifier: GPL-2.0-only

// A scenario with RL applications made from functions. A sender shares its link with bursts of
// other traffic. An agent at the far end of the link receives the length of the sender's queue, in
// packets that wait in that queue themselves, and sends the sender its rate.

#include "queue-network.h"

#include <algorithm>
#include <utility>

using namespace ns3;

int
main(int argc, char* argv[])
{
    Time delay = MilliSeconds(10);
    DataRate dataRate("1Mbps");
    Time duration = Seconds(10);
    RlSimulation simulation("callables");
    simulation.AddValue("delay", "One-way delay of the link.", delay, Time(0), Seconds(1));
    simulation.AddValue("data_rate",
                        "Data rate of the link.",
                        dataRate,
                        DataRate("100kbps"),
                        DataRate("100Mbps"));
    const auto low = MilliSeconds(100);
    simulation.AddValue("duration", "Simulated time of an episode.", duration, low, Minutes(10));
    simulation.Parse(argc, argv);

    NodeContainer nodes(2);
    const auto queue = BuildLink(nodes, dataRate, delay);
    const auto source = InstallTraffic(nodes, dataRate);

    uint32_t packets = 0;
    uint32_t peak = 0; // the most packets that waited since the last observation
    queue->TraceConnectWithoutContext("PacketsInQueue",
                                      Callback<void, uint32_t, uint32_t>([&](uint32_t, uint32_t n) {
                                          packets = n;
                                          peak = std::max(peak, n);
                                      }));

    RlApplicationHelper helper;
    const auto observe = [&] {
        const double size = queue->GetMaxSize().GetValue();
        const auto most = std::exchange(peak, packets);
        return MakeDictContainer("queue", MakeBoxContainer<float>(2, packets / size, most / size));
    };
    const auto observers =
        helper.Install<CallableObservationApplication>(nodes.Get(0), MilliSeconds(100), observe);

    const auto sent = [](Ptr<const Packet>) { return 0.1; };
    const auto dropped = [](Ptr<const Packet>) { return -0.5; };
    auto rewarders =
        helper.Install<CallableRewardApplication>(nodes.Get(0), queue, "Dequeue", sent);
    rewarders.Add(helper.Install<CallableRewardApplication>(nodes.Get(0), queue, "Drop", dropped));

    const auto setRate = [&](Ptr<OpenGymDataContainer> action) {
        const auto level = DynamicCast<OpenGymDiscreteContainer>(action)->GetValue();
        source->SetAttribute("DataRate", DataRateValue(dataRate * ((level + 1) / 4.0)));
    };
    const auto actors = helper.Install<CallableActionApplication>(nodes.Get(0), setRate);

    const auto agents = helper.Install<CallableAgentApplication>(nodes.Get(1),
                                                                 MakeBoxSpace<float>(2, 0, 1),
                                                                 MakeDiscreteSpace(4));

    CommunicationHelper communication;
    communication.Connect(observers, agents, SocketCommunicationAttributes{});
    communication.Connect(rewarders, agents);
    communication.Connect(actors, agents, SocketCommunicationAttributes{});
    communication.Configure();
    return simulation.Run(duration);
}
