# SPDX-License-Identifier: GPL-2.0-only
"""Fragments of episodes, played by a policy inside the simulations of a vector, side by side."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from defiance_zoo.bridge.simulation import Fragment, Round, Trajectory
from defiance_zoo.environments.vector.members import Infos, Step
from defiance_zoo.environments.vector.saved_state import VectorState
from defiance_zoo.errors import ParameterError, SimulationError, SimulationTimeout

_MOST_BYTES = 1 << 28
"""Of the noise and of the observations of a fragment; longer ones are ordered in parts."""


@dataclass(frozen=True)
class Played:
    """Some steps of one simulation, of which the last is told like any other.

    Attributes:
        member: Number of the simulation.
        first: Number of its first step.
        trajectory: What happened in the steps, one for each round; None: there was one step, in
            which nobody decided, because the simulation was lost or the episode was over already.
        last: What `step()` would return after the last one; nothing happens in other simulations.
    """

    member: int
    first: int
    trajectory: Trajectory | None
    last: Step

    @property
    def steps(self) -> int:
        """How many steps."""
        return len(self.trajectory.times_ns) if self.trajectory is not None else 1


class VectorFragments(VectorState):
    """Has a policy decide inside the simulations, each at its own pace."""

    @property
    def heeds_masks(self) -> bool:
        """Whether the scenario refuses actions that a mask forbids: no fragment is played then."""
        return self._pool.episodes[0].progress.heeds_masks

    def expect_fragments(self, runtime: str) -> None:
        """Have simulations that start from here on find ONNX Runtime prepared.

        Otherwise each of them loads and prepares it when its first fragment comes.

        Args:
            runtime: See `Fragment`.
        """
        for episodes in self._pool.episodes:
            episodes.slot.launcher.expect_fragments(runtime)

    def play_fragments(
        self, policy: bytes, noise: NDArray[np.float32], runtime: str = ""
    ) -> Iterator[Played]:
        """Play the same number of steps in each simulation, and tell them as they arrive.

        What is told of each simulation, put together, is what `step()` would have returned, except
        for infos beside steps that end nothing.

        Args:
            policy: See `Fragment`.
            noise: What it samples with, shape (steps, num_envs, agents, numbers).
            runtime: See `Fragment`.

        Raises:
            ParameterError: Episodes do not begin with `autoreset_mode="SameStep"`.
            ResetNeeded: An episode has not begun, or broke off.
            SimulationError: A simulation failed; only `reset()` goes on.
        """
        if self._mode is not AutoresetMode.SAME_STEP:
            raise ParameterError("fragments need autoreset_mode='SameStep'")
        waiting = self._require_idle(None)
        done = dict.fromkeys(waiting, 0)
        holders: dict[int, bytes] = {}
        self._kept = None
        try:
            for member in waiting:
                self._order(member, policy, noise, runtime, holders)
            while waiting:
                began = time.monotonic()  # all whose time is up have waited since then
                for member in self._heard_of(waiting):
                    played = self._take_fragment(member, done[member], began)
                    done[member] += played.steps
                    if done[member] < len(noise):
                        self._order(member, policy, noise[done[member] :], runtime, holders)
                    else:
                        waiting.remove(member)
                    yield played
        except BaseException:
            self._states.give_up()
            raise

    # ------------------------------------------------------------------ of the environments

    @abstractmethod
    def _row_of(self, agent: str) -> int:
        """Return the row of an agent."""

    @abstractmethod
    def _play_alone(self, member: int) -> None:
        """Let a simulation take no part in what is played in one call for several of them."""

    @abstractmethod
    def _see_played(self, member: int, received: Round) -> None:
        """Write down what agents have seen last in a fragment, if the round after it says no more.

        The round itself has been written down.
        """

    @abstractmethod
    def _forget_step(self) -> None:
        """Write down, of all simulations, that nothing was earned, and nothing has ended."""

    # ------------------------------------------------------------------ inside

    def _order(
        self,
        member: int,
        policy: bytes,
        noise: NDArray[np.float32],
        runtime: str,
        holders: dict[int, bytes],
    ) -> None:
        """Order a fragment; `holders` are the simulations that have the policy, by member."""
        if member in self._states.pending:
            return  # what it says next is known
        episodes = self._pool.episodes[member]
        simulation = episodes.slot.require()
        self._play_alone(member)
        rows = [self._row_of(agent) for agent in simulation.agents]
        mine = noise[: self._most_rounds(rows, noise.shape[-1]), member, rows]
        holds = holders.get(member) == simulation.token
        holders[member] = simulation.token
        try:
            episodes.submit_fragment(Fragment(b"" if holds else policy, mine, runtime))
        except SimulationError as error:
            self._note_failure(member, error)

    def _most_rounds(self, rows: list[int], numbers: int) -> int:
        agent = next(iter(self._pool.episodes[0].agents.values()))
        sizes = agent.observations.sizes or ()
        return max(_MOST_BYTES // (len(rows) * (sum(sizes) + 4 * numbers + 64)), 1)

    def _heard_of(self, waiting: list[int]) -> list[int]:
        """Return those of which something is known, or all of them: their time is up."""
        known = [member for member in waiting if member in self._states.pending]
        try:
            return known or self._pool.wait(waiting)
        except SimulationTimeout:
            return list(waiting)  # each of them will say so

    def _take_fragment(self, member: int, first: int, began: float) -> Played:
        """Take what a simulation says after a fragment; begin its next episode if that is due."""
        infos: Infos = {}
        self._forget_step()
        self._collect(member, infos, began)
        self._states.raise_errors()
        received = self._pool.episodes[member].round
        trajectory = received.trajectory if received is not None else None
        if received is not None and trajectory is not None:
            self._see_played(member, received)
            if self._resumable:
                self._played[member] += trajectory.answers()
        self._finish(infos)
        self._states.raise_errors()
        return Played(member, first, trajectory, self._results(infos))
