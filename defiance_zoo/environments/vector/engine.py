# SPDX-License-Identifier: GPL-2.0-only
"""The engine of both vector environments: it steps simulations and starts their next episodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from defiance_zoo.bridge.codec import Buffer
from defiance_zoo.bridge.simulation import AgentEnd, Round
from defiance_zoo.bridge.system.plain_values import plain_value
from defiance_zoo.bridge.system.running_time import running_time
from defiance_zoo.environments.arguments import (
    Options,
    require_mapping,
    require_unlike,
)
from defiance_zoo.environments.vector.forms import Ending, Infos, Step, VectorForm
from defiance_zoo.environments.vector.members import BatchedMembers, Members
from defiance_zoo.environments.vector.pool import seeds_of
from defiance_zoo.errors import ParameterError, ResetNeeded, SimulationError, SimulationTimeout

Seeds = int | Sequence[int | None] | None

_MASK = "reset_mask"
"""The option of `reset()` that selects simulations."""


class VectorEngine:
    """Steps simulations together, or each as soon as it is ready, and starts their next episodes.

    If a lost simulation is not replaced, the others are received nevertheless. The error is raised
    afterwards, and the next call returns the results of the others.
    """

    def __init__(
        self,
        members: Members,
        form: VectorForm,
        batched: BatchedMembers,
        *,
        autoreset_mode: AutoresetMode,
        batch_size: int,
        copy: bool,
    ) -> None:
        self.members, self.form, self.mode = members, form, autoreset_mode
        self._pool, self._states, self._rows = members.pool, members.states, form.rows
        self._batched, self._copy = batched, copy
        self._everybody = list(range(len(members.pool.episodes)))
        self._batch_size = batch_size
        self._by_number = False  # simulations are answered as they are ready, not all together
        self._kept: Infos | None = None  # of a step whose error has been raised
        self._ends: dict[int, Sequence[AgentEnd]] = {}
        self._failures: dict[int, str] = {}

    # ------------------------------------------------------------------ beginnings

    def launch_all(self, members: list[int], seed: Seeds, options: Options | None) -> None:
        """Start new episodes of some simulations; see `Members.launch_all()`."""
        self._kept = None
        seeds = seeds_of(seed, len(self._everybody))
        self.members.launch_all(members, seeds, options)

    def launch_everybody(self, seed: Seeds) -> None:
        """Start new episodes of all simulations; `receive_some()` returns their first rounds."""
        self.launch_all(self._everybody, seed, None)
        self._states.expect_first_rounds(self._everybody)

    def reset(self, seed: Seeds, options: dict[str, Any] | None) -> Step:
        """Start new episodes of all simulations, or of those of a mask, up to the first round."""
        states, count = self._states, len(self._everybody)
        options = plain_value(dict(require_mapping("options", options)))
        mask = np.asarray(options.pop(_MASK, np.ones(count, np.bool_)))
        for name in options:
            require_unlike(name, [_MASK])
        if mask.shape != (count,) or mask.dtype != np.bool_ or not mask.any():
            raise ParameterError(f"reset_mask must be {count} bools, at least one of them true")
        members: list[int] = np.flatnonzero(mask).tolist()
        self.launch_all(members, seed, options)
        infos: Infos = {}
        began = running_time()
        try:
            for member in members:
                states.resetting.add(member)
                self.collect(member, infos, began)
        except BaseException:
            states.give_up()
            raise
        states.raise_errors()
        return self.form.step(infos, mask.copy(), copy=self._copy)

    def begin(self, member: int, infos: Infos, since: float | None = None) -> None:
        """Take the first round of an episode."""
        received = self.members.first_round(member, since)
        self._rows.begin(member, self._pool.episodes[member].live)
        self.write(member, received)
        if received.over:
            self._rows.clear(member)
        if not received.over or self.form.reports_early_ends:
            self._add_infos(member, received, infos)

    # ------------------------------------------------------------------ turns

    def send(self, actions: Any, env_ids: Sequence[int] | None) -> None:
        """Let some simulations act; None: all simulations."""
        states = self._states
        members = self.require_idle(env_ids)
        self._by_number = env_ids is not None
        if not states.received:
            self._kept = None
        with self._pool.batch():
            answered = self._answer_together(actions, members)
            states.waiting += answered
            if others := _without(members, answered):
                decide = self.members.decides
                asked = [self._pool.episodes[m] if decide(m) else None for m in members]
                read = self.form.read_actions(actions, members, asked)
                rows = dict(zip(members, read, strict=True))
                for member in others:
                    self._answer(member, rows[member])
                    if member in states.begun:
                        states.waiting.append(member)

    def receive_all(self) -> Step:
        """Wait for every simulation that was sent an action."""
        states = self._states
        self._pool.require_open()
        infos, self._kept = self._kept or {}, None
        members, states.waiting = states.waiting, []
        began = running_time()
        try:
            self._pool.gather([member for member in members if member not in states.pending])
            together, columns = self._batched.read()
            # Infos are added in the order of their simulations, which is that of their keys.
            for member in sorted(_without(members, together)):
                while columns and columns[0].sent[:member].any():
                    self._batched.add(infos, columns.pop(0))
                self.collect(member, infos, began)
            for each in columns:
                self._batched.add(infos, each)
            self.finish(infos)
        except BaseException:
            states.give_up()
            raise
        self._raise_errors(infos)
        return self.step_of(infos)

    def receive_some(self) -> Step:
        """Wait for `batch_size` simulations; return the step of these simulations."""
        states = self._states
        self._pool.require_open()
        states.raise_errors()
        due = self._batch_size - len(states.received)
        if len(states.waiting) < due:
            raise ResetNeeded(
                f"{len(states.waiting)} simulations were sent an action, but {due} must be"
            )
        infos, self._kept = self._kept or {}, None
        try:
            while len(states.received) < self._batch_size and not states.errors:
                self._receive_ready(infos)
            if not states.errors:
                self.finish(infos)
        except BaseException:
            states.give_up()
            raise
        self._raise_errors(infos)
        members: NDArray[np.int64] = np.array(states.received)
        states.received = []
        told = np.isin(self._everybody, members)
        step = self.form.step(infos, told, copy=self._copy, members=members)
        infos["env_id"] = members
        return step

    def forget_kept(self) -> None:
        """Discard the kept results of a step whose error has been raised."""
        self._kept = None

    def step_of(self, infos: Infos) -> Step:
        """Return the latest step, with these infos."""
        told = np.ones(len(self._everybody), np.bool_)
        return self.form.step(infos, told, copy=self._copy)

    def _raise_errors(self, infos: Infos) -> None:
        """Raise the first pending error, and keep the infos for the next call."""
        if self._states.errors:
            self._kept = infos
            self._states.raise_errors()

    def _receive_ready(self, infos: Infos) -> None:
        """Take the rounds of simulations that have sent one, or have timed out."""
        states = self._states
        began = running_time()
        for member in self.ready(states.waiting)[: self._batch_size - len(states.received)]:
            states.waiting.remove(member)
            self.collect(member, infos, began)
            if member in states.begun:
                states.received.append(member)

    def ready(self, waiting: list[int]) -> list[int]:
        """Wait until rounds of some simulations have arrived; return the simulations' numbers.

        After a timeout, all are returned: collecting the round of each one raises the error.
        """
        known = [member for member in waiting if member in self._states.pending]
        try:
            return known or self._pool.wait(waiting)
        except SimulationTimeout:
            return list(waiting)

    # ------------------------------------------------------------------ answers

    def require_idle(self, env_ids: Sequence[int] | None) -> list[int]:
        """Return the numbers of simulations that can be sent an action."""
        states = self._states
        self._pool.require_open()
        members = list(self._everybody) if env_ids is None else self._distinct(env_ids)
        if busy := states.waiting and set(members) & set(states.waiting):
            raise ParameterError(f"simulations {sorted(busy)} have not been received yet")
        at_rest = states.ended if self.mode is not AutoresetMode.NEXT_STEP else ()
        if at_rest or len(states.begun) < len(self._everybody):
            stuck = [each for each in members if each in at_rest or each not in states.begun]
            if stuck:
                raise ResetNeeded(
                    f"no episode is running in simulations {stuck}: call reset() first"
                )
        return members

    def _distinct(self, env_ids: Sequence[int]) -> list[int]:
        members, known = plain_value(env_ids), set(self._everybody)
        if (
            not isinstance(members, Sequence)
            or not all(type(member) is int and member in known for member in members)
            or len(set(members)) < len(members)
        ):
            raise ParameterError(f"env_ids={env_ids!r} must be different numbers of simulations")
        return list(members)

    def _answer_together(self, actions: Any, members: list[int]) -> list[int]:
        """Answer the simulations that can be answered in one call, and return their numbers.

        If one action is wrong, no simulation is answered.
        """
        if self._by_number:
            return []
        answered, stack = self._batched.answer(actions)
        if self.members.resumable:
            size = len(stack) // len(members)
            for member in answered:
                self.members.keep(member, [stack[member * size : (member + 1) * size]])
        return answered

    def _answer(self, member: int, action: list[Buffer]) -> None:
        """Answer a simulation, or start its next episode."""
        states = self._states
        if member in states.ended:
            try:
                self.members.launch(member)
                states.resetting.add(member)
            except SimulationError as error:
                self._lose(member, error)
        elif member not in states.pending:
            try:
                self.members.submit(member, action)
            except SimulationError as error:
                self.note_failure(member, error)

    # ------------------------------------------------------------------ rounds

    def collect(self, member: int, infos: Infos, since: float | None = None) -> None:
        """Take the round of a simulation after an action."""
        states = self._states
        if member in states.resetting:
            try:
                self.begin(member, infos, since)
            except SimulationError as error:
                self._lose(member, error)
            return
        received = states.pending.pop(member, None)
        if received is None:
            try:
                received = self._pool.episodes[member].collect(since)
            except SimulationError as error:
                self.note_failure(member, error)
                received = states.pending.pop(member, None)
                if received is None:
                    return
        if isinstance(received, SimulationError):
            self._cut(member, received)
        else:
            self.write(member, received)
            if not received.over:
                self._add_infos(member, received, infos)
                return
            self._ends[member] = received.ended
        states.note_ended(member)
        states.just_ended.append(member)

    def write(self, member: int, received: Round) -> None:
        """Write a round into the rows."""
        self._rows.take(member, received)
        if received.over or self._by_number:
            self._batched.dismiss(member)
        else:
            self._batched.admit(member)

    def play_alone(self, member: int) -> None:
        """Exclude a simulation from the common call, until its next round."""
        self._batched.dismiss(member)

    def _cut(self, member: int, error: SimulationError) -> None:
        self.play_alone(member)
        self._rows.cut(member)
        self._failures[member] = str(error)

    def _add_infos(self, member: int, received: Round, infos: Infos) -> None:
        for end in received.ended:
            self.form.add(infos, end.info, member, end.agent)
        for steps in received.asked:
            for row, info in steps.infos.items():
                self.form.add(infos, info, member, steps.group.names[row])

    def note_failure(self, member: int, error: SimulationError) -> None:
        """Treat a lost simulation as a truncated episode, or keep its error."""
        if not self.members.forgives(member, error):
            self._lose(member, error)

    def _lose(self, member: int, error: SimulationError) -> None:
        """Keep an error to be raised; the simulation then needs a reset."""
        self._states.lose(member, error)
        self._rows.clear(member)

    # ------------------------------------------------------------------ ends

    def finish(self, infos: Infos) -> None:
        """Report the ends of episodes; with `SAME_STEP`, start the next ones."""
        states = self._states
        members, states.just_ended = states.just_ended, []
        at_once = self.mode is AutoresetMode.SAME_STEP
        for member in members:
            self._report_end(member, infos, final=at_once)
        if at_once:
            flags = [self._rows.keep_flags(member) for member in members]
            for member in members:
                self._answer(member, [])
            began = running_time()
            for member, restore in zip(members, flags, strict=True):
                if member in states.resetting:
                    self.collect(member, infos, began)
                restore()

    def _report_end(self, member: int, infos: Infos, *, final: bool) -> None:
        ending = Ending(
            self._ends.pop(member, ()),
            self._failures.pop(member, None),
            self._rows.observation(member) if final else None,
            int(self._rows.times[member]),
        )
        self.form.add_end(infos, member, ending)


def _without(members: list[int], some: list[int]) -> list[int]:
    """Return the members without some of them; usually all members, or none."""
    if not some or some == members:
        return [] if some else members
    left_out = set(some)
    return [member for member in members if member not in left_out]
