# SPDX-License-Identifier: GPL-2.0-only
"""Whose turn it is, in several simulations side by side: what vector environments share."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from defiance_zoo.bridge.codec import Buffer
from defiance_zoo.bridge.system.exclusive import exclusive
from defiance_zoo.environments.vector.batches import take_rows
from defiance_zoo.environments.vector.members import Infos, Step, VectorMembers
from defiance_zoo.environments.vector.pool import seeds_of
from defiance_zoo.errors import ParameterError, ResetNeeded, SimulationError, SimulationTimeout


class VectorEnvBase(VectorMembers):
    """Steps simulations together, or each as soon as it is ready, and begins their next episodes.

    A simulation that is lost, and is not to be replaced, keeps none of the others from being
    received. The error is raised after them, and what they have said is kept for the next call.
    """

    _kept: Infos | None = None
    """Of a step whose error has been raised."""

    # ------------------------------------------------------------------ interface

    @exclusive
    def step(self, actions: Any) -> Step:
        """Let every simulation act, and play each to its next decision or its end.

        Args:
            actions: A batch of `action_space`; those of agents that do not decide are ignored.

        Raises:
            InvalidAction: An action is not in its space; nothing was sent.
            IllegalAction: A mask forbids an action, where the scenario refuses such; likewise.
            ResetNeeded: An episode is over, and there is no autoreset; or it broke off.
            SimulationError: A simulation failed, and needs a reset. The others have been stepped:
                `step_wait()` returns their results, in which nothing has happened to that one.
        """
        self.step_async(actions)
        return self.step_wait()

    @exclusive
    def step_async(self, actions: Any) -> None:
        """Let every simulation act, without waiting; `step_wait()` returns what `step()` does.

        Raises:
            InvalidAction: An action is not in its space; nothing was sent.
            IllegalAction: A mask forbids an action, where the scenario refuses such; likewise.
            ResetNeeded: An episode is over, and there is no autoreset; or it broke off.
        """
        self.send(actions)

    @exclusive
    def step_wait(self) -> Step:
        """Wait for every simulation, after `step_async()`; once more, after an error of it.

        Raises:
            SimulationError: As of `step()`.
        """
        return self._results(self._receive_all())

    @exclusive
    def send(self, actions: Any, env_ids: Sequence[int] | None = None) -> None:
        """Let some simulations act, without waiting for them.

        Args:
            actions: One for each of them, in Gymnasium's batched form.
            env_ids: Numbers of the simulations; None for all.

        Raises:
            InvalidAction: An action is not in its space; nothing was sent.
            IllegalAction: A mask forbids an action, where the scenario refuses such; likewise.
            ParameterError: A number is none of a simulation, or of one that is not waiting.
            ResetNeeded: An episode is over, and there is no autoreset; or it broke off.
        """
        states = self._states
        members = self._require_idle(env_ids)
        if not states.received:
            self._kept = None
        with self._pool.batch():
            answered = self._answer_together(actions, members)
            states.waiting += answered
            if others := _without(members, answered):
                rows = dict(zip(members, self._row_actions(actions, members), strict=True))
                for member in others:
                    self._answer(member, rows[member])
                    if member in states.begun:
                        states.waiting.append(member)

    @exclusive
    def recv(self) -> Step:
        """Wait until `batch_size` simulations have reached their next decision, or their end.

        Returns:
            As of `step()`, for these simulations alone, whose numbers are `infos["env_id"]`; infos
            are batched over all simulations, with masks, as Gymnasium's are.

        Raises:
            ResetNeeded: Fewer simulations were sent an action.
            SimulationError: A simulation failed, or none answered in time; it needs a reset. What
                others have said is returned when there are `batch_size` of them.
        """
        rows, infos = self._receive_some()
        observations, rewards, terminations, truncations, infos = self._results(infos)
        return (
            take_rows(observations, rows),
            rewards[rows],
            terminations[rows],
            truncations[rows],
            {**infos, "env_id": rows},
        )

    @exclusive
    def async_reset(self, seed: int | Sequence[int | None] | None = None) -> None:
        """Start new episodes everywhere, for `recv()` to return their first observations.

        Raises:
            ParameterError: A seed is not allowed.
            SimulationError: A simulation did not start.
        """
        states = self._states
        members = list(range(self.num_envs))
        states.expect_reset(members)
        self._kept = None
        self._launch_all(members, seeds_of(seed, self.num_envs), None)
        states.expect_first_rounds(members)

    # ------------------------------------------------------------------ turns

    def _reset(
        self, seed: int | Sequence[int | None] | None, options: dict[str, Any] | None
    ) -> Infos:
        states = self._states
        options = dict(options or {})
        mask = np.asarray(options.pop("reset_mask", np.ones(self.num_envs, np.bool_)))
        if mask.shape != (self.num_envs,) or mask.dtype != np.bool_ or not mask.any():
            raise ParameterError(f"reset_mask is not {self.num_envs} bools of which one is true")
        members: list[int] = np.flatnonzero(mask).tolist()
        states.expect_reset(members)
        self._kept = None
        self._launch_all(members, seeds_of(seed, self.num_envs), options)
        infos: Infos = {}
        began = time.monotonic()
        try:
            for member in members:
                states.resetting.add(member)
                self._collect(member, infos, began)
        except BaseException:
            states.give_up()
            raise
        states.raise_errors()
        return infos

    def _answer(self, member: int, action: list[Buffer]) -> None:
        """Answer a simulation, or begin its next episode."""
        states = self._states
        if member in states.ended:
            try:
                self._launch(member)
                states.resetting.add(member)
            except SimulationError as error:
                self._lose(member, error)
        elif member not in states.pending:
            self._submit(member, action)

    def _receive_all(self) -> Infos:
        states = self._states
        self._pool.require_own()
        infos, self._kept = self._kept or {}, None
        members, states.waiting = states.waiting, []
        began = time.monotonic()
        try:
            self._pool.gather([member for member in members if member not in states.pending])
            for member in _without(members, self._read_together()):
                self._collect(member, infos, began)
            self._finish(infos)
        except BaseException:
            states.give_up()
            raise
        if states.errors:
            self._kept = infos
            states.raise_errors()
        return infos

    def _receive_some(self) -> tuple[NDArray[np.int64], Infos]:
        states = self._states
        self._pool.require_open()
        states.raise_errors()
        due = self._batch_size - len(states.received)
        if len(states.waiting) < due:
            raise ResetNeeded(
                f"{len(states.waiting)} simulations were sent an action, {due} are due"
            )
        infos, self._kept = self._kept or {}, None
        try:
            while len(states.received) < self._batch_size and not states.errors:
                self._receive_ready(infos)
            if not states.errors:
                self._finish(infos)
        except BaseException:
            states.give_up()
            raise
        if states.errors:
            self._kept = infos
            states.raise_errors()
        received, states.received = states.received, []
        return np.array(received), infos

    def _receive_ready(self, infos: Infos) -> None:
        """Take what those say that have said something, or whose time is up."""
        states = self._states
        began = time.monotonic()
        for member in self._ready()[: self._batch_size - len(states.received)]:
            states.waiting.remove(member)
            self._collect(member, infos, began)
            if member in states.begun:
                states.received.append(member)

    # ------------------------------------------------------------------ inside

    def _require_idle(self, env_ids: Sequence[int] | None) -> list[int]:
        """Return the numbers of simulations that can be sent an action."""
        states = self._states
        self._pool.require_open()
        members = list(range(self.num_envs)) if env_ids is None else self._distinct(env_ids)
        if busy := states.waiting and set(members) & set(states.waiting):
            raise ParameterError(f"simulations {sorted(busy)} have not been received yet")
        at_rest = states.ended if self._mode is not AutoresetMode.NEXT_STEP else ()
        if at_rest or len(states.begun) < self.num_envs:
            stuck = [each for each in members if each in at_rest or each not in states.begun]
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

    def _submit(self, member: int, action: list[Buffer]) -> None:
        if self._resumable:
            self._played[member].append([bytes(buffer) for buffer in action])
        try:
            self._pool.episodes[member].submit(action)
        except SimulationError as error:
            self._note_failure(member, error)

    def _ready(self) -> list[int]:
        states = self._states
        received = [member for member in states.waiting if member in states.pending]
        try:
            return received or self._pool.wait(states.waiting)
        except SimulationTimeout:
            return list(states.waiting)  # each of them will say so

    def _collect(self, member: int, infos: Infos, since: float | None = None) -> None:
        """Take what a simulation says after an action.

        Args:
            member: Its number.
            infos: Added to.
            since: When all of them began to be awaited, so that their times do not add up.
        """
        states = self._states
        if member in states.resetting:
            try:
                self._begin(member, infos, since)
            except SimulationError as error:
                self._lose(member, error)
            return
        received = states.pending.pop(member, None)
        if received is None:
            try:
                received = self._pool.episodes[member].collect(since)
            except SimulationError as error:
                self._note_failure(member, error)
                if member not in states.pending:
                    return
                received = states.pending.pop(member)
        if isinstance(received, SimulationError):
            self._write_failure(member, received)
        else:
            self._write(member, received, infos)
            if not received.over:
                return
        states.note_ended(member)
        states.just_ended.append(member)

    def _finish(self, infos: Infos) -> None:
        """Tell how episodes ended; with `SAME_STEP`, begin the next ones."""
        states = self._states
        members, states.just_ended = states.just_ended, []
        at_once = self._mode is AutoresetMode.SAME_STEP
        for member in members:
            self._tell_end(member, infos, final=at_once)
        if at_once:
            flags = [self._keep_flags(member) for member in members]
            for member in members:
                self._answer(member, [])
            began = time.monotonic()
            for member, restore in zip(members, flags, strict=True):
                if member in states.resetting:
                    self._collect(member, infos, began)
                restore()


def _without(members: list[int], some: list[int]) -> list[int]:
    """Return the members that are not some; usually that is all of them, or none."""
    if not some or some == members:
        return [] if some else members
    left_out = set(some)
    return [member for member in members if member not in left_out]
