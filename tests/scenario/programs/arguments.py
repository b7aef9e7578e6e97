# SPDX-License-Identifier: GPL-2.0-only
"""Calls with arguments that are refused, one after the other; at many of them ns-3 would end the
process, or never return."""

from operator import setitem

import numpy as np

import defiance_zoo.scenario as sc

NOT_A_NODE = "TypeError: 'b' is not a node"
ON_OFF = "sc.create('ns3::OnOffApplication', OnTime='{}')"
RANDOM = "sc.random_variable('ns3::{}RandomVariable', {})"

CALLS = {
    # nodes
    "sc.nodes('3')": "TypeError: 'str' object cannot be interpreted as an integer",
    "sc.point_to_point(a, 'b')": NOT_A_NODE,
    "sc.csma([a, 'b'])": NOT_A_NODE,
    "sc.csma('b')": NOT_A_NODE,
    "sc.csma([])": "ValueError: a cable links nodes, each once",
    "sc.csma([a, b, a])": "ValueError: a cable links nodes, each once",
    "sc.install_internet('b')": NOT_A_NODE,
    "sc.route('b', '10.1.0.0/16', '10.0.0.2')": NOT_A_NODE,
    "sc.on_start('b', print)": NOT_A_NODE,
    "sc.move('b', 'ns3::ConstantVelocityMobilityModel')": NOT_A_NODE,
    "sc.place('b', (0, 0))": NOT_A_NODE,
    "sc.download(a, 'b', 1000, print)": NOT_A_NODE,
    "sc.traffic('b', a)": NOT_A_NODE,
    "sc.traffic(a, a)": "ValueError: traffic leads from a node to another one, not to itself",
    "sc.wifi(a, 'b')": NOT_A_NODE,
    "sc.wifi(c, [d])": "TypeError: [<node 3>] is not a node",
    "sc.wifi(c, c)": "ValueError: Wi-Fi links stations, each once",
    "sc.wifi([], c)": "ValueError: Wi-Fi links stations, each once",
    "sc.lte(c, 'b')": NOT_A_NODE,
    "sc.lte(c, [d, c])": "ValueError: each node is one cell or one user",
    "sc.queue_disc(3, 'ns3::RedQueueDisc')": "TypeError: 3 is not a device",
    "sc.lte(a, d)": "ValueError: a cell has applications: call lte() before",
    # topologies
    "sc.single(0)": "ValueError: hosts=0 must be at least 1",
    "sc.single('2')": "TypeError: 'str' object cannot be interpreted as an integer",
    "sc.linear(2, -1)": "ValueError: hosts=-1 must be at least 1",
    "sc.tree(1, 0)": "ValueError: fanout=0 must be at least 1",
    "sc.tree(30, 30)": "ValueError: {'depth': 30, 'fanout': 30} are more hosts than the 65534",
    "topology.add_link('h1', 'h1')": "ValueError: a cable cannot link 'h1' with itself",
    # Wi-Fi
    "sc.wifi([c, d], manager='ns3::Node')": "TypeError: manager='ns3::Node' is not a rate control",
    "sc.wifi([c, d], ssid='x' * 33)": f"ValueError: ssid='{'x' * 33}' has more than 32 bytes",
    # positions
    "sc.place(c, (0, nan))": "ValueError: (0, nan) is not a position",
    "sc.place(c, ('x', 0))": "ValueError: ('x', 0) is not a position",
    "sc.place(c, (0, 0, 0, 0))": "ValueError: (0, 0, 0, 0) is not a position",
    "setattr(c, 'position', (0, inf))": "ValueError: (0, inf) is not a position",
    "setattr(c, 'position', 3)": "ValueError: 3 is not a position",
    # times, rates and probabilities
    "sc.Time(None)": "ValueError: None is not a time",
    "sc.DataRate(None)": "ValueError: None is not a data rate",
    "sc.after(None, print)": "ValueError: None is not a time",
    "sc.point_to_point(a, b, delay=None)": "ValueError: None is not a time",
    "sc.point_to_point(a, b, rate=None)": "ValueError: None is not a data rate",
    "sc.point_to_point(a, b, loss='0.1')": "ValueError: loss='0.1' is not a probability",
    "sc.connect(observer, agent, delay=-1)": "ValueError: delay=-1 is negative",
    "sc.connect(observer, agent, delay=None)": "ValueError: None is not a time",
    "sc.connect(observer, agent, loss=2)": "ValueError: loss=2 is not a probability",
    "sc.connect(observer, agent, jitter=0.1)": "TypeError: jitter=0.1 is not of sc.random_variable",
    "sc.traffic(a, b, rate='0bps')": "ValueError: rate='0bps': traffic needs a rate",
    "setattr(flow, 'rate', 0)": "ValueError: rate=0: traffic needs a rate",
    "sc.download(a, b, '1MB', print)": "TypeError: 'str' object cannot be interpreted",
    "sc.download(a, b, 1000, None)": "TypeError: on_done=None is not a function",
    "sc.route(a, 3, '10.0.0.2')": "ValueError: routes are for IPv4",
    "sc.route(a, '10.1.0.0/16', b)": "ValueError: the node does not reach <node 1>",
    # random numbers
    RANDOM.format("Normal", "Variance=-1"): "ValueError: Variance=-1 of",
    RANDOM.format("Normal", "Bound=0"): "ValueError: Bound=0 of",
    RANDOM.format("Exponential", "Bound=-1"): "ValueError: Bound=-1 of",
    RANDOM.format("Exponential", "Mean=-1"): "ValueError: Mean=-1 of",
    RANDOM.format("Pareto", "Bound=0.5"): "ValueError: Bound=0.5 of",
    RANDOM.format("Pareto", "Shape=0"): "ValueError: Shape=0 of",
    RANDOM.format("Weibull", "Bound=-1"): "ValueError: Bound=-1 of",
    RANDOM.format("Laplacian", "Scale=0"): "ValueError: Scale=0 of",
    RANDOM.format("Gamma", "Alpha=-1"): "ValueError: Alpha=-1 of",
    RANDOM.format("Erlang", "K=0"): "ValueError: K=0 of",
    RANDOM.format("Zipf", "N=0"): "ValueError: N=0 of",
    RANDOM.format("Zeta", "Alpha=1"): "ValueError: Alpha=1 of",
    RANDOM.format("Uniform", "Min=2, Max=1"): "ValueError: Min=2 is greater than Max=1",
    RANDOM.format("Triangular", "Min=2, Max=1"): "ValueError: Min=2 is greater than Max=1",
    RANDOM.format("Triangular", "Mean=0.9"): "ValueError: Mean=0.9 must be between 0.333333 and",
    "sc.create('ns3::NormalRandomVariable', Variance=-1)": "ValueError: Variance=-1 of",
    "setitem(sc.random_variable('ns3::ZetaRandomVariable'), 'Alpha', 1)": "ValueError: Alpha=1 of",
    "setitem(sc.random_variable(), 'Min', 2)": "ValueError: Min=2 is greater than Max=1",
    "setitem(sc.create('ns3::TriangularRandomVariable'), 'Max', 9)": "ValueError: Mean=0.5 must be",
    "sc.set_default('ns3::NormalRandomVariable::Bound', 0)": "ValueError: Bound=0 of",
    ON_OFF.format("ns3::NormalRandomVariable[Variance=-1]"): "ValueError: Variance=-1 of",
    ON_OFF.format("ns3::ParetoRandomVariable[Scale=2|Bound=1]"): "ValueError: Bound=1 of",
    ON_OFF.format("ns3::TriangularRandomVariable[Max=9]"): "ValueError: Mean=0.5 must be between 3",
    ON_OFF.format("ns3::UniformRandomVariable[Min=2]"): "ValueError: Min=2 is greater than Max=1",
    # last, as its default remains
    "[sc.set_default('ns3::ParetoRandomVariable::Bound', 1), "
    + ON_OFF.format("ns3::ParetoRandomVariable")
    + "]": "ValueError: Bound=1 of",
}

