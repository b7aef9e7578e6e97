# SPDX-License-Identifier: GPL-2.0-only
"""Who decides: something learned, something written, or chance."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, Protocol

from defiance_zoo.codec.spaces import Space
from defiance_zoo.environments import EnvironmentSpec, SimulationAECEnv
from defiance_zoo.environments.registry import Baseline

SpaceOf = Callable[[str], Space]
"""The action space of an agent, by name."""


class Policy(Protocol):
    """What was learned, without exploration."""

    def reset(self) -> None:
        """Forget the last episode."""

    def act(self, agent: str, observation: Any, info: dict[str, Any]) -> Any:
        """Return an action in the agent's action space; `info` may hold an `action_mask`."""


class RandomPolicy:
    """Draws actions uniformly, of those that an action mask allows."""

    def __init__(self, action_space: SpaceOf, seed: int) -> None:
        """Draw for the agents of an environment.

        Args:
            action_space: Of an agent.
            seed: Agents that appear one after the other draw from `seed`, `seed + 1`, ...
        """
        self._action_space, self._seed = action_space, seed
        self._spaces: dict[str, Space] = {}

    def reset(self) -> None:
        """Go on drawing."""

    def act(self, agent: str, observation: Any, info: dict[str, Any]) -> Any:
        """See `Policy`."""
        if agent not in self._spaces:
            space = copy.deepcopy(self._action_space(agent))  # others draw from the original
            space.seed(self._seed + len(self._spaces))
            self._spaces[agent] = space
        mask = info.get("action_mask")
        return self._spaces[agent].sample(*([] if mask is None else [mask]))


class BaselinePolicy:
    """Decides for each agent by a baseline of the environment."""

    def __init__(self, baseline: Baseline, action_space: SpaceOf) -> None:
        """Decide for the agents of an environment."""
        self._baseline, self._action_space = baseline, action_space
        self._acts: dict[str, Callable[[Any], Any]] = {}

    def reset(self) -> None:
        """Begin anew with each agent."""
        self._acts = {}

    def act(self, agent: str, observation: Any, info: dict[str, Any]) -> Any:
        """See `Policy`."""
        if agent not in self._acts:
            self._acts[agent] = self._baseline(self._action_space(agent))
        return self._acts[agent](observation)


def baselines(spec: EnvironmentSpec, env: SimulationAECEnv, seed: int) -> dict[str, Policy]:
    """Return the policies to compare with, by name: chance, and what the environment brings.

    Args:
        spec: Has the baselines.
        env: Has the agents' action spaces.
        seed: Of chance.
    """
    policies: dict[str, Policy] = {"random": RandomPolicy(env.action_space, seed)}
    for name, baseline in spec.baselines.items():
        policies[name] = BaselinePolicy(baseline, env.action_space)
    return policies
