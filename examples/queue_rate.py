# SPDX-License-Identifier: GPL-2.0-only
"""A whole scenario in Python: an agent at the far end of a link sets how fast a source sends.

Where the queue before the link grows, the agent hears of it in packets that wait in that queue
themselves. Play it with chance: `python -m defiance_zoo.scenario examples/queue_rate.py`.
"""

import defiance_zoo.scenario as sc

sim = sc.Simulation("queue_rate", duration="2s")
sim.parameter("delay", sc.Time("5ms"), range=("0s", "1s"), help="One-way delay of the link.")


@sim.episode
def build(p):
    a, b = sc.nodes(2, internet=True)
    link = sc.point_to_point(a, b, rate="1Mbps", delay=p.delay)
    remote = (b.address(), 9)
    flow = a.add("ns3::OnOffApplication", Remote=remote, DataRate="500kbps", OffTime=0)
    observer, rewarder, actor = sc.Observation(a), sc.Reward(a), sc.Action(a)
    agent = sc.Agent(b, sc.Box(0, 1, (1,)), sc.Discrete(4))

    @link[0]["TxQueue"].trace("PacketsInQueue")
    def changed(old, new):
        observer.send(queue=[new / 100])
        rewarder.send(-new / 100)

    @agent.on_observation
    def decide(sender, message):
        agent.decide(message["queue"])

    @actor.on_action
    def act(sender, level):
        flow["DataRate"] = f"{(level + 1) * 500}kbps"

    sc.connect(observer, agent, over="udp")
    sc.connect(rewarder, agent)
    sc.connect(agent, actor, over="udp")
