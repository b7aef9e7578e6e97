# SPDX-License-Identifier: GPL-2.0-only
"""A whole scenario in Python: an agent at the far end of a link sets the rate of a source.

It observes the link's queue through packets that wait in the same queue. Play it with random
actions: `python -m defiance_zoo.scenario examples/queue_rate.py`.
"""

import defiance_zoo.scenario as sc

sim = sc.Simulation("queue_rate", duration="10s")
sim.parameter("delay", sc.Time("5ms"), range=("0s", "1s"), help="One-way delay of the link.")


@sim.episode
def build(p: sc.Parameters) -> None:
    a, b = sc.nodes(2, internet=True)
    link = sc.point_to_point(a, b, rate="1Mbps", delay=p.delay, flow_control=False)
    flow = a.add("ns3::OnOffApplication", Remote=(b.address(), 9), OnTime=1e6, OffTime=0)
    flow["DataRate"] = "500kbps"
    observer, rewarder, actor = sc.Observation(a), sc.Reward(a), sc.Action(a)
    agent = sc.Agent(b, sc.Box(0, 1, (2,)), sc.Discrete(4))
    queue = {"now": 0, "peak": 0}

    @link[0]["TxQueue"].trace("PacketsInQueue")
    def changed(old: int, new: int) -> None:
        queue.update(now=new, peak=max(queue["peak"], new))

    @observer.every("20ms")
    def observe() -> list[float]:
        now, peak = queue["now"], queue["peak"]
        queue["peak"] = now
        rewarder.send(flow["DataRate"] / sc.DataRate("1Mbps") - now / 10)
        return [now / 100, peak / 100]

    @actor.on_action
    def act(sender: str, level: int) -> None:
        flow["DataRate"] = f"{(level + 1) * 500}kbps"

    sc.connect(observer, agent, over="udp")
    sc.connect(rewarder, agent)
    sc.connect(agent, actor, over="udp")


if __name__ == "__main__":
    sim.main()
