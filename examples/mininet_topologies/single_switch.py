# SPDX-License-Identifier: GPL-2.0-only
"""Mininet's examples/simpleperf.py: UDP between two of four hosts, on lossy links."""

import defiance_zoo.scenario as sc

sim = sc.Simulation("single_switch", duration="6s")
sim.parameter("loss", 10.0, range=(0.0, 100.0), help="Loss of each link, in percent.")


@sim.episode
def build(p):
    h1, _, _, h4 = sc.single(4, bw=10, delay="5ms", loss=p.loss)
    sink = h4.add("ns3::PacketSink", Protocol="ns3::UdpSocketFactory", Local=("0.0.0.0", 5001))
    flow = h1.add("ns3::OnOffApplication", Remote=(h4.address(), 5001), DataRate="10Mbps")
    flow["OffTime"], received = 0, []
    sink.trace("Rx", lambda packet, address: received.append((sc.now().seconds, packet.size)))
    sc.at("5.9s", lambda: report(*zip(*received, strict=True)))


def report(times, sizes):
    print(f"{8 * sum(sizes[1:]) / (times[-1] - times[0]) / 1e6:.2f} Mbit/s")
