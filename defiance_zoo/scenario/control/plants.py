# SPDX-License-Identifier: GPL-2.0-only
"""Plants: environments of Gymnasium and PettingZoo that run inside the simulation."""

from __future__ import annotations

import atexit
import json
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from defiance_zoo.bridge.system.imports import import_attribute
from defiance_zoo.bridge.system.single_process import short_programs
from defiance_zoo.errors import NotInScenario
from defiance_zoo.scenario.simulation import refuse
from defiance_zoo.scenario.spaces import make_space

_GPUS = ("/dev/nvidia", "/dev/dri", "/dev/kfd")


class Outcome(NamedTuple):
    """The news of an agent: `terminated` is None while its episode continues."""

    observation: Any
    reward: float
    terminated: bool | None
    info: Mapping[str, Any] = MappingProxyType({})


class Plant:
    """An environment with a fixed order of agents: a Gymnasium environment, which has one.

    Attributes:
        env: The environment.
        picture: Returns a picture of the environment, an array of shape (height, width, 3).
        spaces: Observation and action space of each agent.
        acting: Numbers of the agents whose actions the next step takes.
        takes_turns: Whether its agents act one after the other.
    """

    takes_turns = False

    def __init__(self, env: Any) -> None:
        self.env, self.picture = env, env.render
        atexit.register(env.close)  # at the end of each copy of this process
        self.acting: Collection[int] = (0,)
        self.spaces = [_possible(*each) for each in self._spaces()]

    def _spaces(self) -> list[tuple[Any, Any]]:
        return [(self.env.observation_space, self.env.action_space)]

    def reset(self, **how: Any) -> list[Outcome | None]:
        """Begin an episode with arguments of `reset()`; None: an agent without news."""
        result = self.env.reset(**how)
        for before, now in zip(self.spaces, self._spaces(), strict=True):
            if before != now:
                raise ValueError(f"the plant was made with the spaces {before}, and now has {now}")
        return self._begin(result)

    def _begin(self, result: Any) -> list[Outcome | None]:
        seen, info = _returned("reset", result, 2)
        return [_outcome(seen, 0.0, False, False, info)]

    def step(self, actions: Sequence[Any]) -> list[Outcome | None]:
        """Step with an action for each agent, of which agents that do not act ignore theirs."""
        return [_outcome(*_returned("step", self.env.step(actions[0]), 5))]


class _TeamPlant(Plant):
    """An environment of PettingZoo."""

    def __init__(self, env: Any) -> None:
        self._numbers = {name: number for number, name in enumerate(env.possible_agents)}
        super().__init__(env)

    def _spaces(self) -> list[tuple[Any, Any]]:
        return [(self.env.observation_space(n), self.env.action_space(n)) for n in self._numbers]


class ParallelPlant(_TeamPlant):
    """A parallel environment of PettingZoo."""

    def _begin(self, result: Any) -> list[Outcome | None]:
        news = _returned("reset", result, 2)
        self._live = live = set(self.env.agents)
        self.acting = [self._numbers[name] for name in self.env.agents]
        found = ((n, _news_of(n, news)) for n in self._numbers if n in live)
        outcomes = {n: _outcome(seen, 0.0, False, False, info) for n, (seen, info) in found}
        return [outcomes.get(n, _ABSENT) for n in self._numbers]

    def step(self, actions: Sequence[Any]) -> list[Outcome | None]:
        live = self._live
        chosen = {name: actions[number] for name, number in self._numbers.items() if name in live}
        news = _returned("step", self.env.step(chosen), 5)
        self._live = set(self.env.agents)
        for name in sorted(self._live - live):
            raise ValueError(
                f"agent {name!r} of the plant joins after reset(), which agents of plants cannot do"
            )
        self.acting = [self._numbers[name] for name in self.env.agents]
        outcomes = {}
        for n in live:
            seen, reward, terminated, truncated, info = _news_of(n, news)
            is_late = truncated or n not in self._live
            outcomes[n] = _outcome(seen, reward, terminated, is_late, info)
        return [outcomes.get(n) for n in self._numbers]


