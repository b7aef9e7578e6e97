# SPDX-License-Identifier: GPL-2.0-only
"""The members of a vector: how their episodes begin, end, and are lost."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from defiance_zoo.bridge.codec import Buffer
from defiance_zoo.bridge.process.attempts import ATTEMPTS
from defiance_zoo.bridge.simulation import Round
from defiance_zoo.bridge.system.plain_values import whole_number
from defiance_zoo.environments.episodes.episodes import Options
from defiance_zoo.environments.remaking import CopiedByArguments
from defiance_zoo.environments.vector.member_states import MemberStates
from defiance_zoo.environments.vector.pool import SimulationPool
from defiance_zoo.errors import InvalidPolicy, ParameterError, SimulationError

Infos = dict[str, Any]
Flags = NDArray[np.bool_]
Step = tuple[Any, NDArray[np.float64], Flags, Flags, Infos]
"""Observations, rewards, terminations, truncations, infos."""


class VectorMembers(CopiedByArguments, ABC):
    """Simulations side by side, each somewhere in an episode.

    Copies and pickles keep how the environment was made, not the running episodes.

    Attributes:
        num_envs: Number of simulations.
        failures: Simulations that were lost and replaced, with `restart_on_failure`.
    """

    _KEPT = frozenset({"spec"})

    num_envs: int
    failures: int

    def _take_over(
        self,
        pool: SimulationPool,
        autoreset_mode: AutoresetMode | str,
        batch_size: int | None,
        *,
        copy: bool,
        restart_on_failure: bool,
        resumable: bool,
        **others: Any,
    ) -> None:
        """Take over simulations; for the arguments see `SimulationVectorEnv`.

        `others` are arguments of the environment that only copies of it need to know.
        """
        self._pool = pool
        self._mode, self._copy = AutoresetMode(autoreset_mode), copy
        self._note_arguments(
            pool,
            autoreset_mode=self._mode,
            batch_size=batch_size,
            copy=copy,
            restart_on_failure=restart_on_failure,
            resumable=resumable,
            **others,
        )
        self._restart, self._resumable = restart_on_failure, resumable
        self.failures = 0
        count = self.num_envs = len(pool.episodes)
        self._batch_size = count if batch_size is None else whole_number("batch_size", batch_size)
        if not 1 <= self._batch_size <= count:
            raise ParameterError(f"batch_size={batch_size} is not from 1 to {count}")
        self._states = MemberStates()
        self._options: list[Options | None] = [None] * count
        self._played: list[list[list[bytes]]] = [[] for _ in range(count)]

    @property
    def autoreset_mode(self) -> AutoresetMode:
        """What follows the end of an episode."""
        return self._mode

    @property
    def over_at_reset(self) -> frozenset[int]:
        """Numbers of the simulations whose next step is known: no agent decides in it."""
        return frozenset(self._states.pending)

    @property
    def drawn_parameters(self) -> list[dict[str, Any]]:
        """Parameters that were drawn for the episode of each simulation; see `DrawnParameters`."""
        return [episodes.slot.launcher.drawn for episodes in self._pool.episodes]

    # ------------------------------------------------------------------ of the environments

    @abstractmethod
    def _row_actions(self, actions: Any, members: list[int]) -> list[list[Buffer]]:
        """Check actions of simulations that are asked; return the buffers of each."""

    def _decides(self, member: int) -> bool:
        """Return whether the next action of a simulation reaches its agents."""
        return member not in self._states.pending and member not in self._states.ended

    def _answer_together(self, actions: Any, members: list[int]) -> list[int]:
        """Answer those of some simulations for which one call is enough, and return them.

        Whatever is wrong with the actions of one of them, none is answered.
        """
        return []

    def _read_together(self) -> list[int]:
        """Read and write down the rounds of those for which one call is enough; return them."""
        return []

    @abstractmethod
    def _write_first(self, member: int, received: Round, infos: Infos) -> None:
        """Write down how an episode begins, which may be over already."""

    @abstractmethod
    def _write(self, member: int, received: Round, infos: Infos) -> None:
        """Write down a further round of an episode, or its end."""

    @abstractmethod
    def _write_failure(self, member: int, error: SimulationError) -> None:
        """Write down that an episode was cut short by a failure."""

    @abstractmethod
    def _write_nothing(self, member: int) -> None:
        """Write down that nothing was earned, and nothing has ended."""

    @abstractmethod
    def _tell_end(self, member: int, infos: Infos, *, final: bool) -> None:
        """Add what is told of the end of an episode; `final`: the next one begins at once."""

    @abstractmethod
    def _results(self, infos: Infos) -> Step:
        """Return what was written down, with all infos."""

    @abstractmethod
    def _keep_flags(self, member: int) -> Callable[[], None]:
        """Return what restores rewards and flags, after the beginning of an episode."""

    # ------------------------------------------------------------------ beginnings and ends

    def _launch_all(
        self, members: list[int], seeds: list[int | None], options: Options | None
    ) -> None:
        self._pool.take_over(members)
        self._pool.require_open()
        self._states.begun.difference_update(members)
        self._pool.leave(members)
        for member in members:
            self._launch(member, seeds[member], options)

    def _launch(self, member: int, seed: int | None = None, options: Options | None = None) -> None:
        """Start the next episode of a simulation; one that is lost in this moment is replaced."""
        self._options[member] = options
        episodes = self._pool.episodes[member]
        for _ in range(ATTEMPTS - 1):
            try:
                episodes.launch(seed, options)
            except SimulationError as error:
                self._forgive(error)
            else:
                return
        episodes.launch(seed, options)

    def _first_round(self, member: int, since: float | None) -> Round:
        """Wait for the first round; a simulation that is lost before it is replaced."""
        episodes = self._pool.episodes[member]
        for _ in range(ATTEMPTS - 1):
            try:
                return episodes.collect(since)
            except SimulationError as error:
                self._forgive(error)
                self._launch(member, None, self._options[member])
                since = None
        return episodes.collect(since)

    def _forgive(self, error: SimulationError) -> None:
        """Count a lost simulation; raise the error unless it is to be replaced."""
        if not self._restart:
            raise error
        self.failures += 1

    def _begin(self, member: int, infos: Infos, since: float | None = None) -> None:
        """Take the first round of an episode."""
        self._states.resetting.discard(member)
        self._states.pending.pop(member, None)
        self._played[member] = []
        self._states.note_ended(member)
        received = self._first_round(member, since)
        self._states.note_begin(member)
        self._write_nothing(member)
        self._write_first(member, received, infos)
        if received.over:
            # An episode that is over before the first decision says so in the first step.
            self._states.pending[member] = received

    def _note_failure(self, member: int, error: SimulationError) -> None:
        """Take a lost simulation for a truncated episode, or lose it."""
        if self._restart and not isinstance(error, InvalidPolicy):
            self._states.note_ended(member)
            self.failures += 1
            self._states.pending[member] = error
        else:
            self._lose(member, error)

    def _lose(self, member: int, error: SimulationError) -> None:
        """Note an error that is to be raised; only a reset of that simulation goes on from here."""
        self._states.lose(member, error)
        self._write_nothing(member)
