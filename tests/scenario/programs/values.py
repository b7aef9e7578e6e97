# SPDX-License-Identifier: GPL-2.0-only
"""Sets and reads attributes of each kind, and connects trace sources of several signatures."""

import functools
import math
import weakref
from array import array
from collections import UserDict

import numpy as np

import defiance_zoo.scenario as sc
from defiance_zoo.scenario.spaces import make_space

sim = sc.Simulation("values", duration="5s")
heard = {}


def raises(kind, words, function, *arguments, **keywords):
    said = ""
    try:
        function(*arguments, **keywords)
    except kind as error:
        said = str(error)
    assert words in said, f"{function} said {said!r}"


def note(name):
    heard[name] = []
    return lambda *arguments: heard[name].append(arguments)


def check_times():
    for finer in ("1ps", "1500ps", "2500000fs"):
        raises(ValueError, "is not a time", sc.Time, finer)
    assert sc.Time("1.5ms").nanoseconds == 1_500_000
    assert sc.Time("1ms") + "500us" == sc.Time(0.0015)
    assert sc.Time("10ms") * 3 == 3 * sc.Time("10ms") == sc.Time("30ms")
    assert sc.Time("10ms") / sc.Time("4ms") == 2.5
    assert (sc.Time("10ms") / 4).seconds == 0.0025
    assert sc.Time("1s") > sc.Time("999ms") >= sc.Time("0.999s")
    assert 0 <= sc.Time("1s") < 1.5 < sc.Time("2s") < "3s"
    assert sc.Time("1s") == 1 == sc.Time("1000ms") == "1s" != sc.Time("2s") != "x"
    assert "5Mbps" == sc.DataRate("5000kbps") != None  # noqa: E711 (a comparison of ours)
    assert str(sc.Time("20ms")) == "20ms"
    assert repr(sc.DataRate("5Mbps")) == "DataRate('5Mbps')"
    assert (sc.DataRate("5Mbps") * 0.5).bps == 2_500_000
    assert sc.DataRate("1Mbps") / sc.DataRate("4Mbps") == 0.25
    for endless in (math.inf, math.nan, -1e300):
        raises(ValueError, f"{endless!r} is not a time", sc.Time, endless)
    raises(ValueError, "too long", lambda: sc.Time("1s") * 1e15)
    raises(ValueError, "not a time", lambda: sc.Time("1s") / math.inf)
    for zero in (sc.Time(0), 0, 0.0, 1e-300):
        raises(ZeroDivisionError, "by zero", lambda zero=zero: sc.Time("1s") / zero)
    raises(ValueError, "-5 is not a data rate", sc.DataRate, -5)
    raises(ValueError, "negative", lambda: sc.DataRate("1Mbps") - sc.DataRate("2Mbps"))
    raises(ValueError, "not a data rate", lambda: sc.DataRate("1Mbps") * -1)
    raises(ZeroDivisionError, "by zero", lambda: sc.DataRate("1Mbps") / 0)
    for far in (2**62, -(2**62)):
        raises(OverflowError, "too long", lambda far=far: sc.Time("1s") * far)
        raises(OverflowError, "too long", lambda far=far: far * sc.Time("1s"))
    raises(ZeroDivisionError, "by zero", lambda: sc.DataRate("1Mbps") / sc.DataRate(0))
    raises(ValueError, "not a time", sc.Time, "soon")
    raises(ValueError, "not a data rate", sc.DataRate, "5 apples")


