# SPDX-License-Identifier: GPL-2.0-only
"""ns-3's tutorial second.cc: an echo client on a link, and a server on a shared cable."""

import defiance_zoo.scenario as sc

sim = sc.Simulation("second")
sim.parameter("csma_nodes", 3, range=(1, 100), help="Number of further nodes on the cable.")
sim.parameter("verbose", True, help="Whether arriving packets are printed.")


@sim.episode
def build(p):
    client, router, *others = sc.nodes(2 + p.csma_nodes, internet=True)
    link = sc.point_to_point(client, router, rate="5Mbps", delay="2ms", network="10.1.1.0/24")
    cable = sc.csma([router, *others], network="10.1.2.0/24")
    echo = others[-1].add("ns3::UdpEchoServer", Port=9)
    echo.run("1s", "10s")
    ping = client.add("ns3::UdpEchoClient", Remote=(cable.addresses[-1], 9), MaxPackets=1)
    ping["Interval"], ping["PacketSize"] = "1s", 1024
    ping.run("2s", "10s")
    sc.route_globally()
    sc.pcap("second", link)
    sc.pcap("second", cable[1], promiscuous=True)
    if p.verbose:
        echo.trace("Rx", lambda packet: report("server", packet))
        ping.trace("Rx", lambda packet: report("client", packet))


def report(who, packet):
    print(f"At time +{sc.now().seconds:g}s {who} received {packet.size} bytes")
