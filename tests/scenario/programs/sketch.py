# SPDX-License-Identifier: GPL-2.0-only
"""Sends an observation from a trace source of the queue in which its packet has to wait."""

import defiance_zoo.scenario as sc
from defiance_zoo.scenario import Box, Discrete

sim = sc.Simulation("sketch")
sim.parameter("delay", sc.Time("5ms"), help="One-way delay.")


@sim.episode
def build(p):
    a, b = sc.nodes(2, internet=True)
    link = sc.point_to_point(a, b, rate="1Mbps", delay=p.delay)
    flow = a.add("ns3::OnOffApplication", Remote=(b.address(), 9), DataRate="500kbps")
    observer, actor, agent = (
        sc.Observation(a),
        sc.Action(a),
        sc.Agent(b, Box(0, 1, (1,)), Discrete(4)),
    )

    @link[0]["TxQueue"].trace("PacketsInQueue")
    def changed(old, new):
        observer.send(queue=[new / 100])

    @agent.on_observation
    def decide(sender, message):
        agent.decide(message["queue"])

    agent.info(dict)

    @actor.on_action
    def act(sender, level):
        flow["DataRate"] = f"{(level + 1) * 500}kbps"

    sc.connect(observer, agent, over="udp")
    sc.connect(agent, actor, over="udp")
