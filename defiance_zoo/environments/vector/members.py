# SPDX-License-Identifier: GPL-2.0-only
"""The simulations of a vector: the start of episodes, and the loss of a simulation."""

from __future__ import annotations

from collections.abc import Sequence

from defiance_zoo.bridge.codec import Buffer
from defiance_zoo.bridge.process.retries import ATTEMPTS
from defiance_zoo.bridge.simulation import Round
from defiance_zoo.environments.episodes.reset_options import Options
from defiance_zoo.environments.vector.member_states import MemberStates
from defiance_zoo.environments.vector.pool import SimulationPool
from defiance_zoo.errors import InvalidPolicy, SimulationError


class Members:
    """Simulations side by side, each with its own episode.

    Attributes:
        pool: The simulations.
        states: State of each simulation.
        failures: Simulations that were lost and replaced.
        resumable: Whether the actions of the running episodes are kept.
        played: The actions of each running episode, if they are kept.
        options: The options of each running episode.
    """

    def __init__(self, pool: SimulationPool, *, restart_on_failure: bool, resumable: bool) -> None:
        """Take simulations whose episodes have not begun; see `SimulationVectorEnv`."""
        count = len(pool.episodes)
        self.pool, self.states = pool, MemberStates()
        self._restart, self.resumable = restart_on_failure, resumable
        self.failures = 0
        self.options: list[Options | None] = [None] * count
        self.played: list[list[list[bytes]]] = [[] for _ in range(count)]

    def decides(self, member: int) -> bool:
        """Return whether the next action of a simulation reaches its agents."""
        return member not in self.states.pending and member not in self.states.ended

    def launch_all(
        self, members: list[int], seeds: Sequence[int | None], options: Options | None
    ) -> None:
        """Start new episodes of some simulations, side by side.

        Args:
            members: Numbers of the simulations.
            seeds: Seeds of all simulations.
            options: Options of `reset()`.

        Raises:
            SimulationError: A simulation did not start.
        """
        self.states.expect_reset(members)
        self.pool.take_over(members)
        self.pool.require_open()
        self.states.begun.difference_update(members)
        self.pool.leave(members)
        for member in members:
            self.launch(member, seeds[member], options)

    def launch(self, member: int, seed: int | None = None, options: Options | None = None) -> None:
        """Start the next episode of a simulation, which is replaced if it is lost meanwhile."""
        self.options[member] = options
        episodes = self.pool.episodes[member]
        for _ in range(ATTEMPTS - 1):
            try:
                episodes.launch(seed, options)
            except SimulationError as error:
                self._forgive(error)
            else:
                return
        episodes.launch(seed, options)

    def first_round(self, member: int, since: float | None) -> Round:
        """Wait for the first round of a simulation, which is replaced if it is lost before.

        Args:
            member: Number of the simulation.
            since: Begin of the wait by `running_time()`; None for now.
        """
        states = self.states
        states.resetting.discard(member)
        states.pending.pop(member, None)
        self.played[member] = []
        states.note_ended(member)
        received = self._await_first(member, since)
        states.note_begin(member)
        if received.over:
            # An episode that is over before the first decision ends in the first step.
            states.pending[member] = received
        return received

    def _await_first(self, member: int, since: float | None) -> Round:
        episodes = self.pool.episodes[member]
        for _ in range(ATTEMPTS - 1):
            try:
                return episodes.collect(since)
            except SimulationError as error:
                self._forgive(error)
                self.launch(member, None, self.options[member])
                since = None
        return episodes.collect(since)

    def submit(self, member: int, action: list[Buffer]) -> None:
        """Answer the round of a simulation.

        Raises:
            SimulationError: The simulation was lost.
        """
        self.keep(member, action)
        self.pool.episodes[member].submit(action)

    def keep(self, member: int, action: list[Buffer]) -> None:
        """Keep an answer, if answers are kept."""
        if self.resumable:
            self.played[member].append([bytes(buffer) for buffer in action])

    def forgives(self, member: int, error: SimulationError) -> bool:
        """Treat a lost simulation as a truncated episode, if it is to be replaced."""
        forgiven = self._restart and not isinstance(error, InvalidPolicy)
        if forgiven:
            self.states.note_ended(member)
            self.failures += 1
            self.states.pending[member] = error
        return forgiven

    def _forgive(self, error: SimulationError) -> None:
        """Count a lost simulation; raise the error unless it is to be replaced."""
        if not self._restart:
            raise error
        self.failures += 1
