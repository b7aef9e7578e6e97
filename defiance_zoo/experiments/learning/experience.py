# SPDX-License-Identifier: GPL-2.0-only
"""Experience of agents, available to the trainer after its arrival at the training server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from defiance_zoo.bridge.simulation import Transfer
from defiance_zoo.experiments.learning.encodings import Encoding, Full
from defiance_zoo.experiments.learning.pending_transfers import Carrier, PendingTransfers
from defiance_zoo.experiments.learning.weights import Weights, as_weights


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

    def __init__(
        self, env: Carrier, *, encoding: Encoding | None = None, kind: str = "experience"
    ) -> None:
        """Begin without batches.

        Args:
            env: Environment that carries the batches.
            encoding: Encoding of batches; `Full()` if None.
            kind: Kind of the messages in statistics.
        """
        self._encoding, self._kind = encoding or Full(), kind
        self._pending: PendingTransfers[Weights] = PendingTransfers(env)
        self._received: dict[str, list[Experience]] = {}

    def send(self, agent: str, server: str, batch: Mapping[str, Any]) -> Transfer:
        """Send a batch: arrays by name, such as observations, actions and rewards.

        Raises:
            ParameterError: A value is not an array of numbers.
            ResetNeeded: No episode is running.
        """
        data = self._encoding.encode(as_weights(batch))
        decoded = self._encoding.decode(data)
        return self._pending.send(agent, server, len(data), self._kind, decoded)

    def received(self, server: str) -> list[Experience]:
        """Return the experience that reached a server since the last call, in order of arrival."""
        for transfer, batch in self._pending.take():
            arrived = Experience(transfer.sender, batch, transfer)
            self._received.setdefault(transfer.receiver, []).append(arrived)
        return self._received.pop(server, [])
