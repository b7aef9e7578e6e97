# SPDX-License-Identifier: GPL-2.0-only
"""Transfers over the simulated network: ordered in Python, carried by the simulation."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from defiance_zoo.environments.resumable import Resumable
from defiance_zoo.errors import InvalidTransfer
from defiance_zoo.simulation import Round, Transfer

if TYPE_CHECKING:
    from defiance_zoo.environments.episodes import Episodes

_MAX_BYTES = 2**32 - 1


class TransferBook(Resumable):
    """The side of `Episodes` that orders transfers and notes what becomes of them.

    A `Transfer` never changes: what is told of it makes another one, so that snapshots may keep it.

    Attributes:
        episode: Number of episodes begun so far.
    """

    _STATE = (*Resumable._STATE, "episode", "_transfers", "_orders", "_last_transfer")

    def __init__(self) -> None:
        """Know of no transfer."""
        super().__init__()
        self.episode = 0
        self._transfers: dict[int, Transfer] = {}
        self._orders: list[Transfer] = []
        self._last_transfer = 0

    @property
    def transfers(self) -> Mapping[int, Transfer]:
        """The transfers of this episode by number, as they stand now."""
        return MappingProxyType(self._transfers)

    def order(self, sender: str, receiver: str, size_bytes: int, kind: str) -> Transfer:
        """Note a transfer, which begins with the next answer to the simulation.

        Raises:
            InvalidTransfer: It cannot be.
            ResetNeeded: No episode is running.
        """
        self._running()
        size = _check(sender, receiver, size_bytes, kind)
        self._last_transfer += 1
        order = Transfer(self._last_transfer, sender, receiver, kind, size, self.time_ns)
        self._transfers[order.number] = order
        self._orders.append(order)
        return order

    def _begin_book(self) -> None:
        """Begin an episode."""
        self.episode += 1
        self._transfers, self._orders = {}, []

    def _take_orders(self) -> Sequence[Transfer]:
        """Return what has been ordered since the last answer."""
        if not self._orders:
            return ()
        orders, self._orders = self._orders, []
        return orders

    def _note_transfers(self, told: Round) -> None:
        """Note what a round says of transfers."""
        for report in told.transfers:
            if report.number in self._transfers:
                self._transfers[report.number] = dataclasses.replace(
                    self._transfers[report.number],
                    outcome=report.outcome,
                    finished_ns=report.finished_ns,
                    reason=report.reason,
                )
        if told.over:
            for transfer in self._transfers.values():
                if transfer.under_way:
                    unfinished = dataclasses.replace(transfer, outcome="unfinished")
                    self._transfers[transfer.number] = unfinished


class Transfers:
    """Transfers over the simulated network, the same in every interface."""

    _episodes: Episodes

    def transfer(
        self, sender: str, receiver: str, size_bytes: int, kind: str = "model_update"
    ) -> Transfer:
        """Have something cross the simulated network, from now on.

        It sets out when the simulation goes on, at the present instant of simulated time, and
        competes with all other traffic. Look at `transfers` for what becomes of it.

        Args:
            sender: An agent, or a training server such as `server_0`.
            receiver: Another one.
            size_bytes: Its size, from 1 to 2**32 - 1.
            kind: What infos and trace sources call it.

        Raises:
            InvalidTransfer: The size is not allowed, or both ends are the same.
            ResetNeeded: No episode is running.
        """
        return self._episodes.order(sender, receiver, size_bytes, kind)

    @property
    def transfers(self) -> Mapping[int, Transfer]:
        """The transfers of this episode by number, as they stand now."""
        return self._episodes.transfers

    @property
    def episode(self) -> int:
        """Number of episodes begun so far; that of the current one."""
        return self._episodes.episode

    @property
    def sim_time_ns(self) -> int:
        """Simulated time in nanoseconds; 0 before the first decision."""
        return self._episodes.time_ns


def _check(sender: str, receiver: str, size_bytes: int, kind: str) -> int:
    """Return the size of a transfer that can be ordered."""
    try:
        size = operator.index(size_bytes)
    except TypeError:
        raise InvalidTransfer(f"size_bytes={size_bytes!r} is not an integer") from None
    if not 1 <= size <= _MAX_BYTES:
        raise InvalidTransfer(f"size_bytes={size} is not from 1 to {_MAX_BYTES}")
    if sender == receiver:
        raise InvalidTransfer(f"{sender} cannot send to itself")
    if not kind or "/" in kind:
        raise InvalidTransfer(f"kind={kind!r} is empty, or holds a slash")
    return size
