# SPDX-License-Identifier: GPL-2.0-only
"""Stable-Baselines3: features instead of observations, with a state for each row."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.vector.utils import create_empty_array
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper

from defiance_zoo.bridge.codec.values import copy_batch
from defiance_zoo.environments.vector.batches import take_rows, write
from defiance_zoo.wrappers.features import FeatureView
from defiance_zoo.wrappers.sb3.base import SB3VecEnvBase


class FeatureVecEnv(VecEnvWrapper):
    """Replaces the observations of a vector by their features.

    A row's features change when its agent decides. In between, the row shows the features of the
    last decision; after the agent's end, it shows zeros.

    Attributes:
        observations: The last observations of the vector, without features.
    """

    observations: Any = None

    def __init__(self, venv: VecEnv, view: FeatureView) -> None:
        super().__init__(venv, observation_space=view.space)
        self._view = view
        self._states = view.states(self.num_envs)
        self._shown = create_empty_array(view.space, self.num_envs, np.zeros)

    def reset(self) -> Any:
        """Start new episodes, with states of zeros.

        Raises:
            ParameterError: The features are not in their space, or not finite.
        """
        observations = self.venv.reset()
        self._states[:] = 0
        return self._show(observations, np.ones(self.num_envs, np.bool_))

    def step_wait(self) -> Any:
        """Wait for every simulation.

        Raises:
            ParameterError: The features are not in their space, or not finite.
        """
        observations, rewards, dones, infos = self.venv.step_wait()
        for row in np.flatnonzero(dones):
            state = self._states[row : row + 1]
            last, _ = self._view.observe_one(infos[row]["terminal_observation"], state)
            infos[row]["terminal_observation"] = last
        self._states[dones] = 0
        return self._show(observations, dones), rewards, dones, infos

    def state_dict(self) -> dict[str, Any]:
        """Return the states of all rows, and their current features."""
        return {"states": self._states.copy(), "shown": copy_batch(self._shown)}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore the result of `state_dict()`."""
        self._states[:], self._shown = state["states"], copy_batch(state["shown"])

    def _show(self, observations: Any, ended: NDArray[np.bool_]) -> Any:
        """Return the observations of the rows; ended rows have zeros unless they decide."""
        self.observations = observations
        simulations = self.unwrapped
        assert isinstance(simulations, SB3VecEnvBase)
        deciding = simulations.deciding()
        rows, absent = np.flatnonzero(deciding), np.flatnonzero(ended & ~deciding)
        write(self._shown, absent, create_empty_array(self._view.space, len(absent), np.zeros))
        if rows.size:
            shown = take_rows(observations, rows)
            observed, self._states[rows] = self._view.observe(shown, self._states[rows])
            write(self._shown, rows, observed)
        return copy_batch(self._shown)
