# SPDX-License-Identifier: GPL-2.0-only
"""Policies: hand-written, random, or trained for one unit of an agent."""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection, Mapping
from typing import Any

from gymnasium.spaces import Box

from defiance_zoo.bridge.codec.masks import read_mask, sample
from defiance_zoo.bridge.codec.spaces import Space
from defiance_zoo.environments import Baseline, Division, EnvironmentSpec, Policy
from defiance_zoo.errors import ParameterError

SpaceOf = Callable[[str], Space]
"""The action space of an agent, by name."""

Spaces = tuple[Space, Space]
"""The observation and the action space of an agent."""


class RandomPolicy:
    """Draws actions uniformly from the actions that a mask allows."""

    def __init__(self, action_space: SpaceOf, seed: int) -> None:
        """Draw for the agents of an environment.

        Args:
            action_space: Action space of an agent.
            seed: The first agent draws from `seed`, the next one from `seed + 1`, ...
        """
        self._action_space, self._seed = action_space, seed
        self._spaces: dict[str, Space] = {}

    def reset(self) -> None:
        """Continue with the same generators."""

    def act(self, agent: str, observation: Any, info: dict[str, Any]) -> Any:
        """See `Policy`."""
        if agent not in self._spaces:
            space = copy.deepcopy(self._action_space(agent))  # others use the original generator
            space.seed(self._seed + len(self._spaces))
            self._spaces[agent] = space
        space = self._spaces[agent]
        return sample(space, read_mask(agent, space, observation, info))


class BaselinePolicy:
    """Decides for each agent, or for each of its units, by a baseline of the environment."""

    def __init__(
        self,
        baseline: Baseline,
        action_space: SpaceOf,
        divisions: Mapping[str, Division] | None = None,
    ) -> None:
        """Decide for the agents of an environment.

        Args:
            baseline: Makes the policy of one unit.
            action_space: Action space of an agent.
            divisions: Divisions by agent; other agents have one unit.
        """
        self._baseline, self._action_space = baseline, action_space
        self._divisions = divisions or {}
        self._acts: dict[str, Callable[[Any], Any]] = {}

    def reset(self) -> None:
        """Reset the policy of each agent."""
        self._acts = {}

    def act(self, agent: str, observation: Any, info: dict[str, Any]) -> Any:
        """See `Policy`."""
        if agent not in self._acts:
            self._acts[agent] = self._make(agent)
        return self._acts[agent](observation)

    def _make(self, agent: str) -> Callable[[Any], Any]:
        division = self._divisions.get(agent)
        if division is None:
            return self._baseline(self._action_space(agent))
        acts = [self._baseline(division.action_space) for _ in division.agents]

        def act(observation: Any) -> Any:
            parts = zip(acts, division.split(observation), strict=True)
            return division.join([each(part) for each, part in parts])

        return act


class DividedPolicy:
    """Applies a policy for one unit to each unit of agents with several units."""

    def __init__(self, policy: Policy, divisions: Mapping[str, Division]) -> None:
        """Decide for the agents of an environment.

        Args:
            policy: Policy for one unit.
            divisions: Divisions by agent; other agents have one unit.
        """
        self._policy, self._divisions = policy, divisions

    def reset(self) -> None:
        """Reset the policy of each unit."""
        self._policy.reset()

    def act(self, agent: str, observation: Any, info: dict[str, Any]) -> Any:
        """See `Policy`."""
        division = self._divisions.get(agent)
        if division is None:
            return self._policy.act(agent, observation, info)
        parts = zip(division.agents, division.split(observation), strict=True)
        return division.join([self._policy.act(name, part, info) for name, part in parts])


def divide_agents(spec: EnvironmentSpec, agents: Mapping[str, Spaces]) -> dict[str, Division]:
    """Return the divisions of the agents that decide for several units."""
    divisions = {name: spec.divide(*each) if spec.divide else None for name, each in agents.items()}
    return {name: each for name, each in divisions.items() if each is not None}


def find_divisions(
    spec: EnvironmentSpec, agents: Mapping[str, Spaces], trained: Collection[Spaces]
) -> dict[str, Division]:
    """Return the divisions of agents for which a policy decides unit by unit.

    Args:
        spec: Specification of the environment.
        agents: Agents of the environment.
        trained: Spaces of the agents in the policy's training.

    Raises:
        ParameterError: The policy cannot decide for an agent with other spaces.
    """
    divisions, possible = {}, divide_agents(spec, agents)
    for agent, spaces in agents.items():
        if _are_known(spaces, trained):
            continue
        division = possible.get(agent)
        if division is None or not _are_known(
            (division.observation_space, division.action_space), trained
        ):
            require_spaces({agent: spaces}, trained)
        else:
            divisions[agent] = division
    return divisions


def require_spaces(agents: Mapping[str, Spaces], trained: Collection[Spaces]) -> None:
    """Refuse agents for which a policy cannot decide.

    Args:
        agents: Spaces of the agents.
        trained: Spaces of the agents in the policy's training.

    Raises:
        ParameterError: An agent has other spaces.
    """
    for agent, spaces in agents.items():
        if not _are_known(spaces, trained):
            raise ParameterError(
                f"{agent} has {_write(spaces)}; the policy was trained with "
                f"{' and with '.join(dict.fromkeys(map(_write, trained)))}"
            )


def _are_known(spaces: Spaces, trained: Collection[Spaces]) -> bool:
    return any(_are_alike(spaces[0], each[0]) and bool(spaces[1] == each[1]) for each in trained)


def _are_alike(one: Space, other: Space) -> bool:
    """Return whether observation spaces are equal except for bounds, which networks ignore."""
    if isinstance(one, Box) and isinstance(other, Box):
        return one.shape == other.shape and one.dtype == other.dtype
    return bool(one == other)


def _write(spaces: Spaces) -> str:
    seen = spaces[0]
    observed = f"{seen.dtype}{list(seen.shape)}" if isinstance(seen, Box) else str(seen)
    return f"observations {observed} and actions {spaces[1]}"
