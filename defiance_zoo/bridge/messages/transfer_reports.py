# SPDX-License-Identifier: GPL-2.0-only
"""Transfers of bytes over the simulated network, on behalf of Python."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from defiance_zoo._proto.defiance.v1 import environment_pb2 as pb
from defiance_zoo.errors import MalformedMessage

Outcome = Literal["under_way", "delivered", "lost", "refused", "unfinished"]

_OUTCOMES: dict[int, Outcome] = {
    pb.TRANSFER_OUTCOME_DELIVERED: "delivered",
    pb.TRANSFER_OUTCOME_LOST: "lost",
    pb.TRANSFER_OUTCOME_REFUSED: "refused",
}


@dataclass(frozen=True, slots=True)
class Transfer:
    """The state of a transfer over the simulated network.

    Attributes:
        number: Number of the transfer in its environment.
        sender: The agent or training server that sends it.
        receiver: The receiver.
        kind: Kind: `model_update`, `experience`, ...
        size_bytes: Size in bytes.
        ordered_ns: Simulated time in nanoseconds at which it was ordered.
        outcome: `under_way`; `delivered`: all bytes have arrived; `lost`: some never will;
            `refused`: it was not sent; `unfinished`: the episode ended first.
        finished_ns: Simulated time in nanoseconds at which it was delivered, lost or refused.
        reason: Reason of a loss or a refusal.
    """

    number: int
    sender: str
    receiver: str
    kind: str
    size_bytes: int
    ordered_ns: int
    outcome: Outcome = "under_way"
    finished_ns: int | None = None
    reason: str = ""

    @property
    def under_way(self) -> bool:
        """Whether it has no outcome yet."""
        return self.outcome == "under_way"

    @property
    def delivered(self) -> bool:
        """Whether all bytes have arrived."""
        return self.outcome == "delivered"

    @property
    def latency(self) -> float | None:
        """Seconds of simulated time from order to arrival; None before the arrival."""
        if self.finished_ns is None or not self.delivered:
            return None
        return (self.finished_ns - self.ordered_ns) / 1e9


@dataclass(frozen=True, slots=True)
class TransferReport:
    """The simulation's report of a transfer; attributes as in `Transfer`."""

    number: int
    outcome: Outcome
    finished_ns: int
    reason: str


def write_orders(orders: Sequence[Transfer], reply: pb.StepReply) -> None:
    """Add transfers to a reply; they begin at the reply's instant."""
    for order in orders:
        reply.transfers.add(
            number=order.number,
            sender=order.sender,
            receiver=order.receiver,
            kind=order.kind,
            bytes=order.size_bytes,
        )


def read_reports(message: pb.StepRequest | pb.EpisodeEnd) -> tuple[TransferReport, ...]:
    """Return the reports of transfers in a message."""
    reports = []
    numbers = [each.number for each in message.transfers]
    if len(set(numbers)) < len(numbers):
        raise MalformedMessage(f"reports of transfers {numbers}, of which one finished twice")
    for each in message.transfers:
        if each.outcome not in _OUTCOMES:
            raise MalformedMessage(f"transfer {each.number} has outcome {each.outcome}")
        outcome = _OUTCOMES[each.outcome]
        reports.append(TransferReport(each.number, outcome, each.time_ns, each.reason))
    return tuple(reports)