class TurnPlant(_TeamPlant):
    """An AEC environment of PettingZoo whose agents act in turn."""

    takes_turns = True

    def _begin(self, result: Any) -> list[Outcome | None]:
        return self._go_on()

    def step(self, actions: Sequence[Any]) -> list[Outcome | None]:
        self.env.step(actions[self._numbers[self.env.agent_selection]])
        return self._go_on()

    def _go_on(self) -> list[Outcome | None]:
        """Let agents leave that have ended, until another one has to act."""
        news: list[Outcome | None] = [None] * len(self._numbers)
        self.acting = ()
        while self.env.agents and not self.acting:
            number = self._numbers[self.env.agent_selection]
            news[number] = outcome = _outcome(*self.env.last())
            if outcome.terminated is None:
                self.acting = (number,)
            else:
                self.env.step(None)
        return news if self.env.agents else [each or _ABSENT for each in news]


_ABSENT = Outcome(None, 0.0, True)
"""The news of an agent that takes no part, or whose end was reported."""


def _possible(*spaces: Any) -> Any:
    """Return spaces, or refuse those that no agent can have."""
    for each in spaces:
        try:
            make_space(each)
        except (TypeError, ValueError) as error:
            refuse(f"a plant cannot have this space: {error}")
    neutral_value(spaces[1])
    return spaces


def _returned(method: str, result: Any, count: int) -> Any:
    """Return the result of a method of a plant, a tuple of this length."""
    if not isinstance(result, tuple) or len(result) != count:
        raise TypeError(
            f"{method}() of the plant returns {result!r}, but should return {count} values, as in "
            "Gymnasium from 0.26 on"
        )
    return result


def _news_of(agent: str, news: Sequence[Mapping[str, Any]]) -> list[Any]:
    """Return an agent's values of a result, of which the last one, its info, may be missing."""
    *parts, infos = news
    if any(agent not in each for each in parts):
        raise ValueError(f"the plant returns no news of its agent {agent!r}")
    return [*(each[agent] for each in parts), infos.get(agent, {})]


def _outcome(
    observation: Any, reward: Any, terminated: Any, truncated: Any, info: Mapping[str, Any]
) -> Outcome:
    if not isinstance(info, Mapping):
        raise TypeError(f"the plant returns the info {info!r}, which is not a dict")
    over = bool(terminated) if terminated or truncated else None
    if observation is None and over is None:
        raise ValueError("the plant returns None as the observation of an agent that continues")
    return Outcome(observation, float(reward), over, info)


def read_arguments(name: str, text: str) -> dict[str, Any]:
    """Return the arguments that a parameter gives to a plant in JSON, or refuse them."""
    try:
        return dict(**json.loads(text))
    except (TypeError, ValueError) as error:
        refuse(f"{name}={text!r} is not an object in JSON: {error}")


