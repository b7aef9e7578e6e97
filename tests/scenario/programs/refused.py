# SPDX-License-Identifier: GPL-2.0-only
"""Beginners' mistakes, one at a time; at most of them ns-3 would end the process."""

import defiance_zoo.scenario as sc

ENDPOINT = ("10.0.0.2", 9)
ON_OFF = "ns3::OnOffApplication"
EMPIRICAL = "ns3::EmpiricalRandomVariable"


def box(*arguments):
    return lambda world: world.agent(sc.Box(*arguments))


def action(space):
    return lambda world: world.agent(sc.Box(0, 1, (1,)), space)


def add(type_, **attributes):
    return lambda world: world.a.add(type_, **attributes)


def link(**arguments):
    return lambda world: sc.point_to_point(*world.others, **arguments)


def connect(*names, over="direct"):
    return lambda world: sc.connect(*(getattr(world, name) for name in names), over=over)


def reward(value):
    return lambda world: world.rewarder.every("20ms")(lambda: value)


def without_stack(world):
    (bare,) = sc.nodes(1)
    return bare


def add_twice(world):
    world.b.add(world.a.add("ns3::PacketSink", Local=("0.0.0.0", 9)))


def bind_twice(world):
    for _ in range(2):
        world.a.add("ns3::UdpServer", Port=9, Local=("10.0.0.1", 9))


MISTAKES = {
    "none": lambda world: None,
    "bounds": box(1, 0),
    "bound_nan": box(float("nan"), 1, (1,)),
    "bounds_count": box([0, 0], [1, 1, 1]),
    "dtype": box(0, 1, (1,), "float31"),
    "shape": box(0, 1, (-1,)),
    "shape_number": box(0, 1, 3),
    "discrete": action(sc.Discrete(0)),
    "discrete_huge": action(sc.Discrete(1 << 70)),
    "discrete_float": action(sc.Discrete(2.5)),
    "multi_discrete": action(sc.MultiDiscrete([2, 0])),
    "multi_discrete_empty": action(sc.MultiDiscrete([])),
    "multi_binary": action(sc.MultiBinary(-2)),
    "text_length": action(sc.Text(2, 5)),
    "text_charset": action(sc.Text(2, 1, "")),
    "dict": action(sc.Dict([1])),
    "network": link(network="10.0.0.0/24"),
    "network_within": link(network="10.0.0.0/16"),
    "network_bare": lambda world: sc.point_to_point(
        world.a, without_stack(world), network="10.9.0.0/24"
    ),
    "network_reserved": link(network="127.0.0.0/24"),
    "network_multicast": link(network="224.0.1.0/24"),
    "network_all": link(network="0.0.0.0/0"),
    "address": lambda world: world.others[0].address(),
    "queue": link(queue=20),
    "queue_none": link(queue="0p"),
    "connect": connect("observer", "actor"),
    "connect_other": connect("sink", "decider"),
    "connect_udp": lambda world: sc.connect(
        sc.Observation(without_stack(world)), world.decider, over="udp"
    ),
    "connect_loopback": lambda world: sc.connect(
        sc.Observation(*sc.nodes(1, internet=True)), world.decider, over="udp"
    ),
    "empirical": lambda world: sc.random_variable(EMPIRICAL)(),
    "empirical_attribute": add(ON_OFF, Remote=ENDPOINT, OnTime=EMPIRICAL),
    "remote": add(ON_OFF),
    "remote_later": lambda world: world.a.add(ON_OFF).run("0.1s"),
    "remote_port": add(ON_OFF, Remote="10.0.0.2"),
    "remote_client": add("ns3::UdpClient"),
    "stack": lambda world: without_stack(world).add(ON_OFF, Remote=ENDPOINT),
    "bind": bind_twice,
    "reward": reward("much"),
    "reward_list": reward([1, 2]),
    "observation": lambda world: world.observer.every("20ms")(lambda: [0.5, 0.6]),
    "add_twice": add_twice,
    "pcap_unnamed": lambda world: sc.pcap("", world.link),
    "pcap": lambda world: sc.pcap("no/such/folder", world.link),
}

sim = sc.Simulation("refused", duration="0.2s")
sim.parameter("mistake", "none", choices=list(MISTAKES), help="Which one.")


class World:
    """The objects that exist before the mistake."""

    def __init__(self):
        self.a, self.b = sc.nodes(2, internet=True)
        self.link = sc.point_to_point(self.a, self.b, flow_control=False)
        self.others = sc.nodes(2, internet=True)
        self.observer, self.rewarder = sc.Observation(self.a), sc.Reward(self.a)
        self.actor = sc.Action(self.a)
        self.sink = self.a.add("ns3::PacketSink", Local=("0.0.0.0", 99))
        self.decider = self.agent(sc.Box(0, 1, (1,)))

    def agent(self, observations, actions=None):
        return sc.Agent(self.b, observations, actions or sc.Discrete(2))


@sim.episode
def build(p):
    world = World()
    world.observer.every("20ms")(lambda: [0.5])
    sc.connect(world.observer, world.decider)
    sc.connect(world.rewarder, world.decider)
    MISTAKES[p.mistake](world)
