# SPDX-License-Identifier: GPL-2.0-only
"""Traffic over one link or two; prints its counts at the end."""

import defiance_zoo.scenario as sc

sim = sc.Simulation("traffic", duration="20s")
sim.parameter("pattern", "constant")
sim.parameter("rate", sc.DataRate("1Mbps"), range=("0bps", "1Gbps"))
sim.parameter("size", 1000)
sim.parameter("paths", 1, range=(0, 3))
sim.parameter("share", 1.0, range=(-1.0, 2.0))
sim.parameter("timeout", sc.Time("100ms"), range=("0s", "10s"))
sim.parameter("loss", 0.0, range=(0.0, 1.0), help="Of the first path.")
sim.parameter("to", "", help="Another address of the receiver than those of its links.")
sim.parameter("more", 0, help="Number of further flows.")
sim.parameter("port", 0, help="Port of all flows; 0: none is given.")


@sim.episode
def build(p):
    a, b = sc.nodes(2, internet=True)
    links = [
        sc.point_to_point(a, b, rate=rate, delay=delay, loss=loss)
        for rate, delay, loss in (("10Mbps", "1ms", p.loss), ("5Mbps", "9ms", 0), ("1Mbps", 0, 0))
    ]
    given = {
        "pattern": p.pattern,
        "rate": p.rate,
        "size": p.size,
        "on_time": "50ms",
        "off_time": "150ms",
    }
    given |= {"paths": [link.addresses[1] for link in links[: p.paths]], "share": p.share}
    given |= {"paths": [links[0] if p.to == "link" else p.to]} if p.to else {}
    given |= {"port": p.port} if p.port else {}
    flows = [sc.traffic(a, b, **given, timeout=p.timeout) for _ in range(1 + p.more)]

    @sc.every("19.9s")
    def tell():
        counts = flows[0].count()
        print(*counts.paths[0])
        print(*counts.paths[1])
        print(*counts[1:])
        for each in flows[1:]:
            print(each.count().delivered)