def reset_arguments(seed: int, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a plant's `reset()`, which may have no `options`."""
    return {"seed": seed, **({"options": copied(dict(options))} if options else {})}


def make_plant(
    plant: str | Callable[..., Any], arguments: Mapping[str, Any], pictures: bool = False
) -> Plant:
    """Make a plant by its name or by a function, or refuse the parameters."""
    drawing = {"render_mode": "rgb_array"} if pictures else {}
    try:
        with short_programs():
            env = _make(plant, {**drawing, **arguments})
    except NotInScenario as error:
        refuse(f"plant {plant!r} cannot run inside a simulation: {error}")
    if getattr(env, "render_mode", None) == "human":
        refuse(f"plant {plant!r} has render_mode='human': a simulation has no display")
    if len(os.listdir("/proc/self/task")) > 1:  # noqa: PTH208 (pathlib takes long to import)
        refuse(f"plant {plant!r} has started a thread: a process with threads cannot be copied")
    files = [os.path.realpath(f"/proc/self/fd/{n}") for n in os.listdir("/proc/self/fd")]  # noqa: PTH208
    if any(each.startswith(_GPUS) for each in files):
        refuse(f"plant {plant!r} uses a GPU: a process that uses a GPU cannot be copied")
    return _adapt(plant, env)


def _make(plant: str | Callable[..., Any], arguments: dict[str, Any]) -> Any:
    import gymnasium

    try:
        if not isinstance(plant, str):
            return plant(**arguments)
        module, _, attribute = plant.rpartition(":")
        if module and attribute.isidentifier():
            return import_attribute(plant)(**arguments)
        return _make_registered(plant, arguments)
    except gymnasium.error.Error as error:
        refuse(f"plant {plant!r} cannot be made: {error}")
    except TypeError as error:
        is_of_call = error.__traceback__ is None or error.__traceback__.tb_next is None
        if not (arguments or is_of_call):
            raise
        refuse(f"plant {plant!r} cannot be made with {arguments}: {error}")
    except ImportError as error:
        file, is_file, name = str(plant).partition(".py:")
        folder, _, module = file.rpartition("/")
        hint = f" (did you mean {module}:{name}, from the folder {folder or '.'}?)"
        here = os.getcwd()  # noqa: PTH109 (pathlib takes long to import)
        refuse(
            f"plant {plant!r} cannot be imported: {error}{hint if is_file else ''}. A plant is an "
            "id of Gymnasium or PettingZoo, or module:NAME of a function in a module that is "
            "installed, in PYTHONPATH, beside your program or, for commands, in the current "
            f"folder, {here}"
        )


def _make_registered(name: str, arguments: dict[str, Any]) -> Any:
    import gymnasium

    if name.count(":") > 1 or name.startswith(":"):
        refuse(f"plant {name!r} needs one colon, after a module: give module:NAME, or module:ID")
    if name not in gymnasium.registry and ":" not in name:
        import pettingzoo

        for kind in ("parallel", "aec"):
            if name in getattr(pettingzoo, f"{kind}_registry", ()):  # from 1.27 on
                return pettingzoo.make(kind, name, **arguments)
    return gymnasium.make(name, **{"disable_env_checker": True, **arguments})


def _adapt(plant: Any, env: Any) -> Plant:
    if hasattr(env, "possible_agents"):
        agents = list(env.possible_agents)
        if not agents or len(set(agents)) < len(agents):
            refuse(f"plant {plant!r} has the agents {agents}: it needs one or more, and each once")
        if not hasattr(env, "agent_iter"):
            return ParallelPlant(env)
        if not env.metadata.get("is_parallelizable"):
            return TurnPlant(env)
        from pettingzoo.utils.conversions import aec_to_parallel

        return ParallelPlant(aec_to_parallel(env))
    needed = ("observation_space", "action_space", "reset", "step", "render", "close")
    missing = " and no ".join(each for each in needed if not hasattr(env, each))
    if missing:
        kind = "which is no environment of Gymnasium or PettingZoo: it"
        refuse(f"plant {plant!r} is {env!s:.200}, {kind} has no {missing}")
    if hasattr(env, "num_envs"):
        refuse(f"plant {plant!r} is a vector of environments: give one, and plants=N for several")
    return Plant(env)


def neutral_value(space: Any) -> Any:
    """Return zeros, or the nearest values of a space: what stands for a missing action."""
    import numpy

    kind = type(space).__name__
    if kind == "Discrete":
        return int(min(max(0, space.start), space.start + space.n - 1))
    if kind == "Box":
        return numpy.clip(numpy.zeros(space.shape, space.dtype), space.low, space.high)
    if kind == "MultiDiscrete":
        return numpy.clip(0, space.start, space.start + space.nvec - 1).astype(space.dtype)
    if kind == "MultiBinary":
        return numpy.zeros(space.shape, space.dtype)
    if kind == "Tuple":
        return tuple(neutral_value(each) for each in space.spaces)
    if kind == "Dict":
        return {key: neutral_value(each) for key, each in space.spaces.items()}
    return refuse(f"a plant cannot have the space {space!r}: it has no neutral value")


def copied(value: Any) -> Any:
    """Return a copy of a value: plants change arrays, lists and dicts, and use them again."""
    if isinstance(value, dict):
        return {key: copied(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return (list if isinstance(value, list) else tuple)(map(copied, value))
    return value.copy() if hasattr(value, "copy") else value


def as_message(value: Any) -> Any:
    """Return a copy of a value that a message may hold: a number in place of NumPy's."""
    value = copied(value)
    return value.item() if getattr(value, "shape", None) == () else value


def flattened(prefix: str, infos: Mapping[str, Any]) -> dict[str, Any]:
    """Return infos with a prefix, and those of dicts inside, as messages may hold them."""
    found: dict[str, Any] = {}
    for key, value in infos.items():
        name = f"{prefix}_{key}"
        is_inner = isinstance(value, Mapping)
        found |= flattened(name, value) if is_inner else {name: as_message(value)}
    return found


def count_bytes(space: Any) -> int:
    """Return the bytes of the arrays and texts of a space's values, at most."""
    import numpy

    kind = type(space).__name__
    if kind == "Text":
        return int(space.max_length) * max(len(each.encode()) for each in space.character_list)
    if kind in ("Tuple", "Dict"):
        inner = space.spaces.values() if hasattr(space.spaces, "values") else space.spaces
        return sum(count_bytes(each) for each in inner)
    return int(numpy.prod(space.shape or ()) * numpy.dtype(space.dtype or "O").itemsize)
