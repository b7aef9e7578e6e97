# SPDX-License-Identifier: GPL-2.0-only
"""The simulations of a vector: their states, the start of episodes, losses, and common calls."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from defiance_zoo.bridge.codec import Buffer
from defiance_zoo.bridge.messages.info_templates import InfoColumns
from defiance_zoo.bridge.process.simulation_process import ATTEMPTS, Losses
from defiance_zoo.bridge.simulation import Agent, BatchedExchange, Round, StepLink
from defiance_zoo.environments.arguments import Options
from defiance_zoo.environments.vector.batches import check_stack
from defiance_zoo.environments.vector.forms import Infos, SingleAgentForm, VectorForm
from defiance_zoo.environments.vector.pool import SimulationPool
from defiance_zoo.errors import SimulationError


class MemberStates:
    """The states of the simulations of a vector, by their numbers.

    Attributes:
        begun: Simulations whose episode has had its first round, and has not broken off.
        ended: Simulations whose last episode is over.
        waiting: Simulations that were sent a message, and whose rounds are awaited, in this order.
        resetting: Simulations whose next episode has started, before its first round.
        pending: Rounds and failures that were received, and are not in the rows yet.
        received: Steps that are not returned yet.
        just_ended: Agents that have ended in this step.
        errors: Errors to raise, in this order.
    """

    def __init__(self) -> None:
        self.begun: set[int] = set()
        self.ended: set[int] = set()
        self.waiting: list[int] = []
        self.resetting: set[int] = set()
        self.pending: dict[int, Round | SimulationError] = {}
        self.received: list[int] = []
        self.just_ended: list[int] = []
        self.errors: list[SimulationError] = []

    def clear(self) -> None:
        """Discard all episodes and all awaited rounds."""
        self.waiting, self.just_ended = [], []
        self.begun.clear()
        self.resetting.clear()
        self.pending.clear()

    def give_up(self) -> None:
        """Require a reset of all simulations after an interruption with an unknown result."""
        self.begun.clear()
        self.waiting, self.received = [], []

    def expect_reset(self, members: Iterable[int]) -> None:
        """Stop waiting for some simulations, whose next episodes are about to begin."""
        reset = set(members)
        self.waiting = [member for member in self.waiting if member not in reset]
        self.received = [member for member in self.received if member not in reset]
        self.errors.clear()

    def expect_first_rounds(self, members: list[int]) -> None:
        """Wait for the first rounds of all simulations, which have been started."""
        self.waiting, self.resetting = list(members), set(members)
        self.pending.clear()

    def note_begin(self, member: int) -> None:
        """Note that the first round of an episode has arrived."""
        self.begun.add(member)
        self.note_ended(member, over=False)

    def note_ended(self, member: int, *, over: bool = True) -> None:
        """Note whether the last episode of a simulation is over."""
        if over:
            self.ended.add(member)
        else:
            self.ended.discard(member)

    def stand(self, ended: dict[int, bool]) -> None:
        """Mark all simulations as begun, some of them as ended, and none as awaited."""
        for member, over in ended.items():
            self.note_ended(member, over=over)
        self.begun.update(ended)

    def lose(self, member: int, error: SimulationError) -> None:
        """Note an error to be raised later; only a reset of that simulation clears it."""
        self.begun.discard(member)
        self.resetting.discard(member)
        self.pending.pop(member, None)
        self.errors.append(error)

    def raise_errors(self) -> None:
        """Raise the first error since the last call, if there is one."""
        errors, self.errors = self.errors, []
        if errors:
            raise errors[0]


class Members:
    """Simulations side by side, each with its own episode."""

    def __init__(self, pool: SimulationPool, *, restart: bool, resumable: bool) -> None:
        count = len(pool.episodes)
        self.pool, self.states = pool, MemberStates()
        self._restart, self.resumable = restart, resumable
        self.losses = Losses()
        self.options: list[Options | None] = [None] * count
        self.played: list[list[list[bytes]]] = [[] for _ in range(count)]

    def decides(self, member: int) -> bool:
        """Return whether the next action of a simulation reaches its agents."""
        return member not in self.states.pending and member not in self.states.ended

    def launch_all(
        self, members: list[int], seeds: Sequence[int | None], options: Options | None
    ) -> None:
        """Start new episodes of some simulations, side by side."""
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
        """Wait for the first round of a simulation, which is replaced if it is lost before."""
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
        """Answer the round of a simulation."""
        self.keep(member, action)
        self.pool.episodes[member].submit(action)

    def keep(self, member: int, action: list[Buffer]) -> None:
        """Keep an answer, if answers are kept."""
        if self.resumable:
            self.played[member].append([bytes(buffer) for buffer in action])

    def forgives(self, member: int, error: SimulationError) -> bool:
        """Treat a lost simulation as a truncated episode, if it is to be replaced."""
        forgiven = self._restart and self.losses.forgives(error)
        if forgiven:
            self.states.note_ended(member)
            self.states.pending[member] = error
        return forgiven

    def _forgive(self, error: SimulationError) -> None:
        """Count a lost simulation; raise the error unless it is to be replaced."""
        if not (self._restart and self.losses.forgives(error)):
            raise error


class BatchedMembers:
    """Plays plain rounds of simulations of one agent, in one call for all of them.

    See `BatchedExchange`; no simulation takes part if the messages have another form.
    """

    def __init__(self, pool: SimulationPool, form: VectorForm) -> None:
        self._pool, self._form, rows = pool, form, form.rows
        self._agent = form.agent if isinstance(form, SingleAgentForm) else None
        self._arrays: tuple[Any, ...] = (rows.observations, rows.rewards, rows.times)
        self._is_plain = self._agent is not None and _is_plain(self._agent, rows.observations)
        self._rounds: BatchedExchange | None = None
        self._link: StepLink | None = None

    def answer(self, actions: Any) -> tuple[list[int], Buffer]:
        """Answer the rounds of the simulations that take part; return these, and their actions."""
        if self._agent is None or self._rounds is None or not self._rounds.members:
            return [], b""
        (stack,) = check_stack(self._agent, actions, len(self._pool.episodes))
        self._rounds.answer(stack)
        return self._rounds.members, stack

    def read(self) -> tuple[list[int], list[InfoColumns]]:
        """Read the next rounds into the arrays; see `BatchedExchange.read()`."""
        return ([], []) if self._rounds is None else self._rounds.read()

    def add(self, infos: Infos, columns: InfoColumns) -> None:
        """Add copies of the infos of several simulations, as `VectorForm.add()` does one by one."""
        sent, is_complete = columns.sent, bool(columns.sent.all())
        for key, column in columns.arrays.items():
            known = infos.get(key)
            if known is None:
                infos[key], infos[f"_{key}"] = own = column.copy(), sent.copy()
                if not is_complete:
                    own[0][~sent] = None if column.dtype == object else 0
            elif (known.dtype, known.shape) == (column.dtype, column.shape):
                known[sent], infos[f"_{key}"][sent] = column[sent], True
            else:
                for member in np.flatnonzero(sent).tolist():
                    value = column[member].copy() if column.ndim > 1 else column.item(member)
                    self._form.add(infos, {key: value}, member, "")

    def admit(self, member: int) -> None:
        """Let a simulation that waits for an answer take part, if possible."""
        if self._link is not self._pool.link:
            self._link = self._pool.link
            self._rounds = self._link.batched_exchange(*self._arrays) if self._is_plain else None
        if self._rounds is None:
            return
        episodes = self._pool.episodes[member]
        simulation = episodes.launcher.expected
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