def check_attributes(link, a, b):
    device = link[0]
    assert device["DataRate"] == sc.DataRate("2Mbps")
    device["Mtu"] = 1400
    assert device["Mtu"] == 1400
    raises(ValueError, "cannot be 70000", device.__setitem__, "Mtu", 70000)
    raises(ValueError, "cannot be -1", device.__setitem__, "Mtu", -1)
    raises(ValueError, "cannot be 1.5", device.__setitem__, "Mtu", 1.5)
    raises(ValueError, "'fast' is not a data rate", device.__setitem__, "DataRate", "fast")
    assert link.channel["Delay"].seconds == 0.003
    queue = device["TxQueue"]
    assert queue.type == "ns3::DropTailQueue<Packet>"
    assert queue["MaxSize"] == "7p"
    assert queue == device["TxQueue"]
    raises(AttributeError, "did you mean 'MaxSize'", queue.__getitem__, "MaxSise")
    for wrong in ("100 packets", "7p ", "many"):
        raises(ValueError, f"cannot be {wrong!r}", queue.__setitem__, "MaxSize", wrong)
        for function in (sc.point_to_point, sc.csma):
            refused = functools.partial(function, queue=wrong)
            nodes = [[a, b]] if function is sc.csma else [a, b]
            raises(ValueError, f"{wrong!r} is not a queue size", refused, *nodes)
    tcp = a.get("ns3::TcpL4Protocol")
    assert tcp["SocketType"] == "ns3::TcpCubic"
    model = sc.create("ns3::RateErrorModel", ErrorUnit="ERROR_UNIT_PACKET", ErrorRate=0.5)
    assert model["ErrorUnit"] == "ERROR_UNIT_PACKET"
    raises(ValueError, "ERROR_UNIT_BIT", model.__setitem__, "ErrorUnit", "ERROR_UNIT_ATOM")
    assert model["IsEnabled"] is True
    model["IsEnabled"] = False
    assert model["IsEnabled"] is False
    variable = sc.random_variable(Min=2, Max=3)
    model["RanVar"] = variable
    assert model["RanVar"] == variable
    device["ReceiveErrorModel"] = model
    assert device["ReceiveErrorModel"]["ErrorRate"] == 0.5
    raises(ValueError, "cannot be None", device.__setitem__, "ReceiveErrorModel", None)
    raises(ValueError, "abstract", sc.create, "ns3::NetDevice")
    check_streams(model)
    check_bounds()
    check_obsolete_and_listed()
    check_classes(a)
    check_calls(a, b)
    constant = sc.random_variable("ns3::ConstantRandomVariable", Constant=4)
    assert constant() == 4.0
    assert constant.integer() == 4


def check_streams(model):
    """A stream may be a number or a text; ns-3 ends the process if it is neither."""
    for stream in (3, "ns3::ConstantRandomVariable", "ns3::UniformRandomVariable[Min=2|Max=3]"):
        model["RanVar"] = stream
    assert model["RanVar"].type == "ns3::UniformRandomVariable"
    assert (model["RanVar"]["Min"], model["RanVar"]["Max"]) == (2.0, 3.0)
    for wrong, kind, words in (
        ("ns3::RandomVariableStream", ValueError, "ns3::RandomVariableStream is abstract"),
        ("ns3::Node", ValueError, "cannot be 'ns3::Node'"),
        ("ns3::UniformRandomVariable[Min=2", ValueError, "cannot be"),
        ("ns3::UniformRandomVariable[Min]", ValueError, "cannot be"),
        ("ns3::UniformRandomVariable[Min=2 apples]", ValueError, "cannot be"),
        ("ns3::UniformRandomVariable[Min=two]", ValueError, "'Min' is a ns3::DoubleValue"),
        ("ns3::UniformRandomVariable[Mn=2]", AttributeError, "did you mean 'Min'"),
        (math.nan, ValueError, "cannot be nan"),
    ):
        raises(kind, words, model.__setitem__, "RanVar", wrong)
        raises(kind, words, lambda wrong=wrong: sc.create("ns3::RateErrorModel", RanVar=wrong))


