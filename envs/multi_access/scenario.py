# SPDX-License-Identifier: GPL-2.0-only
"""Users with Wi-Fi and LTE; agents split the traffic to each user over both."""

from __future__ import annotations

import math
from array import array
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import defiance_zoo.scenario as sc
from defiance_zoo.bridge.system.capacity_traces import read_capacity_trace
from defiance_zoo.envs.multi_access import paths

sim = sc.Simulation("multi_access")
sim.parameter("users", 1, range=(1, 30), help="Number of users.")
sim.parameter(
    "links",
    "wireless",
    choices=["wireless", "point-to-point"],
    help="Whether paths are Wi-Fi and LTE, or links with constant rates.",
)
sim.parameter(
    "traffic",
    "constant",
    choices=["constant", "poisson", "on-off", "saturated"],
    help="Pattern of the traffic to a user.",
)
sim.parameter(
    "rate",
    sc.DataRate("20Mbps"),
    range=("10kbps", "1Gbps"),
    help="Rate of traffic to each user; with traffic=on-off during on times.",
)
sim.parameter(
    "packet_size",
    1000,
    range=(17, 9000),
    help="Payload of a packet in bytes; with traffic=poisson its mean.",
)
sim.parameter("on_time", sc.Time("1s"), range=("1ms", "3600s"), help="Mean of on times.")
sim.parameter("off_time", sc.Time("1s"), range=("1ms", "3600s"), help="Mean of off times.")
sim.parameter(
    "window",
    20,
    range=(1, 10_000),
    help="Largest number of packets on a path with traffic=saturated.",
)
sim.parameter(
    "wifi_rate",
    sc.DataRate("20Mbps"),
    range=("10kbps", "10Gbps"),
    help="Rate of the Wi-Fi path for each user with links=point-to-point.",
)
sim.parameter(
    "lte_rate",
    sc.DataRate("10Mbps"),
    range=("10kbps", "10Gbps"),
    help="Rate of the LTE path for each user with links=point-to-point.",
)
sim.parameter(
    "trace_file",
    "",
    help="Path of a trace of the LTE path's capacity for each user; paths are then links without "
    "radio. Mahimahi's format, or s and Mb/s in columns.",
)
sim.parameter(
    "wifi_delay",
    sc.Time("5ms"),
    range=("0s", "10s"),
    help="One-way delay of the cable of the Wi-Fi path.",
)
sim.parameter(
    "lte_delay",
    sc.Time("15ms"),
    range=("0s", "10s"),
    help="One-way delay of the cable of the LTE path.",
)
sim.parameter(
    "queue",
    100,
    range=(1, 100_000),
    help="Largest queue in packets of a link, or of LTE for a user.",
)
sim.parameter(
    "resource_blocks", 15, range=(6, 100), help="Bandwidth of LTE: 6, 15, 25, 50, 75 or 100."
)
sim.parameter(
    "speed", 3.0, range=(0.0, 50.0), help="Speed of walking users with links=wireless, in m/s."
)
sim.parameter(
    "reorder_timeout",
    sc.Time("100ms"),
    range=("0s", "10s"),
    help="Longest wait of a packet for earlier ones; 0: packets are not reordered.",
)
sim.parameter(
    "interval", sc.Time("100ms"), range=("1ms", "60s"), help="Time between two decisions."
)
sim.parameter(
    "action_space",
    "discrete",
    choices=["discrete", "continuous"],
    help="Whether an action is the index of a share, or the share.",
)
sim.parameter("levels", 11, range=(2, 1001), help="Shares of discrete actions, from 0 to 1.")
sim.parameter(
    "delay_price", 5.0, range=(0.0, 1000.0), help="Price of a second of mean one-way delay."
)
sim.parameter(
    "reward",
    "own",
    choices=["own", "mean"],
    help="Whether an agent gets the reward of its user, or the mean of all users.",
)

CONNECTING = "1500ms"
"""Time in which users connect by radio, before traffic begins."""
AREA = (-50.0, 50.0)
"""Users walk in a square around the access point, between these coordinates in m."""


class Path:
    """The measurements of a path of a user.

    Attributes:
        delay: Mean one-way delay in s, of the last interval in which packets arrived.
        backlog: Packets of the last second that have neither arrived nor been detected as lost.
    """

    def __init__(self, interval: float) -> None:
        self.delay, self.backlog = 0.0, 0.0
        self._sent = deque([0.0], maxlen=math.ceil(1 / interval) + 1)

    def update(self, new: sc.PathCounts, whole: sc.PathCounts) -> None:
        """Update with the counts of an interval, and of the whole time."""
        self._sent.append(whole.sent)
        self.backlog = whole.sent - max(whole.arrived + whole.lost, self._sent[0])
        if new.arrived:
            self.delay = new.delay / new.arrived


