# SPDX-License-Identifier: GPL-2.0-only
"""ns-3's tutorial third.cc: a walking echo client on Wi-Fi, and a server on a cable."""

import defiance_zoo.scenario as sc

sim = sc.Simulation("third")
sim.parameter("csma_nodes", 3, range=(1, 100), help="Number of further nodes on the cable.")
sim.parameter("wifi_nodes", 3, range=(1, 18), help="Number of stations.")
sim.parameter("verbose", True, help="Whether arriving packets are printed.")
sim.parameter("tracing", False, help="Whether packets are recorded.")
WALK = {"Bounds": "-50|50|-50|50"}


@sim.episode
def build(p):
    access_point, router, *others = sc.nodes(2 + p.csma_nodes, internet=True)
    stations = sc.nodes(p.wifi_nodes, internet=True)
    sc.place([access_point], [(0, 0)])
    for number, station in enumerate(stations):
        sc.move(station, "ns3::RandomWalk2dMobilityModel", **WALK)
        station.position = (5 * (number % 3), 10 * (number // 3))
    link = sc.point_to_point(access_point, router, rate="5Mbps", delay="2ms", network="10.1.1.0/24")
    cable = sc.csma([router, *others], network="10.1.2.0/24")
    air = sc.wifi(stations, access_point, network="10.1.3.0/24")
    echo = others[-1].add("ns3::UdpEchoServer", Port=9)
    echo.run("1s", "10s")
    ping = stations[-1].add("ns3::UdpEchoClient", Remote=(cable.addresses[-1], 9), MaxPackets=1)
    ping["Interval"], ping["PacketSize"] = "1s", 1024
    ping.run("2s", "10s")
    sc.route_globally()
    if p.tracing:
        sc.pcap("third", [*link, air[-1]])
        sc.pcap("third", cable[0], promiscuous=True)
    if p.verbose:
        echo.trace("Rx", lambda packet: report("server", packet))
        ping.trace("Rx", lambda packet: report("client", packet))


def report(who, packet):
    print(f"At time +{sc.now().seconds:g}s {who} received {packet.size} bytes")
