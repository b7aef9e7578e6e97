# SPDX-License-Identifier: GPL-2.0-only
"""Whose turn it is, in several simulations side by side: what vector environments share."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from defiance_zoo.codec import Buffer
from defiance_zoo.environments.episodes import Options
from defiance_zoo.environments.fleet import Fleet, seeds_of
from defiance_zoo.environments.remaking import Remade
from defiance_zoo.errors import ParameterError, ResetNeeded, SimulationError
from defiance_zoo.simulation import Round

Infos = dict[str, Any]

ATTEMPTS = 3
"""To begin an episode, one after the other, before a failure is raised."""


class VectorTurns(Remade, ABC):
    """Steps simulations together, or each as soon as it is ready, and begins their next episodes.

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
        fleet: Fleet,
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
        self._fleet = fleet
        self._mode, self._copy = AutoresetMode(autoreset_mode), copy
        self._note_arguments(
            fleet,
            autoreset_mode=self._mode,
            batch_size=batch_size,
            copy=copy,
            restart_on_failure=restart_on_failure,
            resumable=resumable,
            **others,
        )
        self._restart, self._resumable = restart_on_failure, resumable
        self.failures = 0
        count = self.num_envs = len(fleet.episodes)
        self._batch_size = count if batch_size is None else batch_size
        if not 1 <= self._batch_size <= count:
            raise ParameterError(f"batch_size={batch_size} is not from 1 to {count}")
        self._begun: set[int] = set()
        self._ended: set[int] = set()
        self._waiting: list[int] = []
        self._resetting: set[int] = set()
        self._told: dict[int, Round | SimulationError] = {}
        self._just_ended: list[int] = []
        self._options: list[Options | None] = [None] * count
        self._played: list[list[list[bytes]]] = [[] for _ in range(count)]

    @property
    def autoreset_mode(self) -> AutoresetMode:
        """What follows the end of an episode."""
        return self._mode

    # ------------------------------------------------------------------ of the environments

    @abstractmethod
    def _row_actions(self, actions: Any, members: list[int]) -> list[list[Buffer]]:
        """Check actions of simulations that are asked; return the buffers of each."""

    def _answer_together(self, actions: Any, members: list[int]) -> list[int]:
        """Answer those of some simulations for which one call is enough, and return them.

        Whatever is wrong with the actions of one of them, none is answered.
        """
        return []

    def _read_together(self) -> list[int]:
        """Read and write down the rounds of those for which one call is enough; return them."""
        return []

    @abstractmethod
    def _write_first(self, member: int, told: Round, infos: Infos) -> None:
        """Write down how an episode begins, which may be over already."""

    @abstractmethod
    def _write(self, member: int, told: Round, infos: Infos) -> None:
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
    def _keep_flags(self, member: int) -> Callable[[], None]:
        """Return what restores rewards and flags, after the beginning of an episode."""

    # ------------------------------------------------------------------ turns

    def _reset(
        self, seed: int | Sequence[int | None] | None, options: dict[str, Any] | None
    ) -> Infos:
        options = dict(options or {})
        mask = np.asarray(options.pop("reset_mask", np.ones(self.num_envs, np.bool_)))
        if mask.shape != (self.num_envs,) or mask.dtype != np.bool_ or not mask.any():
            raise ParameterError(f"reset_mask is not {self.num_envs} bools of which one is true")
        members: list[int] = np.flatnonzero(mask).tolist()
        self._waiting = [member for member in self._waiting if not mask[member]]
        self._launch_all(members, seeds_of(seed, self.num_envs), options)
        infos: Infos = {}
        began = time.monotonic()
        for member in members:
            self._begin(member, infos, began)
        return infos

    def _send(self, actions: Any, env_ids: Sequence[int] | None) -> None:
        members = self._require_idle(env_ids)
        with self._fleet.batch():
            answered = self._answer_together(actions, members)
            self._waiting += answered
            if others := _without(members, answered):
                rows = dict(zip(members, self._row_actions(actions, members), strict=True))
                for member in others:
                    self._answer(member, rows[member])
                    self._waiting.append(member)

    def _answer(self, member: int, action: list[Buffer]) -> None:
        """Answer a simulation, or begin its next episode."""
        if member in self._ended:
            self._launch(member)
            self._resetting.add(member)
        elif member not in self._told:
            self._submit(member, action)

    def _receive_all(self) -> Infos:
        self._fleet.require_own()
        members, self._waiting = self._waiting, []
        began = time.monotonic()
        self._fleet.gather([member for member in members if member not in self._told])
        infos: Infos = {}
        for member in _without(members, self._read_together()):
            self._collect(member, infos, began)
        self._finish(infos)
        return infos

    def _receive_some(self) -> tuple[NDArray[np.int64], Infos]:
        self._fleet.require_open()
        if len(self._waiting) < self._batch_size:
            raise ResetNeeded(
                f"{len(self._waiting)} simulations were sent an action, {self._batch_size} are due"
            )
        infos: Infos = {}
        members: list[int] = []
        while len(members) < self._batch_size:
            for member in self._ready()[: self._batch_size - len(members)]:
                self._waiting.remove(member)
                self._collect(member, infos)
                members.append(member)
        self._finish(infos)
        return np.array(members), infos

    def _async_reset(self, seed: int | Sequence[int | None] | None) -> None:
        members = list(range(self.num_envs))
        self._launch_all(members, seeds_of(seed, self.num_envs), None)
        self._waiting, self._resetting = members, set(members)
        self._told.clear()

    # ------------------------------------------------------------------ inside

    def _require_idle(self, env_ids: Sequence[int] | None) -> list[int]:
        """Return the numbers of simulations that can be sent an action."""
        self._fleet.require_open()
        members = list(range(self.num_envs)) if env_ids is None else self._distinct(env_ids)
        if busy := self._waiting and set(members) & set(self._waiting):
            raise ParameterError(f"simulations {sorted(busy)} have not been received yet")
        at_rest = self._ended if self._mode is not AutoresetMode.NEXT_STEP else ()
        if at_rest or len(self._begun) < self.num_envs:
            stuck = [each for each in members if each in at_rest or each not in self._begun]
            if stuck:
                raise ResetNeeded(
                    f"no episode is running in simulations {stuck}: call reset() first"
                )
        return members

    def _distinct(self, env_ids: Sequence[int]) -> list[int]:
        members = [int(member) for member in env_ids]
        if len(set(members)) < len(members) or not set(members) <= set(range(self.num_envs)):
            raise ParameterError(f"env_ids={members} are not different numbers of simulations")
        return members

    def _note_ended(self, member: int, *, over: bool = True) -> None:
        """Note whether the last episode of a simulation is over."""
        if over:
            self._ended.add(member)
        else:
            self._ended.discard(member)

    def _launch_all(
        self, members: list[int], seeds: list[int | None], options: Options | None
    ) -> None:
        self._fleet.take_over(members)
        self._fleet.require_open()
        self._fleet.leave(members)
        for member in members:
            self._launch(member, seeds[member], options)

    def _launch(self, member: int, seed: int | None = None, options: Options | None = None) -> None:
        """Start the next episode of a simulation; one that is lost in this moment is replaced."""
        self._options[member] = options
        episodes = self._fleet.episodes[member]
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
        episodes = self._fleet.episodes[member]
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

    def _submit(self, member: int, action: list[Buffer]) -> None:
        if self._resumable:
            self._played[member].append([bytes(buffer) for buffer in action])
        try:
            self._fleet.episodes[member].submit(action)
        except SimulationError as error:
            self._note_failure(member, error)

    def _note_failure(self, member: int, error: SimulationError) -> None:
        self._note_ended(member)
        self._forgive(error)
        self._told[member] = error

    def _ready(self) -> list[int]:
        told = [member for member in self._waiting if member in self._told]
        return told or self._fleet.wait(self._waiting)

    def _collect(self, member: int, infos: Infos, since: float | None = None) -> None:
        """Take what a simulation says after an action.

        Args:
            member: Its number.
            infos: Added to.
            since: When all of them began to be awaited, so that their times do not add up.
        """
        if member in self._resetting:
            self._begin(member, infos, since)
            return
        if member not in self._told:
            try:
                told: Round | SimulationError = self._fleet.episodes[member].collect(since)
            except SimulationError as error:
                self._note_failure(member, error)
                told = self._told.pop(member)
        else:
            told = self._told.pop(member)
        if isinstance(told, SimulationError):
            self._write_failure(member, told)
        else:
            self._write(member, told, infos)
            if not told.over:
                return
        self._note_ended(member)
        self._just_ended.append(member)

    def _begin(self, member: int, infos: Infos, since: float | None = None) -> None:
        """Take the first round of an episode."""
        self._resetting.discard(member)
        self._told.pop(member, None)
        self._played[member] = []
        self._note_ended(member)
        told = self._first_round(member, since)
        self._begun.add(member)
        self._note_ended(member, over=False)
        self._write_nothing(member)
        self._write_first(member, told, infos)
        if told.over:
            # An episode that is over before the first decision says so in the first step.
            self._told[member] = told

    def _finish(self, infos: Infos) -> None:
        """Tell how episodes ended; with `SAME_STEP`, begin the next ones."""
        members, self._just_ended = self._just_ended, []
        at_once = self._mode is AutoresetMode.SAME_STEP
        for member in members:
            self._tell_end(member, infos, final=at_once)
        if at_once:
            flags = [self._keep_flags(member) for member in members]
            for member in members:
                self._launch(member)
            began = time.monotonic()
            for member, restore in zip(members, flags, strict=True):
                self._begin(member, infos, began)
                restore()


def _without(members: list[int], some: list[int]) -> list[int]:
    """Return the members that are not some; usually that is all of them, or none."""
    if not some or some == members:
        return [] if some else members
    left_out = set(some)
    return [member for member in members if member not in left_out]
