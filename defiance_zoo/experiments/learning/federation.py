# SPDX-License-Identifier: GPL-2.0-only
"""Federated averaging: agents train separately, and share their weights."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from defiance_zoo.environments import Simulated
from defiance_zoo.errors import ParameterError, ResetNeeded
from defiance_zoo.experiments.learning.delivery import PendingTransfers
from defiance_zoo.experiments.learning.encodings import Encoding, Full, Weights, as_weights


def federated_average(
    weights: Sequence[Mapping[str, NDArray[Any]]], sample_counts: Sequence[float]
) -> Weights:
    """Return the mean of weights, weighted by their numbers of samples.

    Args:
        weights: Weights of the same names and shapes, at least one.
        sample_counts: Number of samples of each, with a positive sum.

    Returns:
        Means with the dtypes of the first weights; integers are rounded.

    Raises:
        ParameterError: There are no weights, or they do not match.
    """
    if not weights or len(weights) != len(sample_counts):
        raise ParameterError(
            f"{len(weights)} weights need one sample count each, not {len(sample_counts)}"
        )
    total = float(sum(sample_counts))
    if total <= 0 or min(sample_counts) < 0:
        raise ParameterError(f"sample_counts={list(sample_counts)} are not weights of a mean")
    shapes = [{name: array.shape for name, array in each.items()} for each in weights]
    if any(each != shapes[0] for each in shapes):
        raise ParameterError("weights with different names or shapes cannot be averaged")
    return {name: _mean([w[name] for w in weights], sample_counts, total) for name in weights[0]}


def _mean(arrays: list[NDArray[Any]], counts: Sequence[float], total: float) -> NDArray[Any]:
    mean = sum(
        (
            array.astype(np.float64) * (count / total)
            for array, count in zip(arrays, counts, strict=True)
        ),
        np.zeros(arrays[0].shape),
    )
    if arrays[0].dtype.kind in "iub":
        mean = np.rint(mean)
    return mean.astype(arrays[0].dtype)


class _Part(NamedTuple):
    """The contribution of an agent to a round of averaging."""

    turn: int
    weights: Weights
    samples: float


class Federation:
    """Agents that average their policies, through a server or directly.

    An agent's n-th call of `share()` belongs to round n. An average is computed when `quorum` parts
    of a round have arrived; later parts are left out.
    """

    def __init__(
        self,
        env: Simulated,
        agents: Iterable[str],
        *,
        server: str | None = None,
        quorum: int | None = None,
        encoding: Encoding | None = None,
    ) -> None:
        """Begin with round 1.

        Args:
            env: Environment that carries weights and averages.
            agents: Agents of the episode.
            server: Server that averages, and sends the average to all agents. None: each agent
                sends its weights to all others, and averages the weights that it receives.
            quorum: Number of parts in an average; None: one part from each agent.
            encoding: Encoding of weights and averages; `Full()` if None. Deltas cannot be used.

        Raises:
            ParameterError: `quorum` is not from 1 to the number of agents.
        """
        self._agents, self._server = list(agents), server
        self._quorum = len(self._agents) if quorum is None else quorum
        if not 1 <= self._quorum <= len(self._agents):
            raise ParameterError(f"quorum={quorum} is not from 1 to {len(self._agents)}")
        self._encoding = encoding or Full()
        self._pending: PendingTransfers[_Part | Weights] = PendingTransfers(env)
        self._turns = dict.fromkeys(self._agents, 0)
        self._parts: dict[tuple[str, int], list[_Part]] = {}
        self._averages: dict[str, Weights] = {}

    def share(self, agent: str, weights: Mapping[str, Any], samples: float = 1) -> None:
        """Send an agent's weights to the server or the other agents.

        Args:
            agent: The agent.
            weights: Arrays or PyTorch tensors by name.
            samples: Number of samples on which the weights were trained.

        Raises:
            ParameterError: The agent does not participate, or the weights cannot be encoded.
            ResetNeeded: No episode is running.
        """
        if agent not in self._turns:
            raise ParameterError(f"{agent!r} takes no part; {self._agents} do")
        own = as_weights(weights)
        data = self._encoding.encode(own)
        part = _Part(self._turns[agent] + 1, self._encoding.decode(data), samples)
        peers = [each for each in self._agents if each != agent]
        for receiver in peers if self._server is None else [self._server]:
            self._pending.send(agent, receiver, len(data), "model_update", part)
        self._turns[agent] = part.turn
        if self._server is None:
            self._add(agent, part._replace(weights=own))

    def averages(self) -> dict[str, Weights]:
        """Return the newest average of each agent that received one since the last call.

        A server with a quorum sends its average in this call: call this after each step.
        """
        for transfer, content in self._pending.take():
            if isinstance(content, _Part):
                self._add(transfer.receiver, content)
            else:
                self._averages[transfer.receiver] = as_weights(content)  # others share it
        averages, self._averages = self._averages, {}
        return averages

    def _add(self, averager: str, part: _Part) -> None:
        """Add a part, and average if it completes the quorum."""
        parts = self._parts.setdefault((averager, part.turn), [])
        parts.append(part)
        if len(parts) != self._quorum:
            return
        average = federated_average([p.weights for p in parts], [p.samples for p in parts])
        if averager != self._server:
            self._averages[averager] = average
            return
        data = self._encoding.encode(average)
        decoded = self._encoding.decode(data)
        with contextlib.suppress(ResetNeeded):  # the episode has ended with this part
            for agent in self._agents:
                self._pending.send(averager, agent, len(data), "model_update", decoded)
