# SPDX-License-Identifier: GPL-2.0-only
"""Contents of transfers, and the collection of experience by transfers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic, NamedTuple, TypeVar

from defiance_zoo.bridge.simulation import Transfer
from defiance_zoo.environments import Simulated
from defiance_zoo.environments.shared_methods import recall, remember
from defiance_zoo.experiments.learning.encodings import Full, Weights, as_weights

_Content = TypeVar("_Content")


class PendingTransfers(Generic[_Content]):
    """Contents of transfers until they arrive; an episode's end discards the remaining ones."""

    _STATE = ("_contents",)

    def __init__(self, env: Simulated) -> None:
        self.env = env
        self._contents: dict[int, _Content] = {}

    def send(
        self, sender: str, receiver: str, size_bytes: int, kind: str, content: _Content
    ) -> Transfer:
        """Send contents with their size in bytes; see `Simulated.transfer`."""
        order = self.env.transfer(sender, receiver, size_bytes, kind)
        self._contents[order.number] = content
        return order

    def take(self) -> list[tuple[Transfer, _Content]]:
        """Return the contents that have arrived since the last call, in the order of arrival."""
        if not self._contents:
            return []
        arrived, transfers = [], self.env.transfers
        for number in list(self._contents):
            transfer = transfers.get(number)
            if transfer is not None and transfer.under_way:
                continue
            content = self._contents.pop(number)
            if transfer is not None and transfer.delivered:
                arrived.append((transfer, content))
        arrived.sort(key=lambda each: (each[0].finished_ns or 0, each[0].number))
        return arrived

    def state(self) -> dict[str, Any]:
        """Return a state for `recall()`, to keep with a snapshot of the environment."""
        return remember(self, self._STATE)

    def recall(self, state: Mapping[str, Any]) -> None:
        """Return to a state, after the environment was restored."""
        recall(self, state)


class Experience(NamedTuple):
    """An arrived batch.

    Attributes:
        agent: Agent that sent it.
        batch: Decoded arrays by name.
        transfer: The report of its transfer.
    """

    agent: str
    batch: Weights
    transfer: Transfer


class ExperienceCollection:
    """Batches of experience that agents send to training servers, or to each other."""

    def __init__(self, env: Simulated) -> None:
        """Begin without batches; `env` carries them."""
        self._pending: PendingTransfers[Weights] = PendingTransfers(env)
        self._received: dict[str, list[Experience]] = {}

    def send(self, agent: str, server: str, batch: Mapping[str, Any]) -> Transfer:
        """Send a batch: arrays by name, such as observations, actions and rewards.

        Raises:
            ParameterError: A value is not an array of numbers.
            ResetNeeded: No episode is running.
        """
        data = Full().encode(as_weights(batch))
        decoded = Full().decode(data)
        return self._pending.send(agent, server, len(data), "experience", decoded)

    def received(self, server: str) -> list[Experience]:
        """Return the experience that reached a server since the last call, in order of arrival."""
        for transfer, batch in self._pending.take():
            arrived = Experience(transfer.sender, batch, transfer)
            self._received.setdefault(transfer.receiver, []).append(arrived)
        return self._received.pop(server, [])
