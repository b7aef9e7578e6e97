# SPDX-License-Identifier: GPL-2.0-only
"""Clients that download the chunks of a video over TCP, at bitrates chosen by agents."""

from __future__ import annotations

import functools
import math
from array import array
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import defiance_zoo.scenario as sc
from defiance_zoo.bridge.system.capacity_traces import read_capacity_trace
from defiance_zoo.envs.video_streaming import video

sim = sc.Simulation("video_streaming")
sim.parameter("clients", 1, range=(1, 100), help="Number of clients.")
sim.parameter("chunks", 48, range=(1, 1000), help="Chunks of the video, of 4 s each.")
sim.parameter(
    "bottleneck",
    "own",
    choices=["own", "shared"],
    help="Whether each client has its own bottleneck, or all share one.",
)
sim.parameter(
    "capacity",
    "training",
    choices=["training", "held_out", "constant"],
    help="Capacity of a bottleneck: a generated trace of one of two sets, or `rate`.",
)
sim.parameter(
    "trace",
    -1,
    range=(-1, 999),
    help="Number of the first client's trace in its set; -1: each episode draws traces.",
)
sim.parameter(
    "trace_file",
    "",
    help="Path of a trace that replaces `capacity`: Mahimahi's format, or s and Mb/s in columns.",
)
sim.parameter(
    "rate",
    sc.DataRate("3Mbps"),
    range=("10kbps", "1Gbps"),
    help="Capacity for each client with capacity=constant.",
)
sim.parameter(
    "path_delay",
    sc.Time("40ms"),
    range=("0s", "10s"),
    help="One-way delay between server and client.",
)
sim.parameter("queue", 100, range=(1, 100_000), help="Largest queue in packets of a bottleneck.")
sim.parameter(
    "connection",
    "persistent",
    choices=["persistent", "per_chunk"],
    help="Whether a client uses one TCP connection, or opens one for each chunk.",
)
sim.parameter(
    "buffer_limit",
    sc.Time("60s"),
    range=("4s", "3600s"),
    help="Seconds of video above which a client waits before it requests the next chunk.",
)
sim.parameter(
    "qoe", "linear", choices=list(video.MEASURES), help="Measure of the quality of experience."
)
sim.parameter(
    "reward",
    "own",
    choices=["own", "mean", "mixed"],
    help="Whether an agent gets its client's quality of experience, the mean of all, or a mix.",
)
sim.parameter(
    "mix", 0.5, range=(0.0, 1.0), help="Weight of the mean in the rewards with reward=mixed."
)
sim.parameter(
    "patience",
    sc.Time("1s"),
    range=("1ms", "3600s"),
    help="Time after which a client without an answer repeats its last bitrate.",
)


class Client:
    """Plays a video, chunk by chunk.

    Attributes:
        asks: Called when the client needs a bitrate, and once at the end.
        rated: Called with the quality of experience of each chunk.
        ends: Called after the last chunk.
        chunk: Number of the next chunk.
        trace: Number of the generated trace of its bottleneck; -1 without one.
        played: Download time and stall in s, bitrate in kb/s and quality of experience of the last
            chunk; zeros before the first one.
    """

    def __init__(self, name: str, p: Any, chunks: Sequence[Sequence[int]]) -> None:
        self.name, self._chunks = name, chunks
        self._measure, self._limit = video.MEASURES[p.qoe], p.buffer_limit.seconds
        self._patience, self._persistent = p.patience, p.connection == "persistent"
        self._throughputs, self._times = (deque([0.0] * video.HISTORY) for _ in range(2))
        self._buffer, self._choice = 0.0, 0
        self._last: int | None = None
        self._asked: sc.Time = sc.Time(0)
        self._timeout: Any = None
        self.chunk, self.trace, self.played = 0, -1, [0.0] * 4
        self.asks: Callable[[], None]
        self.rated: Callable[[float], None]
        self.ends: Callable[[], None]
        self.nodes: tuple[sc.Node, sc.Node]

    def start(self) -> None:
        """Ask for the first chunk, after all applications have started."""
        sc.after(0, lambda: sc.after(0, self._ask))

    def _ask(self) -> None:
        self._asked = sc.now()
        self._timeout = sc.after(self._patience, lambda: self.choose(self._last or 0))
        self.asks()

    def choose(self, choice: int) -> None:
        """Download the next chunk at a bitrate; ignored unless the client waits for one."""
        if self._timeout is None:
            return
        self._timeout.cancel()
        self._timeout, self._choice = None, choice
        size = self._chunks[self.chunk][choice]
        sc.download(*self.nodes, size, self._receive, persistent=self._persistent)

    def _receive(self) -> None:
        time = (sc.now() - self._asked).seconds
        stalled = max(time - self._buffer, 0.0)
        self._buffer = max(self._buffer - time, 0.0) + video.CHUNK_S
        qoe = self._measure.rate(self._choice, self._last, stalled)
        self.played = [time, stalled, float(video.RATES[self._choice]), qoe]
        for past, value in (
            (self._throughputs, 8e-6 * self._chunks[self.chunk][self._choice] / time),
            (self._times, time),
        ):
            past.popleft()
            past.append(value)
        if stalled and self.chunk:
            sc.note_event("stall", f"{self.name}: {stalled:.2f} s")
        self._last, self.chunk = self._choice, self.chunk + 1
        self.rated(qoe)
        if self.chunk == len(self._chunks):
            self.ends()
            return
        steps = math.ceil(max(self._buffer - self._limit, 0.0) / video.WAIT_S)
        self._buffer -= steps * video.WAIT_S
        if steps:
            sc.after(steps * video.WAIT_S, self._ask)
        else:
            self._ask()

    def state(self) -> array[float]:
        """Return the observation of an agent, by `video.ELEMENTS`."""
        left = len(self._chunks) - self.chunk
        sizes = [each / 1e6 for each in self._chunks[self.chunk]] if left else [0.0] * 6
        last = 0.0 if self._last is None else video.RATES[self._last] / 1000
        return array(
            "f", [*self._throughputs, *self._times, *sizes, self._buffer, float(left), last]
        )


