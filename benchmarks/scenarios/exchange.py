# SPDX-License-Identifier: GPL-2.0-only
"""exchange.cc in Python, with one agent, which requests an action each simulated millisecond."""

import defiance_zoo.scenario as sc

sim = sc.Simulation("exchange", duration="1000s")


@sim.episode
def build(p):
    (node,) = sc.nodes(1)
    agent = sc.Agent(node, sc.Box(0, 3e38, (4,)), sc.Discrete(8), StepInterval="1ms")
    rounds = [0]

    @agent.observe
    def observe():
        rounds[0] += 1
        return [rounds[0]] * 4

    @agent.on_action
    def act(action):
        agent.reward = action
