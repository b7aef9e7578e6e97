# SPDX-License-Identifier: GPL-2.0-only
"""Stable-Baselines3: rollouts that a policy plays inside simulations."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from defiance_zoo.bridge.simulation import Trajectory
from defiance_zoo.environments.vector.fragments import PlayedFragment
from defiance_zoo.wrappers.sb3.base import PlayedStep, SB3VecEnvBase
from defiance_zoo.wrappers.sb3.vectors import SharedPolicyVecEnv
from defiance_zoo.wrappers.sb3.zero_based_actions import start_of


@dataclass(frozen=True)
class Rollout:
    """Steps of a vector, as from `step()`.

    Attributes:
        observations: Observations of each row before each step, shape (steps, rows, ...).
        actions: Actions of each row, counted as in SB3, shape (steps, rows, ...); 0 without a
            decision.
        acted: Whether each row decided, bool of shape (steps, rows).
        lost: Whether an action did not reach a simulation because the simulation failed or its
            episode ended before the first decision; bool of shape (steps, rows).
        rewards: Rewards of each step, float32 of shape (steps, rows).
        dones: Whether each step ended the row's episode, bool of shape (steps, rows).
        infos: Infos of each row by step, for steps in which an episode ended. Other steps have no
            infos.
        last: Each row's observation after the last step, shape (rows, ...).
    """

    observations: NDArray[Any]
    actions: NDArray[Any]
    acted: NDArray[np.bool_]
    lost: NDArray[np.bool_]
    rewards: NDArray[np.float32]
    dones: NDArray[np.bool_]
    infos: dict[tuple[int, int], dict[str, Any]]
    last: NDArray[Any]

    def steps(self) -> Iterator[PlayedStep]:
        """Yield the steps for `SB3VecEnvBase.replay()`."""
        rows = range(self.dones.shape[1])
        after = [*self.observations[1:], self.last]
        for step, observed in enumerate(after):
            infos = [self.infos.get((step, row), {"TimeLimit.truncated": False}) for row in rows]
            ends = self.dones[step].copy()
            result = observed.copy(), self.rewards[step].copy(), ends, infos
            yield PlayedStep(self.acted[step], result)


def play_rollout(
    vec: SB3VecEnvBase, policy: bytes, noise: NDArray[np.float32], runtime: str, observed: Any
) -> Rollout:
    """Play steps of a vector by a policy inside its simulations.

    `noise` has shape (steps, rows, numbers).
    """
    return _Writer(vec, noise, observed).play(policy, runtime)


class _Writer:
    """Joins the fragments of simulations."""

    def __init__(self, vec: SB3VecEnvBase, noise: NDArray[np.float32], observed: Any) -> None:
        self._vec = vec
        self._venv, self._count = vec._venv, vec.num_envs // vec._venv.num_envs
        self._noise = noise
        steps, rows = noise.shape[:2]
        space = vec.action_space
        self._start = start_of(space)
        self._observed = np.array(observed)
        self._acting = (
            vec.decisions.deciding.copy()
            if isinstance(vec, SharedPolicyVecEnv)
            else np.ones(rows, np.bool_)
        )
        self._rollout = Rollout(
            observations=np.zeros((steps, *self._observed.shape), self._observed.dtype),
            actions=np.zeros((steps, rows, *(space.shape or ())), np.int64),
            acted=np.zeros((steps, rows), np.bool_),
            lost=np.zeros((steps, rows), np.bool_),
            rewards=np.zeros((steps, rows), np.float32),
            dones=np.zeros((steps, rows), np.bool_),
            infos={},
            last=self._observed,
        )

    def play(self, policy: bytes, runtime: str) -> Rollout:
        shape = (len(self._noise), self._venv.num_envs, self._count, -1)
        began = time.perf_counter()
        for played in self._venv.play_fragments(policy, self._noise.reshape(shape), runtime):
            self._vec.waited_s += time.perf_counter() - began
            rows = slice(played.member * self._count, (played.member + 1) * self._count)
            if played.trajectory is None:
                self._write_lost(played, rows)
            else:
                self._write(played.trajectory, played, rows)
            self._write_last(played, rows)
            began = time.perf_counter()
        return self._rollout

    def _write_lost(self, played: PlayedFragment, rows: slice) -> None:
        rollout, step = self._rollout, played.first
        rollout.observations[step, rows] = self._observed[rows]
        rollout.acted[step, rows] = rollout.lost[step, rows] = self._acting[rows]

    def _write(self, trajectory: Trajectory, played: PlayedFragment, rows: slice) -> None:
        rollout, first = self._rollout, played.first
        row = rows.start + played.places
        number = np.repeat(np.arange(played.steps), trajectory.sizes)
        rollout.actions[first + number, row] = trajectory.actions - self._start
        rollout.acted[first + number, row] = True
        later = number > 0  # the first observation came with the previous step
        rollout.rewards[first + number[later] - 1, row[later]] = trajectory.rewards[later]
        if self._count == 1:
            rollout.observations[first : first + played.steps, rows.start] = trajectory.observations
            return
        ends = np.cumsum(trajectory.sizes)
        for step, (size, end) in enumerate(zip(trajectory.sizes, ends, strict=True), first):
            deciding = slice(end - size, end)
            self._observed[row[deciding]] = trajectory.observations[deciding]
            rollout.observations[step, rows] = self._observed[rows]

    def _write_last(self, played: PlayedFragment, rows: slice) -> None:
        rollout, step = self._rollout, played.first + played.steps - 1
        if isinstance(self._vec, SharedPolicyVecEnv):
            self._vec.decisions.acted[rows] = rollout.acted[step, rows]
        self._vec._times = played.last[-1]["sim_time_ns"]
        observations, rewards, dones, infos = self._vec._convert(*played.last)
        rollout.rewards[step, rows], rollout.dones[step, rows] = rewards[rows], dones[rows]
        for row in range(rows.start, rows.stop):
            rollout.infos[step, row] = infos[row]
        self._observed[rows] = observations[rows]
        if isinstance(self._vec, SharedPolicyVecEnv):
            self._acting[rows] = self._vec.decisions.deciding[rows]