@sim.deployment
class VideoStreaming(sc.Deployment):
    """Servers and clients, with bottlenecks between them."""

    device = "client"
    accesses = ("point-to-point", "csma", "wifi")

    def count_devices(self) -> int:
        """See the base class."""
        return int(self.p.clients)

    def find_contradiction(self) -> str:
        """See the base class."""
        p = self.p
        if p.trace_file:
            try:
                self.times = read_capacity_trace(p.trace_file)
            except (OSError, ValueError) as error:
                return f"trace_file={p.trace_file}: {error}"
            if p.trace >= 0:
                return "trace and trace_file both define the capacity; give one of them"
        if p.trace >= 0 and p.capacity == "constant":
            return f"trace={p.trace} needs capacity=training or capacity=held_out"
        if p.trace >= video.TRACES.get(p.capacity, 1000):
            return f"trace={p.trace} is not among the {video.TRACES[p.capacity]} of {p.capacity}"
        if p.reward != "own" and p.clients == 1:
            return f"reward={p.reward} needs several clients"
        return ""

    def build_devices(self) -> Sequence[sc.Node]:
        """See the base class."""
        # TcpCubic, ns-3's default, does not repeat itself after losses: ns-3 3.44.
        sc.set_default("ns3::TcpL4Protocol::SocketType", "ns3::TcpLinuxReno")
        sc.set_default("ns3::TcpSocket::SegmentSize", video.SEGMENT)  # 1500 bytes with all headers
        count = self.p.clients
        chunks = video.make_video(self.p.chunks)
        self.clients = [Client(f"client {i}", self.p, chunks) for i in range(count)]
        self.rewarders: list[sc.Reward] = []
        self.unfinished = count
        nodes = sc.nodes(count, internet=True, names=[f"client_{i}" for i in range(count)])
        shared = self.p.bottleneck == "shared"
        for client, node, server in zip(
            self.clients,
            nodes,
            self._share_bottleneck(nodes) if shared else self._link_each(nodes),
            strict=True,
        ):
            client.nodes = server, node
            client.rated = functools.partial(self._reward, client)
            client.ends = functools.partial(self._finish, client)
        return nodes

    def _link_each(self, nodes: Sequence[sc.Node]) -> list[sc.Node]:
        servers = sc.nodes(
            len(nodes), internet=True, names=[f"server_{i}" for i in range(len(nodes))]
        )
        for i, (server, node) in enumerate(zip(servers, nodes, strict=True)):
            self._bottleneck(server, node, i, 1, f"20.0.{i}.0/24")
        return servers

    def _share_bottleneck(self, nodes: Sequence[sc.Node]) -> list[sc.Node]:
        server, router = sc.nodes(2, internet=True, names=["server", "router"])
        link = self._bottleneck(server, router, 0, len(nodes), "20.0.0.0/24")
        sc.route(server, "20.0.0.0/8", link.addresses[1])
        for i, node in enumerate(nodes):
            leaf = sc.point_to_point(
                router, node, rate="1Gbps", delay="0ms", network=f"20.1.{i}.0/24"
            )
            sc.route(node, "20.0.0.0/8", leaf.addresses[0])
        return [server] * len(nodes)

    def _bottleneck(
        self, server: sc.Node, other: sc.Node, number: int, clients: int, network: str
    ) -> sc.Link:
        """Link a server with a router over a bottleneck, with a capacity for some clients."""
        p = self.p
        constant = p.capacity == "constant" and not p.trace_file
        return sc.point_to_point(
            server,
            other,
            rate=p.rate * clients if constant else "1Gbps",
            capacity=None if constant else self._draw_trace(number, clients),
            delay=p.path_delay,
            queue=f"{p.queue}p",
            flow_control=False,
            network=network,
        )

    def _draw_trace(self, number: int, clients: int) -> list[int]:
        if self.p.trace_file:
            return [time for time in self.times for _ in range(clients)]
        kind = self.p.capacity
        drawn = sc.random_variable(Min=0, Max=video.TRACES[kind] - 1).integer()
        trace = drawn if self.p.trace < 0 else (self.p.trace + number) % video.TRACES[kind]
        for client in self.clients[number : number + clients]:
            client.trace = trace
        return video.make_trace(video.make_rates(kind, trace), clients)

    def start_devices(self) -> None:
        """See the base class."""
        for client in self.clients:
            sc.on_start(client.nodes[1], client.start)

    def make_applications(self, device: int) -> tuple[Any, Any, Any]:
        """See the base class."""
        client = self.clients[device]
        observer, rewarder, actor = sc.Observation(None), sc.Reward(None), sc.Action(None)
        self.rewarders.append(rewarder)

        def ask() -> None:
            observer.send(
                state=client.state(), played=array("d", client.played), chunk=client.chunk
            )

        client.asks = ask
        actor.on_action(lambda sender, action: client.choose(action))
        return observer, rewarder, actor

    def _reward(self, client: Client, qoe: float) -> None:
        """Share a quality of experience among agents, by the parameter `reward`."""
        weight = {"own": 0.0, "mean": 1.0, "mixed": self.p.mix}[self.p.reward]
        for other, rewarder in zip(self.clients, self.rewarders, strict=True):
            part = weight / len(self.clients) + (1 - weight) * (other is client)
            if part:
                rewarder.send(part * qoe)

    def _finish(self, client: Client) -> None:
        """Report the end of a video, for shared rewards when all videos have ended."""
        self.unfinished -= 1
        if self.p.reward == "own":
            client.asks()
        elif not self.unfinished:
            for each in self.clients:
                each.asks()

    def make_agent(self, number: int) -> Any:
        """See the base class."""
        p, count = self.p, self.p.clients if self.is_central else 1
        size = len(video.ELEMENTS)
        names = [
            f"{each}_{client}" if count > 1 else each
            for client in range(count)
            for each in video.ELEMENTS
        ]
        actions = sc.Discrete(len(video.RATES))
        agent = sc.Agent(
            None,
            sc.Box([0.0] * size * count, video.HIGHEST * count, element_names=names),
            sc.MultiDiscrete([actions.n] * count) if self.is_central else actions,
        )
        states, played = [0.0] * (size * count), [[0.0] * 4] * count
        asking: set[int] = set()
        ended: set[int] = set()
        decided: list[Any] = []

        @agent.on_observation
        def receive(sender: int, message: Any) -> None:
            client = sender - number
            states[size * client : size * (client + 1)] = message["state"]
            played[client] = list(message["played"])
            (ended if message["chunk"] == p.chunks else asking).add(client)
            agent.observation = states
            if count == 1:
                decide()
            elif not decided or not decided[-1].pending:
                decided[:] = [sc.after(0, decide)]

        def decide() -> None:
            if len(ended) == count:
                agent.terminate()
            elif asking:
                agent.decide()

        @agent.on_action
        def act(action: Any) -> None:
            if not self.is_central:
                agent.send_action(action)
                return
            for client in sorted(asking):
                agent.send_action(int(action[client]), number + client)
            asking.clear()

        @agent.info
        def describe() -> dict[str, Any]:
            values = zip(*played, strict=True)
            keys = ("download_time", "stall", "rate", "chunk_qoe")
            infos = {
                key: list(each) if count > 1 else each[0]
                for key, each in zip(keys, values, strict=True)
            }
            return {**infos, **self._facts(number, count)}

        return agent

    def _facts(self, first: int, count: int) -> dict[str, Any]:
        """Return the facts of the episode that policies may know, for some clients."""
        p = self.p
        traces = [each.trace for each in self.clients[first : first + count]]
        alone = p.capacity == "constant" and (p.bottleneck == "own" or p.clients == 1)
        return {
            "qoe": p.qoe,
            "capacity": p.rate.bps / 1e6 if alone else 0.0,
            "traces": p.trace_file or ("" if p.capacity == "constant" else p.capacity),
            "trace": traces if count > 1 else traces[0],
            "delay": p.path_delay.seconds,
            "connection": p.connection,
            "buffer_limit": p.buffer_limit.seconds,
        }