class User:
    """A user, and the traffic to it.

    Attributes:
        node: Node of the user.
        addresses: Addresses of Wi-Fi and LTE.
        traffic: The traffic, after it has begun.
        share: Share of packets over Wi-Fi.
        earned: Reward of the last interval.
        state: Observation of the user, by `paths.ELEMENTS`.
    """

    traffic: sc.Traffic

    def __init__(self, node: sc.Node) -> None:
        self.node, self.addresses, self.share, self.earned = node, ("", ""), 0.5, 0.0
        self.state = [0.0] * len(paths.ELEMENTS)

    def start(self, server: sc.Node, p: Any) -> None:
        """Set up traffic to the user."""
        self._paths = [Path(p.interval.seconds) for _ in paths.PATHS]
        self.traffic = sc.traffic(
            server,
            self.node,
            pattern=p.traffic,
            rate=p.rate,
            size=p.packet_size,
            on_time=p.on_time,
            off_time=p.off_time,
            window=p.window,
            paths=self.addresses,
            share=self.share,
            timeout=p.reorder_timeout,
        )

    def split(self, share: float) -> None:
        """Set the share of packets over Wi-Fi."""
        self.share = self.traffic.share = share

    def measure(self, p: Any) -> None:
        """Update the measurements of an interval."""
        seconds = p.interval.seconds
        new, total = self.traffic.take(), self.traffic.count()
        state: list[float] = []
        for path, whole, known in zip(new.paths, total.paths, self._paths, strict=True):
            known.update(path, whole)
            lost = path.lost / (path.lost + path.arrived) if path.lost > 0 else 0.0
            size = whole.sent_bytes / max(whole.sent, 1)
            throughput = 8e-6 * path.arrived_bytes / seconds
            state += [throughput, known.delay, lost, 8e-6 * size * known.backlog]
        sent = sum(path.sent_bytes for path in new.paths)
        throughput = 8e-6 * new.delivered_bytes / seconds
        delay = new.delay / new.delivered if new.delivered else 0.0
        state += [8e-6 * sent / seconds, throughput, delay, self.share]
        self.state = [min(*pair) for pair in zip(state, paths.HIGHEST, strict=True)]
        self.earned = paths.reward(throughput, delay, p.delay_price)