LATE = {
    "sc.lte(c, d)": "ValueError: an LTE network is built before the episode begins",
}
"""Calls that are refused when the episode has begun."""

DISTRIBUTIONS = [
    "Uniform",
    "Constant",
    "Exponential",
    "Pareto",
    "Weibull",
    "Normal",
    "LogNormal",
    "Gamma",
    "Erlang",
    "Triangular",
    "Zipf",
    "Zeta",
    "Bernoulli",
    "Binomial",
    "Laplacian",
    "LargestExtremeValue",
]
"""Classes of random numbers whose own defaults are accepted."""

sim = sc.Simulation("arguments", duration="0.1s")


@sim.episode
def build(p):
    (a, b), (c, d) = sc.nodes(2, internet=True), sc.nodes(2)
    sc.point_to_point(a, b)
    sc.place([a, c, d], [(0, 1), (0, 0), (1, 0)])
    observer, rewarder, flow = sc.Observation(a), sc.Reward(a), sc.traffic(a, b)
    agent = sc.Agent(b, sc.Box(0, 1, (1,)), sc.Discrete(2))
    topology = sc.Topology()
    topology.add_host()
    names = {**locals(), "sc": sc, "setitem": setitem, "nan": float("nan"), "inf": float("inf")}
    drawn = [sc.random_variable(f"ns3::{name}RandomVariable")() for name in DISTRIBUTIONS]
    assert np.isfinite(drawn).all()
    compare(CALLS, names)
    for positions in (np.ones((1, 2)), [np.ones(2)], np.ones(2), [map(float, (1, 1))]):
        (node,) = sc.nodes(1)
        sc.place(node, positions)
        assert node.position == (1, 1, 0)
    sc.after("10ms", lambda: compare(LATE, names))
    sc.connect(observer, agent)
    sc.connect(rewarder, agent)
    observer.every("20ms")(lambda: [0.5])
    rewarder.every("20ms")(lambda: 1.0)


def compare(calls, names):
    """Compare the errors of calls with the expected ones."""
    said = {call: attempt(call, names) for call in calls}
    wrong = {call: text for call, text in said.items() if not text.startswith(calls[call])}
    assert not wrong, wrong


def attempt(call, names):
    """Return the error that a call raises; empty: none."""
    try:
        eval(call, names)
    except (TypeError, ValueError) as error:
        return f"{type(error).__name__}: {error}"
    return ""
