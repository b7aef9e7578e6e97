# SPDX-License-Identifier: GPL-2.0-only
"""What `defiance-zoo new` writes in C++, in Python: agents set rates of sources on a link."""

from array import array

import defiance_zoo.scenario as sc

LEVELS = 4

sim = sc.Simulation("my_scenario")
sim.parameter("agents", 2, range=(1, 100), help="Sources of traffic, with an agent each.")
sim.parameter("delay", sc.Time("10ms"), range=("0s", "1s"), help="One-way delay of the link.")
sim.parameter(
    "data_rate", sc.DataRate("1Mbps"), range=("100kbps", "100Mbps"), help="Data rate of the link."
)
sim.parameter(
    "duration", sc.Time("10s"), range=("100ms", "600s"), help="Simulated time of an episode."
)


@sim.episode
def build(p):
    sender, receiver = sc.nodes(2)
    link = sc.point_to_point(
        sender, receiver, rate=p.data_rate, delay=p.delay, queue="20p", flow_control=False
    )
    sc.install_internet([sender, receiver])
    remote = (link.assign("10.0.0.0/24")[1], 9)
    receiver.add("ns3::PacketSink", Protocol="ns3::UdpSocketFactory", Local=remote)
    exponential = "ns3::ExponentialRandomVariable[Mean=0.5]"
    common = {"Protocol": "ns3::UdpSocketFactory", "Remote": remote, "PacketSize": 1000}
    bursts = {"OnTime": exponential, "OffTime": exponential}
    sender.add("ns3::OnOffApplication", DataRate=p.data_rate * 0.5, **bursts, **common)
    share = p.data_rate * (1.0 / p.agents)
    sources = [
        sender.add("ns3::OnOffApplication", DataRate=share, OnTime=1000, OffTime=0, **common)
        for _ in range(p.agents)
    ]
    seen = {"packets": 0, "peak": 0, "reward": 0.0}
    queue = link[0]["TxQueue"]

    @queue.trace("PacketsInQueue")
    def changed(old, new):
        seen.update(packets=new, peak=max(seen["peak"], new))

    @queue.trace("Dequeue")
    def sent(packet):
        seen["reward"] += 0.1

    @queue.trace("Drop")
    def dropped(packet):
        seen["reward"] -= 0.5

    observer, rewarder = sc.Observation(sender), sc.Reward(sender)

    @observer.every("100ms")
    def observe():
        peak, seen["peak"] = seen["peak"], seen["packets"]
        return array("f", [seen["packets"] / 20, peak / 20])

    @rewarder.every("100ms")
    def reward():
        earned, seen["reward"] = seen["reward"], 0.0
        return float(earned)

    def act_on(source):
        def act(sender, level):
            source["DataRate"] = p.data_rate * ((level + 1) / LEVELS / p.agents)

        return act

    actors, agents = [], []
    for source in sources:
        actors.append(sc.Action(sender))
        actors[-1].on_action(act_on(source))
        agents.append(sc.Agent(receiver, sc.Box(0, 1, (2,)), sc.Discrete(LEVELS)))
    sc.connect(observer, agents, over="udp")
    sc.connect(rewarder, agents)
    sc.connect(actors, agents, over="udp")
