# SPDX-License-Identifier: GPL-2.0-only
"""The simulation's counts of traffic between RL applications."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from defiance_zoo._proto.defiance.v1 import environment_pb2 as pb

_Record = TypeVar("_Record")


@dataclass(frozen=True, slots=True)
class CommunicationFlow:
    """Messages of one kind from one application to another, through all channels between them.

    Latencies are of arrived messages, in seconds; 0 if none has arrived. Mean, minimum and maximum
    are exact; the percentiles 50, 95 and 99 are within 1 %.

    Attributes:
        sender: Name of the sender, such as `observation_0`.
        receiver: Name of the receiver, such as `agent_0`.
        kind: `observation`, `reward`, `action`, `message`, or the kind of a transfer.
        tx_messages: Messages that the sender's ends have accepted.
        tx_payload_bytes: Bytes of their contents.
        tx_bytes: Bytes with the framing of the channel.
        rx_messages: Messages that have arrived.
        rx_payload_bytes: Bytes of their contents.
        rx_bytes: Bytes with the framing of the channel.
        dropped_messages: Messages that the sender's ends have refused or dropped.
        dropped_bytes: Bytes with the framing of the channel.
    """

    sender: str
    receiver: str
    kind: str
    tx_messages: int
    tx_payload_bytes: int
    tx_bytes: int
    rx_messages: int
    rx_payload_bytes: int
    rx_bytes: int
    dropped_messages: int
    dropped_bytes: int
    mean_latency: float
    min_latency: float
    max_latency: float
    p50_latency: float
    p95_latency: float
    p99_latency: float

    @property
    def missing_share(self) -> float:
        """Share of sent messages that have not arrived: lost, or still on their way."""
        return 1 - self.rx_messages / self.tx_messages if self.tx_messages else 0.0


@dataclass(frozen=True, slots=True)
class CommunicationPath:
    """IP packets of all socket channels from one application to another.

    They include all kinds of messages, and TCP's handshakes, acknowledgements and retransmissions.
    Packets that the receiver sends belong to the opposite path.

    Attributes:
        sender: Application on the first node of the packets.
        receiver: Application on the last node of the packets.
        packets: Packets that have left the sender's node.
        ip_bytes: Bytes of these packets, with IP and UDP or TCP headers.
        wire_bytes: Bytes of their frames, link headers included, on all links of the report: once
            for each link on the path.
    """

    sender: str
    receiver: str
    packets: int
    ip_bytes: int
    wire_bytes: int


@dataclass(frozen=True, slots=True)
class CommunicationLink:
    """The traffic of one device of a link, or of all devices of a shared medium.

    Attributes:
        name: `node_0/device_1`, or `bus_3` for a shared medium.
        applications: RL applications on the nodes that send.
        data_rate_bps: Capacity in bit/s.
        frames: Frames that were sent.
        bytes: Bytes of all frames, link headers included.
        rl_frames: Frames of channels of RL applications.
        rl_bytes: Bytes of these frames.
        busy_s: Seconds in which frames were sent.
        counted_s: Seconds since counting began.
    """

    name: str
    applications: tuple[str, ...]
    data_rate_bps: int
    frames: int
    bytes: int
    rl_frames: int
    rl_bytes: int
    busy_s: float
    counted_s: float

    @property
    def utilisation(self) -> float:
        """Used share of the capacity."""
        return self.busy_s / self.counted_s if self.counted_s else 0.0

    @property
    def rl_share(self) -> float:
        """Share of the capacity that channels of RL applications used."""
        return self.utilisation * (self.rl_bytes / self.bytes) if self.bytes else 0.0


@dataclass(frozen=True, slots=True)
class CommunicationReport:
    """The traffic between RL applications since the beginning of an episode.

    Attributes:
        sim_time_ns: Simulated time of the end of counting, in nanoseconds.
        flows: Messages, by sender, receiver and kind.
        paths: Packets of socket channels, by sender and receiver.
        links: Traffic of point-to-point links and CSMA buses.
    """

    sim_time_ns: int
    flows: tuple[CommunicationFlow, ...] = ()
    paths: tuple[CommunicationPath, ...] = ()
    links: tuple[CommunicationLink, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return lists of dicts, properties included, for JSON or tables."""
        return {
            "sim_time_ns": self.sim_time_ns,
            "flows": [_row(each, "missing_share") for each in self.flows],
            "paths": [_row(each) for each in self.paths],
            "links": [_row(each, "utilisation", "rl_share") for each in self.links],
        }

    def __str__(self) -> str:
        flows: list[tuple[str, ...]] = [
            (
                f"{flow.sender} -> {flow.receiver}",
                flow.kind,
                f"{flow.tx_messages}",
                f"{flow.tx_bytes}",
                f"{flow.missing_share:.2%}",
                f"{flow.mean_latency * 1e3:.6g}",
                f"{flow.p95_latency * 1e3:.6g}",
                f"{flow.max_latency * 1e3:.6g}",
            )
            for flow in self.flows
        ]
        paths: list[tuple[str, ...]] = [
            (f"{p.sender} -> {p.receiver}", f"{p.packets}", f"{p.ip_bytes}", f"{p.wire_bytes}")
            for p in self.paths
        ]
        links: list[tuple[str, ...]] = [
            (
                link.name,
                f"{link.data_rate_bps}",
                f"{link.bytes}",
                f"{link.utilisation:.2%}",
                f"{link.rl_share:.2%}",
            )
            for link in self.links
        ]
        heads = (
            ("messages", "kind", "sent", "bytes", "missing", "mean ms", "p95 ms", "max ms"),
            ("packets", "sent", "IP bytes", "wire bytes"),
            ("link", "bit/s", "bytes", "used", "used by RL"),
        )
        rows: tuple[list[tuple[str, ...]], ...] = (flows, paths, links)
        tables = [_table(head, each) for head, each in zip(heads, rows, strict=True)]
        return f"until {self.sim_time_ns / 1e9:g} s\n" + "\n".join(filter(None, tables))


def read_communication(message: pb.CommunicationReport) -> CommunicationReport:
    """Return the communication report of a message."""
    return CommunicationReport(
        message.sim_time_ns,
        tuple(map(_read_flow, message.flows)),
        tuple(_read(CommunicationPath, each) for each in message.paths),
        tuple(map(_read_link, message.links)),
    )


def _read(kind: type[_Record], message: Any, **others: Any) -> _Record:
    """Return a record of a message; `others` have other names or units there."""
    names = {each.name for each in dataclasses.fields(kind)} - others.keys()  # type: ignore[arg-type]
    return kind(**others, **{name: getattr(message, name) for name in names})


def _read_flow(flow: pb.CommunicationFlow) -> CommunicationFlow:
    latencies = {
        f"{which}_latency": getattr(flow, f"{which}_latency_ns") / 1e9
        for which in ("min", "max", "p50", "p95", "p99")
    }
    return _read(CommunicationFlow, flow, mean_latency=flow.mean_latency_s, **latencies)


def _read_link(link: pb.CommunicationLink) -> CommunicationLink:
    seconds = {"busy_s": link.busy_ns / 1e9, "counted_s": link.counted_ns / 1e9}
    return _read(CommunicationLink, link, applications=tuple(link.applications), **seconds)


def _row(record: Any, *properties: str) -> dict[str, Any]:
    row = dataclasses.asdict(record) | {name: getattr(record, name) for name in properties}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in row.items()}


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table with the first column left-aligned and the others right-aligned."""
    lines = [head, *rows]
    if len(lines) == 1:
        return ""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "".join(
        "  ".join(
            cell.rjust(width) if place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        + "\n"
        for line in lines
    )
