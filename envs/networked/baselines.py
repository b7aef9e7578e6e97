# SPDX-License-Identifier: GPL-2.0-only
"""Hand-written policies for a cart-pole behind a network."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from defiance_zoo.environments import PolicyMaker
from defiance_zoo.envs.cart_pole.baselines import POLE_GAINS, lqr_gains

_STEP_S = 0.02


class Feedback:
    """Pushes by the sign of linear feedback of the newest observation."""

    def __init__(self, gains: NDArray[Any]) -> None:
        self._gains = gains

    def reset(self) -> None:
        """See `Policy`."""

    def act(self, agent: str, observation: Any, info: dict[str, Any]) -> int:
        if isinstance(observation, Mapping):
            observation = observation["observations"][0]
        return int(self.predict(agent, observation, info) @ self._gains > 0)

    def predict(self, _agent: str, state: NDArray[Any], _info: dict[str, Any]) -> NDArray[Any]:
        """Return the state for which the policy decides."""
        return state


class Predictor(Feedback):
    """Feedback of the state in which the action will be used, by the plant's own model.

    The model starts from the newest observation, and steps with the actions that were decided since
    then. An action takes as long to the plant as the observation took to the agent. Steps of the
    plant are those of Gymnasium's CartPole-v1, 20 ms.
    """

    def __init__(self, gains: NDArray[Any]) -> None:
        from gymnasium.envs.classic_control.cartpole import CartPoleEnv

        super().__init__(gains)
        self._model: Any = CartPoleEnv()
        self.reset()

    def reset(self) -> None:
        self._sent: dict[str, list[tuple[int, int]]] = {}

    def act(self, agent: str, observation: Any, info: dict[str, Any]) -> int:
        action = super().act(agent, observation, info)
        self._sent.setdefault(agent, []).append((_step_of(info), action))
        return action

    def predict(self, agent: str, state: NDArray[Any], info: dict[str, Any]) -> NDArray[Any]:
        """Return the predicted state, shape (4,)."""
        sent = self._sent.get(agent, [])
        model = self._model
        model.state = tuple(np.asarray(state, np.float64))
        for step in range(info["tick"] + 1, _step_of(info)):
            used = (action for first, action in reversed(sent) if first <= step)
            model.steps_beyond_terminated = None  # a state that ends an episode is none here
            model.step(next(used, 0))
        return np.array(model.state)


def _step_of(info: Mapping[str, Any]) -> int:
    """Return the number of the plant's step that is the first to use an action decided now."""
    newest, steps = int(info["tick"]), float(info["age"]) / _STEP_S
    return max(newest + 1, newest + math.ceil(2 * steps - 1e-9))


BASELINES: Mapping[str, PolicyMaker] = MappingProxyType(
    {
        "pole": PolicyMaker(lambda _env, _seed, _options: Feedback(POLE_GAINS), __name__),
        "state_feedback": PolicyMaker(lambda _env, _seed, _: Feedback(lqr_gains()), __name__),
        "predictor": PolicyMaker(lambda _env, _seed, _: Predictor(lqr_gains()), __name__),
    }
)
