# SPDX-License-Identifier: GPL-2.0-only
"""Hand-written policies for the plants of this folder behind a network."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from defiance_zoo.environments import PolicyMaker
from defiance_zoo.envs.cart_pole.baselines import POLE_GAINS, lqr_gains

Array = NDArray[Any]


class SentActions:
    """The actions that agents have decided, and the steps of the plant that use them.

    An action takes as long to the plant as the newest observation took to the agent, and none is
    lost. Before the first one, plants use 0.
    """

    def __init__(self, step_s: float) -> None:
        self._step_s = step_s
        self._sent: dict[str, list[tuple[int, int]]] = {}

    def note(self, agent: str, info: Mapping[str, Any], action: int) -> None:
        """Note an action that an agent decides now."""
        self._sent.setdefault(agent, []).append((self.step_of(info), action))

    def since(self, agent: str, info: Mapping[str, Any]) -> list[int]:
        """Return the action of each step from the newest observation to a decision's own step."""
        sent = self._sent.get(agent, [])
        return [
            next((action for step, action in reversed(sent) if step <= now), 0)
            for now in range(info["tick"] + 1, self.step_of(info))
        ]

    def step_of(self, info: Mapping[str, Any]) -> int:
        """Return the number of the plant's first step that uses an action decided now."""
        newest, steps = int(info["tick"]), float(info["age"]) / self._step_s
        return max(newest + 1, newest + math.ceil(2 * steps - 1e-9))


class Feedback:
    """Pushes a cart by the sign of linear feedback of the newest observation."""

    def __init__(self, gains: Array) -> None:
        self._gains = gains

    def reset(self) -> None:
        """See `Policy`."""

    def act(self, agent: str, observation: Any, info: dict[str, Any]) -> int:
        return int(self.predict(agent, newest(observation), info) @ self._gains > 0)

    def predict(self, _agent: str, state: Array, _info: dict[str, Any]) -> Array:
        """Return the state for which the policy decides."""
        return state


class Predictor(Feedback):
    """Feedback of the state in which the push will be used, by the plant's own model.

    The model starts from the newest observation, and steps with the pushes that were decided since
    then. Steps of the plant are those of Gymnasium's CartPole-v1, 20 ms.
    """

    def __init__(self, gains: Array) -> None:
        from gymnasium.envs.classic_control.cartpole import CartPoleEnv

        super().__init__(gains)
        self._model: Any = CartPoleEnv()
        self.reset()

    def reset(self) -> None:
        self._sent = SentActions(0.02)

    def act(self, agent: str, observation: Any, info: dict[str, Any]) -> int:
        action = super().act(agent, observation, info)
        self._sent.note(agent, info, action)
        return action

    def predict(self, agent: str, state: Array, info: dict[str, Any]) -> Array:
        """Return the predicted state, shape (4,)."""
        model = self._model
        model.state = tuple(np.asarray(state, np.float64))
        for action in self._sent.since(agent, info):
            model.steps_beyond_terminated = None  # a state that ends an episode is none here
            model.step(action)
        return np.array(model.state)


class Particle(NamedTuple):
    """A particle of `simple_spread`: places are relative to its own.

    Attributes:
        velocity: Shape (2,).
        landmarks: Shape (particles, 2).
        others: Shape (particles - 1, 2).
    """

    velocity: Array
    landmarks: Array
    others: Array