def check_obsolete_and_listed():
    """Set attributes at which ns-3 ends the process: obsolete ones, and lists without numbers."""
    nodes = sc.nodes(2)
    sc.place(nodes, [(0, 0), (1, 0)])
    txop = sc.wifi(nodes)[0]["Mac"]["BE_Txop"]
    for use in (txop.__getitem__, lambda name: txop.__setitem__(name, 7)):
        raises(AttributeError, "'MinCw' is obsolete: Use MinCws", use, "MinCw")
    raises(AttributeError, "is obsolete", sc.create, "ns3::QosTxop", MinCw=7)
    for given in ([7], (7,), "7"):
        txop["MinCws"] = given
        assert txop["MinCws"] == "7"
        txop["MinCws"] = [15]
    for wrong in ("[7]", ["seven"], [[7]], [-1]):
        raises(ValueError, "'MinCws' is a ns3::UintegerValue", txop.__setitem__, "MinCws", wrong)


def check_classes(a):
    """Attributes with a class as value accept the intended classes."""
    protocol, variant = "ns3::BulkSendApplication", "ns3::TcpL4Protocol::SocketType"
    unknown = "did you mean 'ns3::TcpSocketFactory'"
    raises(AttributeError, unknown, sc.create, protocol, Protocol="ns3::TcpSocketFactori")
    raises(ValueError, "of ns3::SocketFactory", sc.create, protocol, Protocol="ns3::Node")
    raises(ValueError, "of ns3::TcpCongestionOps", sc.set_default, variant, "ns3::Node")
    raises(AttributeError, "did you mean 'ns3::TcpCubic'", sc.set_default, variant, "ns3::TcpCubi")
    for known in ("ns3::TcpNewReno", "ns3::TcpBbr", "ns3::TcpCubic"):
        sc.set_default(variant, known)
    raises(TypeError, "3 is not a class name or object", a.add, 3)
    raises(ValueError, "there is no IPv5", a.address, 5)


def check_calls(a, b):
    """A call with wrong arguments raises at once, not in the event that it schedules."""
    raises(ValueError, "cannot be -1 nodes", sc.nodes, -1)
    raises(ValueError, "with itself", sc.point_to_point, a, a)
    for function in (sc.point_to_point, lambda *nodes, **how: sc.csma(nodes, **how)):
        raises(ValueError, "negative", function, a, b, delay="-1ms")
        raises(ValueError, "never send", function, a, b, rate=0)
    raises(ValueError, "never send", sc.single, 2, bw=0)
    sink = sc.create("ns3::PacketSink")
    for wrong in ((-1,), ("2s", "1s")):
        raises(ValueError, "stop after its start", sink.run, *wrong)
    raises(TypeError, "None is not a function", sc.after, "1s", None)
    raises(TypeError, "not a class of random numbers", sc.random_variable, "ns3::Node")
    raises(TypeError, "<node 0> is not an Observation, Reward", sc.connect, a, b)
    raises(TypeError, "'a' is not a node", sc.Observation, "a")
    raises(TypeError, "takes either a value", sc.Reward(None).send)
    raises(TypeError, "takes either a value", sc.Reward(None).send, 1, queue=2)
    raises(TypeError, "None is not a message", sc.Reward(None).send, None)


def check_bounds():
    places = sc.create("ns3::RandomWalk2dMobilityModel")
    places["Bounds"] = "0|9|0|9"
    for wrong in ("0|9|0|9 m", "0|9", "all"):
        raises(ValueError, f"cannot be {wrong!r}", places.__setitem__, "Bounds", wrong)


def check_defaults():
    sc.set_default("ns3::OnOffApplication::PacketSize", 77)
    assert sc.create("ns3::OnOffApplication")["PacketSize"] == 77
    raises(
        AttributeError,
        "did you mean 'PacketSize'",
        sc.set_default,
        "ns3::OnOffApplication::PacketSise",
        1,
    )


def check_addresses():
    sink = sc.create("ns3::PacketSink", Local="00:00:00:00:0A:ff")
    assert sink["Local"] == "00:00:00:00:0a:ff"
    for wrong in ("00:00:00:00:00:zz", "0:00:00:00:00:000", "00-00-00-00-00-00"):
        raises(ValueError, "is not an address", sink.__setitem__, "Local", wrong)


