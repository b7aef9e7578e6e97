# SPDX-License-Identifier: GPL-2.0-only
"""Plants for the tests of `networked()`."""

from __future__ import annotations

import threading
from typing import Any, ClassVar

import gymnasium
import numpy as np
import pettingzoo
from gymnasium.spaces import Box, Dict, Discrete
from pettingzoo.utils.conversions import parallel_to_aec


class Counter(gymnasium.Env[Any, Any]):
    """Observes the number of its step, in each element; the reward is the action."""

    def __init__(
        self, steps: int = 300, shape: tuple[int, ...] = (1,), dtype: str = "int32"
    ) -> None:
        self.observation_space = Box(0, 255, tuple(shape), np.dtype(dtype).type)
        self.action_space = Discrete(1000)
        self._steps = steps

    def reset(self, **arguments: Any) -> tuple[Any, dict[str, Any]]:
        super().reset(**arguments)
        self._count = 0
        return self._observe(), {}

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self._count += 1
        return self._observe(), float(action), False, self._count == self._steps, {}

    def _observe(self) -> Any:
        value = np.full(self.observation_space.shape, 0, self.observation_space.dtype)
        value += self.observation_space.dtype.type(self._count % 256)
        return value


class Masked(gymnasium.Env[Any, Any]):
    """Observes the number of its step, which is the only action that it allows."""

    observation_space = Discrete(40)
    action_space = Discrete(40)

    def reset(self, **arguments: Any) -> tuple[Any, dict[str, Any]]:
        super().reset(**arguments)
        self._count = (arguments.get("options") or {}).get("first", 0)
        return self._count, self._describe()

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self._count += 1
        return self._count, float(action), False, self._count == 39, self._describe()

    def _describe(self) -> dict[str, Any]:
        self._info = {"action_mask": np.arange(40) == self._count, "count": np.int64(self._count)}
        return self._info


class Nested(gymnasium.Env[Any, Any]):
    """Observes a dict, and acts by a box."""

    observation_space = Dict({"level": Box(-1, 1, (2, 2)), "mode": Discrete(3, start=-1)})
    action_space = Box(-1, 1, (2, 2))

    def reset(self, **arguments: Any) -> tuple[Any, dict[str, Any]]:
        super().reset(**arguments)
        return self._observe(self.np_random.uniform(-1, 1, (2, 2))), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        return self._observe(action), float(action.sum()), bool(action[0, 0] > 0.999), False, {}

    def _observe(self, value: Any) -> dict[str, Any]:
        return {"level": value.astype(np.float32), "mode": np.int64(self.np_random.integers(3) - 1)}


class Team(pettingzoo.ParallelEnv[str, Any, Any]):
    """Agents that each count; the first one leaves early."""

    metadata: ClassVar = {"name": "team", "is_parallelizable": True}

    def __init__(self, size: int = 3) -> None:
        self.possible_agents = [f"member_{number}" for number in range(size)]

    def observation_space(self, agent: str) -> Box:
        return Box(0, 1000, (1 + self.possible_agents.index(agent),))

    def action_space(self, agent: str) -> Discrete:
        return Discrete(5)

    def reset(self, seed: int | None = None, options: Any = None) -> Any:
        self.agents, self._count = list(self.possible_agents), 0
        self._offset = int(np.random.default_rng(seed).integers(100))
        return self._observe(), {each: {} for each in self.agents}

    def step(self, actions: dict[str, Any]) -> Any:
        assert set(actions) == set(self.agents)
        self._count += 1
        rewards = {agent: float(actions[agent]) for agent in self.agents}
        over = {agent: agent == "member_0" and self._count == 3 for agent in self.agents}
        late = dict.fromkeys(self.agents, self._count == 6)
        result = self._observe(), rewards, over, late, {each: {} for each in self.agents}
        self.agents = [each for each in self.agents if not over[each] and not late[each]]
        return result

    def _observe(self) -> dict[str, Any]:
        value = self._offset + self._count
        return {
            agent: np.full(self.observation_space(agent).shape, value, np.float32)
            for agent in self.agents
        }


def make_turns(size: int = 3) -> Any:
    """Make a plant whose agents act one after the other."""
    return parallel_to_aec(Team(size))


def make_kind(kind: str = "counter") -> Any:
    """Make a plant, most kinds of which no simulation can play."""
    if kind == "thread":
        threading.Thread(target=print).start()
    if kind == "number":
        return 1
    if kind == "nested":
        return Nested()
    env = Counter(shape=(300, 300) if kind == "large" else (1,))
    env.render_mode = "human" if kind == "display" else None
    return env
