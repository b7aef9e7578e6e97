# SPDX-License-Identifier: GPL-2.0-only
"""Parts of networks and of agents, one at a time; each prints the results for its test."""

import atexit
import functools

import defiance_zoo.scenario as sc
from defiance_zoo.scenario.native import core

PARTS = {}
KEPT = []
CHANNELS = ["36", "{36, 20", "{36, 20, BAND_7GHZ, 0}", "{300, 20, BAND_5GHZ, 0}"]
CHANNELS += ["{36, 20, BAND_5GHZ, 0};"]
"""Malformed ones, of which ns-3 ends the process."""


def part(function):
    PARTS[function.__name__] = function
    return function


def echo(client, address, at="1s"):
    """Send a packet that returns, and print the result."""
    ping = client.add("ns3::UdpEchoClient", Remote=(address, 9), MaxPackets=1)
    ping.run(at)
    ping.trace("Rx", lambda packet: print(f"echo of {address}"))


def serve(node):
    node.add("ns3::UdpEchoServer", Port=9).run("0s")


def refused(kind, function, *arguments):
    """Print the error of a call."""
    try:
        function(*arguments)
    except kind as error:
        print(f"refused: {error}")


@part
def route(p):
    left, router, right = sc.nodes(3, internet=True)
    sc.point_to_point(left, router)
    sc.point_to_point(router, right)
    serve(right)
    echo(left, "10.0.1.2", at="1s")
    refused(ValueError, sc.route, left, "10.0.1.0/24", "10.0.1.1")
    refused(ValueError, sc.route, left, "2001:db8::/64", "2001:db8::1")
    refused(ValueError, sc.route, *sc.nodes(1), "10.0.1.0/24", "10.0.0.2")

    def add_routes():
        sc.route(left, "10.0.1.0/24", "10.0.0.2")
        sc.route(right, "0.0.0.0/0", "10.0.1.1")

    sc.at("2s", add_routes)
    sc.at("2.5s", lambda: print("routes"))
    echo(left, "10.0.1.2", at="3s")


@part
def ipv6(p):
    left, right = sc.nodes(2, internet=True)
    link = sc.point_to_point(left, right)
    print(*link.assign("2001:db8::/64"))
    print(link.addresses[1], right.address(), right.address(6))
    serve(right)
    sc.watch_flows()
    echo(left, right.address(6), at="2s")
    echo(left, right.address(), at="2s")

    def finish():
        for flow in sc.flows():
            print(*flow["source"][:1], *flow["destination"], flow["rx_packets"])

    sc.at("3s", finish)


@part
def ad_hoc(p):
    nodes = sc.nodes(3, internet=True)
    refused(ValueError, sc.wifi, nodes)
    refused(ValueError, sc.wifi, nodes[0])
    sc.place(nodes, [(0, 0), (20, 0), (0, 20)])
    for channel in CHANNELS:
        refused(ValueError, functools.partial(sc.wifi, nodes, channel=channel))
    others = sc.nodes(1)
    sc.place(others, [(9, 9)])
    refused(ValueError, functools.partial(sc.wifi, others, channel="{36, 40, BAND_5GHZ, 0}"))
    link = sc.wifi(nodes, standard="802.11g", manager="ns3::AarfWifiManager")
    print(link[0]["Mac"].type, *link.addresses)
    for node, at in zip(nodes[1:], ("1s", "1.1s"), strict=True):
        serve(node)
        echo(nodes[0], node.address(), at=at)
    heard = {name: [] for name in ("MonitorSnifferRx", "State", "AckedMpdu", "PhyTxPsduBegin")}
    phy = link[0]["Phy"]
    for name, source in {
        "MonitorSnifferRx": phy,
        "PhyTxPsduBegin": phy,
        "State": phy["State"],
        "AckedMpdu": link[0]["Mac"],
    }.items():
        source.trace(name, lambda *arguments, name=name: heard[name].append(arguments))
    acked = link[0]["Mac"].count("AckedMpdu")
    psdus = phy.count("PhyTxPsduBegin")

    def finish():
        packet, frequency, vector, _, levels, _ = heard["MonitorSnifferRx"][-1]
        print(packet.size, frequency, vector["mode"], vector["width_mhz"])
        print(-100 < levels["noise_dbm"] < -90 < levels["signal_dbm"] < -40)
        frames = [frame for (frame,) in heard["AckedMpdu"] if frame["type"] == "DATA"]
        print(len(frames), {frame["retry"] for frame in frames})
        print(acked.count, acked.bytes == sum(frame["size"] for frame in frames))
        every = [frame for frames, _, _ in heard["PhyTxPsduBegin"] for frame in frames]
        print(psdus.bytes == sum(frame["size"] for frame in every))
        sent = [frame["type"] for frames, _, _ in heard["PhyTxPsduBegin"] for frame in frames]
        print(sorted(set(sent)))
        print(sorted({state for _, _, state in heard["State"]}))

    sc.at("3s", finish)


