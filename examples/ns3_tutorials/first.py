# SPDX-License-Identifier: GPL-2.0-only
"""ns-3's tutorial first.cc: a client sends a packet over a link, and a server echoes it."""

import defiance_zoo.scenario as sc

sim = sc.Simulation("first")


@sim.episode
def build(p):
    client, server = sc.nodes(2, internet=True)
    sc.point_to_point(client, server, rate="5Mbps", delay="2ms", network="10.1.1.0/24")
    echo = server.add("ns3::UdpEchoServer", Port=9)
    echo.run("1s", "10s")
    ping = client.add("ns3::UdpEchoClient", Remote=(server.address(), 9), MaxPackets=1)
    ping["Interval"], ping["PacketSize"] = "1s", 1024
    ping.run("2s", "10s")
    echo.trace("Rx", lambda packet: report("server", packet))
    ping.trace("Rx", lambda packet: report("client", packet))


def report(who, packet):
    print(f"At time +{sc.now().seconds:g}s {who} received {packet.size} bytes")
