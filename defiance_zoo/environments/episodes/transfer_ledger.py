# SPDX-License-Identifier: GPL-2.0-only
"""Transfers of an episode: ordered in Python, carried by the simulation."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from defiance_zoo.bridge.simulation import Round, Transfer
from defiance_zoo.errors import InvalidTransfer

_MAX_BYTES = 2**32 - 1


class TransferLedger:
    """The transfers of an episode by number.

    A `Transfer` is immutable: a report replaces it, so copies may share it.
    """

    def __init__(self) -> None:
        """Begin without transfers."""
        self._transfers: dict[int, Transfer] = {}
        self._orders: list[Transfer] = []
        self._last_number = 0

    @property
    def by_number(self) -> Mapping[int, Transfer]:
        """The transfers of this episode by number, in their current state."""
        return MappingProxyType(self._transfers)

    def copy(self) -> TransferLedger:
        """Return another ledger of the same transfers."""
        other = TransferLedger()
        other._transfers, other._orders = dict(self._transfers), list(self._orders)
        other._last_number = self._last_number
        return other

    def begin(self) -> None:
        """Begin an episode; numbers continue."""
        self._transfers, self._orders = {}, []

    def order(
        self, sender: str, receiver: str, size_bytes: int, kind: str, time_ns: int
    ) -> Transfer:
        """Order a transfer, which begins with the next answer to the simulation.

        Raises:
            InvalidTransfer: The transfer is invalid.
        """
        size = _check(sender, receiver, size_bytes, kind)
        self._last_number += 1
        order = Transfer(self._last_number, sender, receiver, kind, size, time_ns)
        self._transfers[order.number] = order
        self._orders.append(order)
        return order

    def take_orders(self) -> Sequence[Transfer]:
        """Return the transfers ordered since the last answer."""
        if not self._orders:
            return ()
        orders, self._orders = self._orders, []
        return orders

    def note(self, received: Round) -> None:
        """Update transfers from the reports of a round."""
        for report in received.transfers:
            if report.number in self._transfers:
                self._transfers[report.number] = dataclasses.replace(
                    self._transfers[report.number],
                    outcome=report.outcome,
                    finished_ns=report.finished_ns,
                    reason=report.reason,
                )
        if received.over:
            for transfer in self._transfers.values():
                if transfer.under_way:
                    unfinished = dataclasses.replace(transfer, outcome="unfinished")
                    self._transfers[transfer.number] = unfinished


def _check(sender: str, receiver: str, size_bytes: int, kind: str) -> int:
    """Return the checked size of a transfer."""
    try:
        size = operator.index(size_bytes)
    except TypeError:
        raise InvalidTransfer(f"size_bytes={size_bytes!r} is not an integer") from None
    if not 1 <= size <= _MAX_BYTES:
        raise InvalidTransfer(f"size_bytes={size} must be from 1 to {_MAX_BYTES}")
    if sender == receiver:
        raise InvalidTransfer(f"{sender} cannot send to itself")
    if not kind or "/" in kind:
        raise InvalidTransfer(f"kind={kind!r} must be a text without slashes")
    return size