@sim.deployment
class MultiAccess(sc.Deployment):
    """A server, and users connected by Wi-Fi and LTE."""

    device = "user"
    accesses = ("point-to-point", "csma")

    def count_devices(self) -> int:
        """See the base class."""
        return int(self.p.users)

    def find_contradiction(self) -> str:
        """See the base class."""
        p, blocks = self.p, (6, 15, 25, 50, 75, 100)
        if p.resource_blocks not in blocks:
            return f"resource_blocks={p.resource_blocks} is not one of {blocks}"
        if p.reward == "mean" and p.users == 1:
            return "reward=mean needs several users"
        if p.traffic == "poisson" and p.packet_size < 100:
            return "traffic=poisson needs a packet_size of at least 100: its sizes are 17 or more"
        self.by_radio = p.links == "wireless" and not p.trace_file
        self.times: list[int] | None = None
        if p.trace_file:
            try:
                self.times = read_capacity_trace(p.trace_file)
            except (OSError, ValueError) as error:
                return f"trace_file={p.trace_file}: {error}"
        return ""

    def build_devices(self) -> Sequence[sc.Node]:
        """See the base class."""
        count = self.p.users
        nodes = sc.nodes(count, internet=True, names=[f"user_{i}" for i in range(count)])
        self.users = [User(each) for each in nodes]
        (self.server,) = sc.nodes(1, internet=True, names=["server"])
        self.reports: list[Callable[[], None]] = []
        if self.by_radio:
            self._link_by_radio(nodes)
        else:
            self._link_by_cable(nodes)
        return nodes

    def _link_by_cable(self, nodes: Sequence[sc.Node]) -> None:
        """Link each user with a router of each path, behind the path's bottleneck."""
        p = self.p
        routers = sc.nodes(2, internet=True, names=["wifi", "lte"])
        addresses: list[list[str]] = [[] for _ in nodes]
        for path, (router, rate, times, delay) in enumerate(
            (
                (routers[0], p.wifi_rate, None, p.wifi_delay),
                (routers[1], p.lte_rate, self.times, p.lte_delay),
            )
        ):
            bottleneck = sc.point_to_point(
                self.server,
                router,
                rate=rate * len(nodes),
                capacity=times and [time for time in times for _ in nodes],
                delay=delay,
                queue=f"{p.queue}p",
                flow_control=False,
                network=f"20.{path}.0.0/30",
            )
            sc.route(self.server, f"20.{path}.0.0/16", bottleneck.addresses[1])
            links = [bottleneck]
            for i, node in enumerate(nodes):
                network = f"20.{path}.{i + 1}.0/30"
                links.append(
                    sc.point_to_point(router, node, rate="10Gbps", delay="0s", network=network)
                )
                addresses[i].append(links[-1].addresses[1])
            for device in (each for link in links for each in link):
                device["Mtu"] = 65535  # packets of any length are not fragmented
        for user, (wifi, lte) in zip(self.users, addresses, strict=True):
            user.addresses = wifi, lte

    def _link_by_radio(self, nodes: Sequence[sc.Node]) -> None:
        """Link users, which walk around an access point, by Wi-Fi and LTE."""
        p = self.p
        (point,) = sc.nodes(1, internet=True, names=["access_point"])
        (cell,) = sc.nodes(1, names=["cell"])
        sc.place([point, cell], [(0, 0), (200, 0)])
        draw = sc.random_variable(Min=AREA[0], Max=AREA[1])
        for node in nodes:
            sc.move(
                node,
                "ns3::RandomWalk2dMobilityModel",
                Mode="Time",
                Time="5s",
                Speed=max(p.speed, 1e-9),
                Bounds="|".join(str(each) for each in (*AREA, *AREA)),
            )
            sc.place(node, (draw(), draw()))
        sc.load_module("lte")
        sc.set_default("ns3::LteRlcUm::MaxTxBufferSize", p.queue * (p.packet_size + 28))
        lte = sc.lte(cell, nodes, resource_blocks=p.resource_blocks)
        lte_addresses = [node.address() for node in nodes]  # LTE comes first, Wi-Fi later
        wifi = sc.wifi(nodes, point, standard="802.11a", network="20.1.0.0/24")
        for end, delay, network, behind in (
            (point, p.wifi_delay, "20.0.0.0/30", "20.1.0.0/24"),
            (lte.gateway, p.lte_delay, "20.0.1.0/30", "7.0.0.0/8"),
        ):
            cable = sc.point_to_point(self.server, end, rate="1Gbps", delay=delay, network=network)
            sc.route(self.server, behind, cable.addresses[1])
        for user, *addresses in zip(self.users, wifi.addresses, lte_addresses, strict=False):
            user.addresses = addresses[0], addresses[1]

    def start_devices(self) -> None:
        """See the base class."""
        if self.by_radio:
            sc.after(CONNECTING, self._begin)
        else:
            self._begin()

    def _begin(self) -> None:
        for user in self.users:
            user.start(self.server, self.p)
        sc.every(self.p.interval)(self._tick)

    def _tick(self) -> None:
        for user in self.users:
            user.measure(self.p)
        for report in self.reports:
            report()

    def make_applications(self, device: int) -> tuple[Any, Any, Any]:
        """See the base class."""
        observer, rewarder, actor = sc.Observation(None), sc.Reward(None), sc.Action(None)
        user = self.users[device]

        def report() -> None:
            rewarder.send(self._reward(user))
            observer.send(array("f", user.state))

        self.reports.append(report)

        @actor.on_action
        def act(sender: int, action: Any) -> None:
            discrete = self.p.action_space == "discrete"
            user.split(action / (self.p.levels - 1) if discrete else float(action[0]))

        return observer, rewarder, actor

    def _reward(self, user: User) -> float:
        if self.p.reward == "own":
            return user.earned
        return sum(each.earned for each in self.users) / len(self.users)

    def make_agent(self, number: int) -> Any:
        """See the base class."""
        size = len(paths.ELEMENTS)
        observations = sc.Box([0.0] * size, paths.HIGHEST, element_names=paths.ELEMENTS)
        discrete = self.p.action_space == "discrete"
        actions = sc.Discrete(self.p.levels) if discrete else sc.Box(0, 1, (1,))
        return self.make_device_agent(number, observations, actions)
