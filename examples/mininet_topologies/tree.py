# SPDX-License-Identifier: GPL-2.0-only
"""Mininet's examples/treeping64.py: each host of a tree pings all others."""

import defiance_zoo.scenario as sc

sim = sc.Simulation("tree", duration="5s")
sim.parameter("depth", 2, range=(1, 4), help="Levels of switches.")
sim.parameter("fanout", 8, range=(2, 32), help="Downward links of each switch.")


@sim.episode
def build(p):
    hosts, answers = sc.tree(depth=p.depth, fanout=p.fanout), []
    pairs = [(one, other) for one in hosts for other in hosts if one != other]
    for number, (one, other) in enumerate(pairs):
        ping = one.add("ns3::Ping", Destination=other.address(), Count=1, VerboseMode="Silent")
        ping.trace("Rtt", lambda sequence, rtt: answers.append(rtt))
        ping.run(4 * number / len(pairs))

    @sc.every("4.9s")
    def report():
        lost = 1 - len(answers) / len(pairs)
        print(f"{len(pairs)} pings: {100 * lost:g}% packet loss")
