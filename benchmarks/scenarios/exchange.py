# SPDX-License-Identifier: GPL-2.0-only
"""exchange.cc in Python; its agents may leave out rounds at random."""

import random
from array import array

import defiance_zoo.scenario as sc

sim = sc.Simulation("exchange", duration="1000s")
sim.parameter("agents", 1, range=(1, 1000), help="Number of agents.")
sim.parameter("share", 1.0, range=(0.0, 1.0), help="Probability with which an agent decides.")
sim.parameter(
    "infos", "none", choices=("none", "numbers", "text", "array", "mask"), help="Kind of infos."
)


@sim.episode
def build(p):
    (node,) = sc.nodes(1)
    for number in range(p.agents):
        add_agent(node, random.Random(number), p)


def add_agent(node, draws, p):
    agent = sc.Agent(node, sc.Box(0, 3e38, (4,)), sc.Discrete(8), StepInterval="1ms")
    rounds = [0]

    @agent.observe
    def observe():
        rounds[0] += 1
        if p.share < 1 and draws.random() >= p.share:
            return None
        return [rounds[0]] * 4

    if p.infos != "none":
        agent.info(lambda: describe(p.infos, rounds[0]))

    @agent.on_action
    def act(action):
        agent.reward = action


def describe(kind, rounds):
    if kind == "numbers":
        return {"delay": rounds / 1000, "rounds": rounds}
    if kind == "text":
        return {"log": "x" * (rounds % 100)}
    if kind == "array":
        return {"history": array("d", [rounds] * 8)}
    return {"action_mask": array("b", [1, 1, 1, 1, rounds % 2, 0, 0, 1])}