def check_spaces(node):
    for space in (
        sc.MultiBinary(3),
        sc.MultiDiscrete([2, 3]),
        sc.Text(5),
        sc.Box(0, [1, 2, 3]),
        sc.Box([[0, 0, 0], [1, 1, 1]], 2),
        sc.Tuple([sc.Discrete(2), sc.Box([0, 0], [1, 2])]),
        sc.Dict({"a": sc.Discrete(2, start=-1), "b": sc.Box(0, 255, (2, 2), "uint8")}),
    ):
        make_space(space)
    raises(TypeError, "is not a space", make_space, 3)
    for taken in ("help", "policy", "Size"):
        raises(ValueError, f"{taken!r} cannot be the name", sim.parameter, taken, 4)
    raises(TypeError, "has no choices", sim.parameter, "size", 4, choices=(4, 8))
    for wrong in ((0.5, 3), (0, 3.5), (0, math.inf)):
        raises(ValueError, "whole numbers", sim.parameter, "size", 1, range=wrong)
    topology = sc.Topology()
    topology.add_host("h2")
    raises(ValueError, "two nodes cannot be called 'h2'", topology.add_host)
    raises(ValueError, "two nodes cannot be called 'h2'", topology.add_switch, "h2")
    topology.add_switch("core")
    unknown = "no host or switch is called 'cores'; did you mean 'core'?"
    raises(KeyError, unknown, topology.add_link, "h2", "cores")
    raises(ValueError, "cannot be connected", sc.connect, [1, 2], [1, 2, 3])
    raises(ValueError, "not one of", sc.connect, 1, 2, "smoke")


def check_numbers():
    agent = sc.Agent(None, sc.Dict({"a": sc.Discrete(2)}), sc.Discrete(2))
    for number in (3, np.int64(3), np.uint8(3), array("q", [3]), np.array(3)):
        agent.send_action(number)
    for number in (2**63, -(2**63) - 1, np.uint64(2**63)):
        raises(OverflowError, "is too large", agent.send_action, number)


def check_observations():
    agent = sc.Agent(None, sc.Dict({"a": sc.Discrete(2)}), sc.Discrete(2))
    raises(ValueError, "[1] is not a dict", setattr, agent, "observation", [1])
    number = sc.Agent(None, sc.Discrete(9), sc.Discrete(2))
    number.observation = np.array(3)
    for wrong in (2.0, "2", np.array([2])):
        words = "is not an integer: it should be of Discrete"
        raises(ValueError, words, setattr, number, "observation", wrong)
    raises(OverflowError, "is too large", setattr, number, "observation", 2**64)
    raises(KeyError, "0", agent.send_action, UserDict(a=1))
    for never in (0, "-1s"):
        raises(ValueError, "never end", sc.Reward(None).every(never), print)
    image = sc.Agent(None, sc.Box(0, 255, (2,), "uint8"), sc.Discrete(2))
    image.observation = array("q", [255, 0])
    image.observation = array("d", [255.0, 0.0])
    assert image.observation == [255, 0]
    for wrong in (array("q", [256, 0]), array("b", [-1, 0]), array("d", [0.5, math.nan])):
        raises(ValueError, "not of the element type", setattr, image, "observation", wrong)
    raises(OverflowError, "256 is too large", setattr, image, "observation", [256, 0])


