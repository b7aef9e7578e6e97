# SPDX-License-Identifier: GPL-2.0-only
"""Fragments of episodes, played by a policy inside the simulations of a vector, side by side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from defiance_zoo.bridge.simulation import Fragment, Trajectory
from defiance_zoo.bridge.system.running_time import running_time
from defiance_zoo.environments.vector.engine import VectorEngine
from defiance_zoo.environments.vector.forms import Infos, Step
from defiance_zoo.errors import ParameterError, SimulationError

_MOST_BYTES = 1 << 28
"""Maximum size of noise and observations of a fragment; longer ones are ordered in parts."""


@dataclass(frozen=True)
class PlayedFragment:
    """Several steps of one simulation; the last one is as `step()` returns it.

    Attributes:
        member: Number of the simulation.
        first: Number of its first step.
        trajectory: The steps, one for each round; None: there was one step without a decision,
            because the simulation was lost or the episode was over.
        places: Place of the agent of each decision of the trajectory among the simulation's agents.
        last: The result of `step()` for the last one; nothing happens in other simulations.
    """

    member: int
    first: int
    trajectory: Trajectory | None
    places: NDArray[np.int64]
    last: Step

    @property
    def steps(self) -> int:
        """Number of steps."""
        return len(self.trajectory.times_ns) if self.trajectory is not None else 1


def play_fragments(
    engine: VectorEngine, policy: bytes, noise: NDArray[np.float32], runtime: str
) -> Iterator[PlayedFragment]:
    """Let a policy decide inside the simulations; see `VectorInterface.play_fragments()`."""
    if engine.mode is not AutoresetMode.SAME_STEP:
        raise ParameterError("fragments need autoreset_mode='SameStep'")
    waiting = engine.require_idle(None)
    fragments = _Fragments(engine, policy, runtime)
    done = dict.fromkeys(waiting, 0)
    engine.forget_kept()
    try:
        for member in waiting:
            fragments.order(member, noise)
        while waiting:
            began = running_time()  # all simulations that time out have waited since then
            for member in engine.ready(waiting):
                played = fragments.take(member, done[member], began)
                done[member] += played.steps
                if done[member] < len(noise):
                    fragments.order(member, noise[done[member] :])
                else:
                    waiting.remove(member)
                yield played
    except BaseException:
        engine.members.states.give_up()
        raise


class _Fragments:
    """Orders fragments of one policy, each simulation at its own pace, and takes them."""

    def __init__(self, engine: VectorEngine, policy: bytes, runtime: str) -> None:
        self._engine, self._rows = engine, engine.form.rows
        self._members, self._pool = engine.members, engine.members.pool
        self._policy, self._runtime = policy, runtime
        self._holders: dict[int, bytes] = {}  # the simulations that have the policy, by member

    def order(self, member: int, noise: NDArray[np.float32]) -> None:
        """Order a fragment with a step for each row of noise, unless the next step is known."""
        if member in self._members.states.pending:
            return
        episodes = self._pool.episodes[member]
        simulation = episodes.launcher.require()
        self._engine.play_alone(member)
        places = [self._rows.place(agent) for agent in simulation.agents]
        mine = noise[: self._most_rounds(len(places), noise.shape[-1]), member, places]
        holds = self._holders.get(member) == simulation.token
        self._holders[member] = simulation.token
        try:
            episodes.submit_fragment(Fragment(b"" if holds else self._policy, mine, self._runtime))
        except SimulationError as error:
            self._engine.note_failure(member, error)

    def _most_rounds(self, agents: int, numbers: int) -> int:
        agent = next(iter(self._pool.episodes[0].agents.values()))
        sizes = agent.observations.sizes or ()
        return max(_MOST_BYTES // (agents * (sum(sizes) + 4 * numbers + 64)), 1)

    def take(self, member: int, first: int, began: float) -> PlayedFragment:
        """Take the round after a fragment; start the next episode if necessary."""
        engine, infos = self._engine, Infos()
        self._rows.clear_all()
        engine.collect(member, infos, began)
        self._members.states.raise_errors()
        received = self._pool.episodes[member].round
        trajectory = received.trajectory if received is not None else None
        places = np.zeros(0, np.int64)
        if received is not None and trajectory is not None:
            self._rows.take_fragment(member, received)
            if self._members.resumable:
                self._members.played[member] += trajectory.answers()
            known = np.array([self._rows.place(name) for name in trajectory.names])
            places = known[trajectory.agents]
        engine.finish(infos)
        self._members.states.raise_errors()
        return PlayedFragment(member, first, trajectory, places, engine.step_of(infos))
