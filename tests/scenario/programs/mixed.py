# SPDX-License-Identifier: GPL-2.0-only
"""Uses a class of a separate library, whose path is in an environment variable."""

import os

import defiance_zoo.scenario as sc

sc.load_library(os.environ["COUNTER_LIBRARY"])
sim = sc.Simulation("mixed", duration="1s")


@sim.episode
def build(p):
    (node,) = sc.nodes(1)
    counter = node.add("ns3::TestCounter", Step=3)
    agent = sc.Agent(node, sc.Box(0, 1000, (1,)), sc.Discrete(2), StepInterval="100ms")
    agent.observe(lambda: [counter["Count"]])
    agent.on_action(lambda action: None)
    agent.info(dict)
    counter.trace("Count", lambda old, new: print(new))
    steps = counter.count("Count")
    sc.at("0.99s", lambda: print("in all", steps.count, steps.value))
