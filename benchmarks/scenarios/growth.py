# SPDX-License-Identifier: GPL-2.0-only
"""An agent with an observation of any size, in a network of any size."""

from array import array
from itertools import pairwise

import defiance_zoo.scenario as sc

sim = sc.Simulation("growth", duration="1000s")
sim.parameter("size", 1, range=(1, 50_000_000), help="Floats in an observation.")
sim.parameter("nodes", 2, range=(2, 100_000), help="Number of nodes.")
sim.parameter("links", "none", choices=("none", "chain", "csma"), help="Links between the nodes.")


@sim.episode
def build(p):
    nodes = sc.nodes(p.nodes, internet=True)
    if p.links == "chain":
        for one, other in pairwise(nodes):
            sc.point_to_point(one, other)
    elif p.links == "csma":
        sc.csma(nodes)
    agent = sc.Agent(nodes[0], sc.Box(0, 3e38, (p.size,)), sc.Discrete(8), StepInterval="1ms")
    values = array("f", [0]) * p.size

    @agent.observe
    def observe():
        values[0] += 1
        return values

    @agent.on_action
    def act(action):
        agent.reward = action
