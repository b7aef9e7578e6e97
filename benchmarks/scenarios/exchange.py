# SPDX-License-Identifier: GPL-2.0-only
"""exchange.cc in Python; its agents may leave out rounds at random."""

import random

import defiance_zoo.scenario as sc

sim = sc.Simulation("exchange", duration="1000s")
sim.parameter("agents", 1, range=(1, 1000), help="Number of agents.")
sim.parameter("share", 1.0, range=(0.0, 1.0), help="Probability with which an agent decides.")
sim.parameter("informed", default=False, help="Whether agents have an info of two numbers.")


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

    if p.informed:

        @agent.info
        def info():
            return {"delay": rounds[0] / 1000, "rounds": rounds[0]}

    @agent.on_action
    def act(action):
        agent.reward = action