@part
def traces(p):
    """Connect all known trace sources: ns-3 aborts at a wrong signature."""
    nodes = sc.nodes(3, internet=True)
    sc.place(nodes, [(0, 0), (5, 0), (9, 0)])
    air = sc.wifi(nodes[:2], nodes[2])
    wired = [*sc.point_to_point(*nodes[:2]), *sc.csma(nodes[1:])]
    sources = [*air, *wired, nodes[0].get("ns3::MobilityModel")]
    for station in air:
        sources += [station["Mac"], station["Phy"], station["Phy"]["State"], station["Mac"]["Txop"]]
        sources += [station["RemoteStationManager"], station["Mac"]["BE_Txop"]]
        sources += [station["Mac"]["BE_Txop"]["Queue"]]
    sources += [device["TxQueue"] for device in wired]
    for name in ("Ipv4L3Protocol", "Ipv6L3Protocol", "Icmpv6L4Protocol"):
        sources.append(nodes[0].get(f"ns3::{name}"))
    for name in ("FqCoDel", "Cobalt", "CoDel", "Red", "Pie", "PfifoFast", "Tbf", "Fifo"):
        sources.append(sc.create(f"ns3::{name}QueueDisc"))
    for name in ("OnOffApplication", "BulkSendApplication", "PacketSink", "UdpEchoClient", "Ping"):
        sources.append(sc.create(f"ns3::{name}"))
    sources += [sc.create("ns3::TcpSocketBase"), sc.create("ns3::TcpDctcp")]
    known, connected = set(core.trace_signatures()), 0
    for source in filter(None, sources):
        for name, signature in source.trace_sources.items():
            if signature in known:
                source.trace(name, lambda *arguments: None)
                connected += 1
    serve(nodes[1])
    echo(nodes[0], nodes[1].address())
    KEPT.append(sources)
    print(connected)


@part
def queue_disc(p):
    """A source of twice the rate of a cable fills the queue before it."""
    left, right, bare = sc.nodes(2, internet=True) + sc.nodes(1)
    link = sc.csma([left, right], rate="1Mbps", queue="2p")
    refused(TypeError, sc.queue_disc, link[0], "ns3::Node")
    refused(ValueError, sc.queue_disc, sc.csma([bare])[0], "ns3::RedQueueDisc")
    other = sc.point_to_point(left, right, flow_control=False)
    refused(ValueError, sc.queue_disc, other[0], "ns3::RedQueueDisc")
    disc = sc.queue_disc(link[0], "ns3::RedQueueDisc", MaxSize="30p", MinTh=5, MaxTh=10)
    print(left.get("ns3::TrafficControlLayer")["RootQueueDiscList"][1] == disc)
    right.add("ns3::PacketSink", Local=("0.0.0.0", 9)).run(0)
    flow = left.add("ns3::OnOffApplication", Remote=(link.addresses[1], 9), DataRate="2Mbps")
    flow["OnTime"], flow["OffTime"] = 1e6, 0
    lengths, reasons = [0], set()
    disc.trace("PacketsInQueue", lambda old, new: lengths.append(new))
    disc.trace("DropBeforeEnqueue", lambda item, reason: reasons.add(reason))

    def widen():
        print("Unforced drop" in reasons)
        reasons.clear()
        disc["MinTh"], disc["MaxTh"] = 1000, 2000

    sc.at("2s", widen)
    sc.at("3s", lambda: refused(ValueError, sc.queue_disc, link[0], "ns3::RedQueueDisc"))
    sc.at("3.5s", lambda: print(max(lengths), sorted(reasons)))


@part
def routing(p):
    """A node out of range of the first one is two hops away."""
    nodes = sc.nodes(3, internet=True)
    sc.load_module("olsr")
    refused(ValueError, sc.use_routing, sc.nodes(1), "ns3::olsr::RoutingProtocol")
    refused(TypeError, sc.use_routing, sc.nodes(1, internet=True), "ns3::Node")
    protocols = sc.use_routing(nodes, "ns3::olsr::RoutingProtocol", HelloInterval="500ms")
    print(len(protocols), protocols[0]["HelloInterval"])
    sc.csma(nodes[:2])
    sc.csma(nodes[1:])
    refused(ValueError, sc.use_routing, nodes, "ns3::olsr::RoutingProtocol")
    serve(nodes[2])
    echo(nodes[0], "10.0.1.2", at="10s")


