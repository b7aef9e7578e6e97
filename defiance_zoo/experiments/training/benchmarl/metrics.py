# SPDX-License-Identifier: GPL-2.0-only
"""Metrics of training with BenchMARL: decisions, returns, lengths, infos."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from defiance_zoo.environments import MultiAgentVectorEnv

_LATELY = 100
"""Number of last episodes in means."""

_NOT_OF_THE_SCENARIO = {"alive", "deciding", "sim_time_ns"}


class Metrics:
    """Sums over the steps of a vector.

    Attributes:
        decisions: Decisions of all agents.
        episodes: Complete episodes.
        simulated_ns: Simulated time of complete episodes, in nanoseconds.
    """

    def __init__(self, venv: MultiAgentVectorEnv) -> None:
        self._venv = venv
        self.decisions = self.episodes = self.simulated_ns = 0
        rows = venv.num_envs, venv.max_agents
        self._returns, self._lengths = np.zeros(rows), np.zeros(rows, np.int64)
        self._ended: deque[tuple[NDArray[Any], NDArray[Any]]] = deque(maxlen=_LATELY)
        self._infos: dict[str, NDArray[Any]] = {}

    def note(
        self,
        acted: NDArray[np.bool_],
        rewards: NDArray[Any],
        over: NDArray[np.bool_],
        infos: Mapping[str, Any],
    ) -> None:
        """See `Observer` of `defiance_zoo.wrappers.torchrl_vector`."""
        self.decisions += int(acted.sum())
        self._returns += rewards
        self._lengths += acted
        for member in np.flatnonzero(over):
            self.episodes += 1
            self.simulated_ns += int(infos["sim_time_ns"][member])
            self._ended.append((self._returns[member].copy(), self._lengths[member].copy()))
        self._returns[over], self._lengths[over] = 0, 0
        for name, values in infos.items():
            if name in _NOT_OF_THE_SCENARIO or f"_{name}" not in infos or values.dtype == object:
                continue
            known = infos[f"_{name}"]
            sums = np.stack([np.where(known, values, 0).sum(axis=0), known.sum(axis=0)])
            self._infos[name] = self._infos.get(name, 0) + sums

    def take(self) -> dict[str, float]:
        """Return the metrics of an iteration, and begin the next."""
        found: dict[str, float] = {}
        agents = self._venv.possible_agents
        if self._ended:
            returns, lengths = (np.stack(each) for each in zip(*self._ended, strict=True))
            present = lengths > 0
            found["return/mean"] = float(returns[present].mean()) if present.any() else 0.0
            found["length/mean"] = float(lengths[present].mean()) if present.any() else 0.0
            for row, agent in enumerate(agents):
                if present[:, row].any():
                    found[f"return/{agent}"] = float(returns[present[:, row], row].mean())
        for name, (totals, counts) in self._infos.items():
            for row, agent in enumerate(agents):
                if counts[row]:
                    found[f"info/{agent}/{name}"] = float(totals[row] / counts[row])
        self._infos.clear()
        found["failures"] = float(self._venv.failures)
        return found

    def state_dict(self) -> dict[str, Any]:
        """Return the state, which can be pickled."""
        return {name: value for name, value in vars(self).items() if name != "_venv"}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue from the result of `state_dict()`."""
        vars(self).update(state)