@sim.episode
def build(p):
    check_times()
    check_numbers()
    check_observations()
    a, b = sc.nodes(2, internet=True)
    link = sc.point_to_point(a, b, rate="2Mbps", delay="3ms", queue="7p", network="10.9.0.0/30")
    assert link.addresses == ["10.9.0.1", "10.9.0.2"]
    check_defaults()
    check_spaces(b)
    check_addresses()
    raises(ValueError, "loss=5 is not a probability", sc.point_to_point, *sc.nodes(2), loss=5)
    link[0].trace("MacTx", note("packet"))
    link[0]["TxQueue"].trace("BytesInQueue", note("uint32"))
    check_attributes(link, a, b)
    sink = b.add("ns3::PacketSink", Protocol="ns3::UdpSocketFactory", Local=("0.0.0.0", 9))
    sink.trace("Rx", note("address"))
    assert sink["Local"] == ("0.0.0.0", 9)
    bulk = b.add("ns3::PacketSink", Protocol="ns3::TcpSocketFactory", Local=("0.0.0.0", 10))
    source = a.add("ns3::OnOffApplication", Remote=(b.address(), 9), OnTime=1, OffTime=0)
    source.run(1, "3s")
    a.add(
        "ns3::BulkSendApplication",
        Protocol="ns3::TcpSocketFactory",
        Remote=(b.address(), 10),
        MaxBytes=5000,
    )
    a.get("ns3::Ipv4L3Protocol").trace("SendOutgoing", note("ipv4"))
    sc.place([a, b], [(0, 0), (3, 4, 0)])
    b.position = (6, 8)
    assert b.position == (6, 8, 0)
    assert math.dist(a.position, b.position) == 10
    raises(ValueError, "already", a.add, "ns3::ConstantPositionMobilityModel")
    sc.watch_flows()
    ticks = []

    @sc.every("1s")
    def tick():
        ticks.append(sc.now().seconds)

    over = [schedule_something("1ms"), schedule_something("2s", cancel=True)]
    cancelled = sc.after("2s", lambda: ticks.append("cancelled"))
    sc.at("1.5s", cancelled.cancel)
    sampled = sample_at_another_interval(a)
    sc.at("4.8s", lambda: check_that_gone(over))
    sc.at("4.8s", lambda: check_samples(sampled))
    sc.at("4.9s", lambda: finish(ticks, sink, bulk, source))


def schedule_something(delay, cancel=False):
    """Return a weak reference to the function of an event."""

    def function():
        pass

    event = sc.after(delay, function)
    if cancel:
        event.cancel()
    return weakref.ref(function)


def sample_at_another_interval(node):
    """Return the times of samples, of which the first one changes the interval."""
    times = []

    def begin():  # in an event, because no agent is connected
        observer = sc.Observation(node)

        @observer.every("1s")
        def sample():
            times.append(sc.now().seconds)
            if len(times) == 1:
                observer.every("2s")(sample)

    sc.at("0s", begin)
    return times


def check_samples(times):
    assert times == [1.0, 3.0], times


def check_that_gone(functions):
    assert [function() for function in functions] == [None] * len(functions)


def finish(ticks, sink, bulk, source):
    assert ticks == [1.0, 2.0, 3.0, 4.0]
    assert {type(each) for (each,) in heard["packet"]} == {type(heard["packet"][0][0])}
    assert heard["packet"][0][0].size > 0
    assert all(isinstance(old, int) and isinstance(new, int) for old, new in heard["uint32"])
    packet, address = heard["address"][0]
    assert (packet.size, address[0]) == (77, "10.9.0.1")
    # 500 kbps in packets of 77 bytes for the two seconds of the run
    assert abs(len(heard["address"]) - 2 * 500_000 / 8 / 77) < 2
    header, packet, interface = heard["ipv4"][0]
    assert "10.9.0.1 > 10.9.0.2" in header
    assert interface == 1
    seen = {(flow["protocol"], flow["destination"]): flow for flow in sc.flows()}
    flow = seen[17, ("10.9.0.2", 9)]
    assert flow["tx_packets"] == len(heard["address"])
    assert flow["lost_packets"] == 0
    assert flow["delay_sum"] / flow["rx_packets"] > sc.Time("3ms")
    assert seen[6, ("10.9.0.2", 10)]["rx_bytes"] > 5000
    print("all is as it should be")
