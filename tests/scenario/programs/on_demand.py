# SPDX-License-Identifier: GPL-2.0-only
"""Packets on demand, each sent when the last one has arrived; prints counts and times."""

import defiance_zoo.scenario as sc

sim = sc.Simulation("on_demand", duration="1s")
sim.parameter("size", 500, range=(-1, 70_000))
sim.parameter("pattern", "on-demand")
sim.parameter("early", False, help="Send before the simulation starts.")


@sim.episode
def build(p):
    a, b = sc.nodes(2, internet=True)
    sc.point_to_point(a, b, rate="8Mbps", delay="1ms")
    flow = sc.traffic(a, b, pattern=p.pattern)
    arrivals = []
    if p.early:
        flow.send()

    def send():
        flow.send(p.size, arrived)

    def arrived():
        arrivals.append(sc.now().seconds)
        if len(arrivals) < 4:
            send()

    sc.at("100ms", send)
    sc.at("500ms", flow.send)

    @sc.every("900ms")
    def tell():
        counts = flow.count()
        print(counts.delivered, counts.delivered_bytes)
        print(*arrivals)