@part
def moving(p):
    """A mobility model continues from the set position of its node."""
    (node, other), corner = sc.nodes(2), {"X": 0, "Y": 0}
    there = sc.create("ns3::RandomRectanglePositionAllocator", **corner)
    refused(TypeError, sc.move, node, "ns3::PacketSink")
    sc.move(node, "ns3::RandomWaypointMobilityModel", Speed=1, Pause=0, PositionAllocator=there)
    sc.place(node, (3, 0))
    sc.place([other], [(9, 9)])
    refused(ValueError, sc.move, other, "ns3::RandomWalk2dMobilityModel")
    sc.at("1s", lambda: print(node.position, other.position))


@part
def request(p):
    (node,) = sc.nodes(1)
    agent = sc.Agent(node, sc.Box(0, 10, (1,)), sc.Discrete(10))

    def ask():
        before = sc.now()
        action = agent.request([3])
        agent.reward = action
        print(f"asked: {action}, {sc.now() - before} later")

    sc.at("1s", ask)
    observer, actor, second = (
        sc.Observation(node),
        sc.Action(node),
        sc.Agent(node, sc.Box(0, 10, (1,)), sc.Discrete(10), Synchronous=True),
    )
    done = []
    actor.on_action(lambda sender, action: done.append(action))
    sc.connect(observer, second, synchronous=True)
    sc.connect(second, actor, synchronous=True)

    def observe():
        observer.send([4])
        print(f"done when it is sent: {done}")

    sc.at("2s", observe)

    def end():
        agent.terminate()
        print(f"after its end: {agent.request([3])}")

    sc.at("3s", end)


@part
def move_to(p):
    one, other, third = sc.nodes(3, internet=True)
    sc.csma([one, other, third])
    observer, agent = sc.Observation(one), sc.Agent(third, sc.Box(0, 9, (1,)), sc.Discrete(2))
    observer.every("100ms")(lambda: [observer.node.id])
    seen = []
    agent.on_observation(lambda sender, message: seen.append(message["observation"][0]))
    sc.connect(observer, agent, over="udp")
    sc.watch_flows()
    sc.at("1.05s", lambda: observer.move_to(other))

    def finish():
        print(seen.count(0), seen.count(1), seen == sorted(seen))
        print(sorted({flow["source"][0] for flow in sc.flows() if flow["protocol"] == 17}))

    sc.at("2.05s", finish)


@part
def policy(p):
    (node,) = sc.nodes(1)
    agent = sc.Agent(node, sc.Box(-9, 9, (2,)), sc.Discrete(2), StepInterval="1s")
    seen = iter([[1, 0], [-1, 0], [1, 2], [2, -1]])
    agent.observe(lambda: next(seen, None))
    agent.on_action(lambda action: print(f"action {action}"))


@part
def per_agent(p):
    (node,) = sc.nodes(1)
    for number in range(3):
        agent = sc.Agent(node, sc.Box(0, 9, (1,)), sc.Discrete(2), StepInterval="1s")
        agent.observe(lambda number=number: [p.gain(f"agent_{number}")])


@part
def leave(p):
    class Kept:
        def __call__(self, *arguments):
            pass

        def __del__(self):
            print("a hook was finalised")

    nodes = sc.nodes(2, internet=True)
    link = sc.point_to_point(*nodes)
    agent = sc.Agent(nodes[0], sc.Box(0, 1, (1,)), sc.Discrete(2), StepInterval="9s")
    agent.on_action(print)
    agent.info(dict)
    hooks = [Kept() for _ in range(4)]
    sc.every("1s")(hooks[0])
    link[0].trace("MacTx", hooks[1])
    agent.on_observation(hooks[2])
    sc.on_start(nodes[0], hooks[3])
    KEPT.extend([hooks, nodes, link, agent, sc.random_variable()])
    atexit.register(print, "goodbye")


sim = sc.Simulation("parts", duration="4s")
sim.parameter("part", "route", choices=list(PARTS))
sim.parameter("gain", 1.0, range=(0.0, 9.0), per_agent=True)
sim.episode(lambda p: PARTS[p.part](p))
