# SPDX-License-Identifier: GPL-2.0-only
"""Mininet's examples/linearbandwidth.py: TCP's throughput across a row of switches."""

from itertools import pairwise

import defiance_zoo.scenario as sc

sim = sc.Simulation("linear", duration="21s")
sim.parameter("switches", 4, range=(1, 4), help="Number of switches.")
sim.parameter("bw", 100.0, range=(1.0, 10_000.0), help="Bandwidth of each link, in Mbit/s.")


@sim.episode
def build(p):
    topology = sc.Topology()
    switches = [topology.add_switch() for _ in range(p.switches)]
    hosts = [topology.add_host() for _ in range(p.switches + 1)]
    attached = zip([switches[0], *switches], hosts, strict=True)
    for one, other in [*pairwise(switches), *attached]:
        topology.add_link(one, other, bw=p.bw, delay="30ms")
    client, *servers = topology.start()
    for crossed, server in enumerate(servers, 1):
        measure(client, server, crossed)


def measure(client, server, crossed):
    start, end, received = 5 * (crossed - 1), 5 * crossed, []
    sink = server.add("ns3::PacketSink", Protocol="ns3::TcpSocketFactory", Local=("0.0.0.0", 5001))
    sink.trace("Rx", lambda packet, address: received.append(packet.size))
    flow = client.add("ns3::BulkSendApplication", Protocol="ns3::TcpSocketFactory")
    flow["Remote"] = (server.address(), 5001)
    flow.run(start, end)
    sc.at(end, lambda: print(f"{crossed} switches: {8 * sum(received) / 5e6:.2f} Mbit/s"))