class Assignment:
    """Moves each particle to another landmark, so that all ways together are shortest.

    Each agent computes the same assignment from its own observation. It pushes along the axis in
    which its particle would come to rest farther from its landmark.
    """

    reset = Feedback.reset

    def act(self, agent: str, observation: Any, info: dict[str, Any]) -> int:
        from scipy.optimize import linear_sum_assignment  # mpe2 brings SciPy

        seen = newest(observation)
        count = len(seen) // 6  # a speed, a place, and 2 n + 2 (n - 1) + 2 (n - 1) further numbers
        landmarks, others, _ = np.split(seen[4:], [2 * count, 4 * count - 2])
        particle = Particle(seen[:2], landmarks.reshape(-1, 2), others.reshape(-1, 2))
        velocity, landmarks, others = self.predict(agent, particle, info)
        ways = np.linalg.norm(np.vstack([np.zeros(2), others])[:, None] - landmarks, axis=2)
        _, assigned = linear_sum_assignment(ways)
        missing = landmarks[assigned[0]] - velocity * _STEP_S / _DAMPING
        axis = int(np.argmax(np.abs(missing)))
        if abs(missing[axis]) < _PUSH * _STEP_S / _DAMPING / 2:
            return 0
        return 1 + 2 * axis + int(missing[axis] > 0)

    def predict(self, _agent: str, particle: Particle, _info: dict[str, Any]) -> Particle:
        """Return the particle for which the policy decides."""
        return particle


class PredictedAssignment(Assignment):
    """The assignment for the place in which the push will be used; others are taken to rest."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self._sent = SentActions(_STEP_S)

    def act(self, agent: str, observation: Any, info: dict[str, Any]) -> int:
        action = super().act(agent, observation, info)
        self._sent.note(agent, info, action)
        return action

    def predict(self, agent: str, particle: Particle, info: dict[str, Any]) -> Particle:
        velocity, way = np.array(particle.velocity, np.float64), np.zeros(2)
        for action in self._sent.since(agent, info):
            way += velocity * _STEP_S
            velocity *= 1 - _DAMPING
            if action:
                axis, positive = divmod(action - 1, 2)
                velocity[axis] += _PUSH if positive else -_PUSH
        return Particle(velocity, particle.landmarks - way, particle.others - way)


_STEP_S, _DAMPING, _PUSH = 0.1, 0.25, 0.5
"""Time of a step of `simple_spread`, the lost share of a velocity, and a push's change of it."""


class Gait:
    """Swings the joints of the half-cheetah, whatever it observes: sines of the plant's step.

    Phases and torques are those of back thigh, shin and foot, then of front thigh, shin and foot. A
    random search by hand found them, in Gymnasium's HalfCheetah-v5.
    """

    per_step = 1.351
    phases = np.array((1.621, 3.298, 0.256, 3.864, 4.263, 3.832))
    torques = np.array((1.117, 1.606, 1.119, 1.496, 1.632, 0.524))
    offsets = np.array((-0.049, 0.247, -0.229, -0.738, -0.648, -0.688))

    reset = Feedback.reset

    def act(self, _agent: str, _observation: Any, info: dict[str, Any]) -> NDArray[np.float32]:
        step = info["tick"] + math.ceil(2 * info["age"] / 0.05 - 1e-9)
        swing = self.offsets + self.torques * np.sin(self.per_step * step + self.phases)
        torques: NDArray[np.float32] = np.clip(swing, -1, 1).astype(np.float32)
        return torques


def newest(observation: Any) -> Array:
    """Return the newest observation that has arrived, with and without a window."""
    newest: Array
    newest = observation["observations"][0] if isinstance(observation, Mapping) else observation
    return newest


BASELINES: Mapping[str, PolicyMaker] = MappingProxyType(
    {
        "pole": PolicyMaker(lambda _env, _seed, _options: Feedback(POLE_GAINS), __name__),
        "state_feedback": PolicyMaker(lambda _env, _seed, _: Feedback(lqr_gains()), __name__),
        "predictor": PolicyMaker(lambda _env, _seed, _: Predictor(lqr_gains()), __name__),
    }
)
CHEETAH_BASELINES: Mapping[str, PolicyMaker] = MappingProxyType(
    {"gait": PolicyMaker(lambda _env, _seed, _options: Gait(), __name__)}
)
SPREAD_BASELINES: Mapping[str, PolicyMaker] = MappingProxyType(
    {
        "assignment": PolicyMaker(lambda _env, _seed, _options: Assignment(), __name__),
        "predictor": PolicyMaker(lambda _env, _seed, _: PredictedAssignment(), __name__),
    }
)
