# SPDX-License-Identifier: GPL-2.0-only
"""Plants: environments of Gymnasium and PettingZoo that run inside the simulation."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from defiance_zoo.bridge.system.imports import import_attribute
from defiance_zoo.errors import NotInScenario
from defiance_zoo.scenario.simulation import refuse

_GPUS = ("/dev/nvidia", "/dev/dri", "/dev/kfd")


class Outcome(NamedTuple):
    """The result of a step for an agent: `terminated` is None while its episode continues."""

    observation: Any
    reward: float
    terminated: bool | None


class Plant(Protocol):
    """An environment with a fixed order of agents.

    Attributes:
        spaces: Observation and action space of each agent.
    """

    spaces: list[tuple[Any, Any]]

    def reset(self, seed: int) -> list[Outcome | None]:
        """Begin an episode; None stands for an agent that does not take part."""

    def step(self, actions: Sequence[Any]) -> list[Outcome | None]:
        """Step with an action for each agent, of which agents that have ended ignore theirs."""


class GymnasiumPlant:
    """A Gymnasium environment, which has one agent; see `Plant`."""

    def __init__(self, env: Any) -> None:
        self._env = env
        self.spaces = [(env.observation_space, env.action_space)]

    def reset(self, seed: int) -> list[Outcome | None]:
        """See `Plant`."""
        return [Outcome(self._env.reset(seed=seed)[0], 0.0, None)]

    def step(self, actions: Sequence[Any]) -> list[Outcome | None]:
        """See `Plant`."""
        return [_outcome(*self._env.step(actions[0])[:4])]


class ParallelPlant:
    """A parallel environment of PettingZoo; see `Plant`."""

    def __init__(self, env: Any) -> None:
        self._env, self._names = env, list(env.possible_agents)
        self.spaces = [(env.observation_space(n), env.action_space(n)) for n in self._names]

    def reset(self, seed: int) -> list[Outcome | None]:
        """See `Plant`."""
        seen, _ = self._env.reset(seed=seed)
        return [Outcome(seen[n], 0.0, None) if n in seen else None for n in self._names]

    def step(self, actions: Sequence[Any]) -> list[Outcome | None]:
        """See `Plant`."""
        live = set(self._env.agents)
        chosen = {n: a for n, a in zip(self._names, actions, strict=True) if n in live}
        seen, rewards, terminated, truncated, _ = self._env.step(chosen)
        return [
            _outcome(seen[n], rewards[n], terminated[n], truncated[n]) if n in live else None
            for n in self._names
        ]


def _outcome(observation: Any, reward: Any, terminated: Any, truncated: Any) -> Outcome:
    over = bool(terminated) if terminated or truncated else None
    return Outcome(observation, float(reward), over)


def make_plant(name: str, arguments: str) -> Plant:
    """Make a plant by its name, with arguments in JSON, or refuse the parameters."""
    try:
        given = dict(**json.loads(arguments))
    except (TypeError, ValueError) as error:
        refuse(f"plant_arguments={arguments!r} is not an object in JSON: {error}")
    try:
        env = _make(name, given)
    except NotInScenario as error:
        refuse(f"plant {name!r} cannot run inside a simulation: {error}")
    if getattr(env, "render_mode", None) == "human":
        refuse(f"plant {name!r} has render_mode='human': a simulation has no display")
    if len(os.listdir("/proc/self/task")) > 1:  # noqa: PTH208 (pathlib takes long to import)
        refuse(f"plant {name!r} has started a thread: a process with threads cannot be copied")
    files = [os.path.realpath(f"/proc/self/fd/{n}") for n in os.listdir("/proc/self/fd")]  # noqa: PTH208
    if any(each.startswith(_GPUS) for each in files):
        refuse(f"plant {name!r} uses a GPU: a process that uses a GPU cannot be copied")
    return _adapt(name, env)


def _make(name: str, arguments: dict[str, Any]) -> Any:
    import gymnasium

    module, _, attribute = name.rpartition(":")
    try:
        if module and attribute.isidentifier():
            return import_attribute(name)(**arguments)
        return gymnasium.make(name, **{"disable_env_checker": True, **arguments})
    except gymnasium.error.Error as error:
        refuse(f"plant {name!r} cannot be made: {error}")
    except ImportError as error:
        refuse(
            f"plant {name!r} cannot be imported: {error}. A plant is an id of Gymnasium, or "
            "module:NAME of a function in an installed module or a module beside your program"
        )


def _adapt(name: str, env: Any) -> Plant:
    if hasattr(env, "possible_agents"):
        if hasattr(env, "agent_iter"):
            from pettingzoo.utils.conversions import aec_to_parallel

            env = aec_to_parallel(env)
        return ParallelPlant(env)
    if not all(hasattr(env, each) for each in ("observation_space", "action_space", "step")):
        refuse(f"plant {name!r} is {env!r}, which is no environment of Gymnasium or PettingZoo")
    return GymnasiumPlant(env)


def neutral_action(space: Any) -> Any:
    """Return the action of a plant that has received none: zeros, or the nearest values."""
    import numpy

    kind = type(space).__name__
    if kind == "Discrete":
        return int(space.start)
    if kind == "Box":
        return numpy.clip(numpy.zeros(space.shape, space.dtype), space.low, space.high)
    if kind == "MultiDiscrete":
        return numpy.array(space.start, space.dtype)
    if kind == "MultiBinary":
        return numpy.zeros(space.shape, space.dtype)
    if kind == "Tuple":
        return tuple(neutral_action(each) for each in space.spaces)
    if kind == "Dict":
        return {key: neutral_action(each) for key, each in space.spaces.items()}
    return refuse(f"a plant cannot have the action space {space!r}: it has no neutral action")


def count_bytes(space: Any) -> int:
    """Return the bytes of the arrays of a space's values."""
    import numpy

    if type(space).__name__ in ("Tuple", "Dict"):
        inner = space.spaces.values() if hasattr(space.spaces, "values") else space.spaces
        return sum(count_bytes(each) for each in inner)
    return int(numpy.prod(space.shape or ()) * numpy.dtype(space.dtype or "O").itemsize)
