# SPDX-License-Identifier: GPL-2.0-only
"""The simulations of a vector whose rounds are alike, and are played in one call."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from defiance_zoo.bridge.codec import Buffer
from defiance_zoo.bridge.simulation import Agent, BatchedExchange, StepLink
from defiance_zoo.environments.vector.batches import check_stack
from defiance_zoo.environments.vector.pool import SimulationPool


class BatchedMembers:
    """Plays plain rounds of simulations of one agent, in one call for all of them.

    See `BatchedExchange`; no simulation takes part if the messages have another form.
    """

    def __init__(
        self,
        pool: SimulationPool,
        agent: Agent,
        observations: Any,
        rewards: NDArray[np.float64],
        times: NDArray[np.int64],
    ) -> None:
        """Take the arrays to write to, with a row for each simulation; see `BatchedExchange`."""
        self._pool, self._agent = pool, agent
        self._arrays = (observations, rewards, times)
        self._is_plain = _is_plain(agent, observations)
        self._rounds: BatchedExchange | None = None
        self._link: StepLink | None = None

    def answer(self, actions: Any) -> tuple[list[int], Buffer]:
        """Answer the rounds of the simulations that take part.

        Args:
            actions: A batch, with a row for each simulation.

        Returns:
            Numbers of these simulations, and the bytes of all actions.

        Raises:
            InvalidAction: An action is not in the agent's space; nothing was sent.
        """
        if self._rounds is None or not self._rounds.members:
            return [], b""
        (stack,) = check_stack(self._agent, actions, len(self._pool.episodes))
        self._rounds.answer(stack)
        return self._rounds.members, stack

    def read(self) -> list[int]:
        """Read the next rounds into the arrays, and return the numbers of the simulations read."""
        return [] if self._rounds is None else self._rounds.read()

    def admit(self, member: int) -> None:
        """Let a simulation that waits for an answer take part, if possible."""
        if self._link is not self._pool.link:
            self._link = self._pool.link
            self._rounds = self._link.batched_exchange(*self._arrays) if self._is_plain else None
        if self._rounds is None:
            return
        episodes = self._pool.episodes[member]
        simulation = episodes.slot.expected
        if simulation is None or episodes.watches_rounds:
            self._rounds.dismiss(member)
        else:
            self._rounds.admit(member, simulation)

    def dismiss(self, member: int) -> None:
        """Exclude a simulation."""
        if self._rounds is not None:
            self._rounds.dismiss(member)


def _is_plain(agent: Agent, observations: Any) -> bool:
    """Return whether observations and actions are single arrays, kept as they come."""
    sizes, action_sizes = agent.observations.sizes, agent.actions.sizes
    if sizes is None or action_sizes is None or len(action_sizes) > 1:
        return False
    if not isinstance(observations, np.ndarray) or not observations.flags.c_contiguous:
        return False
    blank = np.asarray(agent.observations.single([bytes(sizes[0])]))
    return bool(blank.dtype == observations.dtype)
