# SPDX-License-Identifier: GPL-2.0-only
"""Hand-written policies of an environment, and the functions that make them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from numbers import Real
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
from gymnasium import spaces

from defiance_zoo.bridge.codec.spaces import Space, element_names
from defiance_zoo.bridge.system.plain_values import plain_value
from defiance_zoo.bridge.system.spelling import known_words
from defiance_zoo.environments.aec import SimulationAECEnv
from defiance_zoo.errors import ParameterError


class Policy(Protocol):
    """Decides for all agents of an environment, without exploration.

    A policy without a state may derive from this class, and leave `reset()` out.
    """

    def reset(self) -> None:
        """Forget the last episode."""
        return  # for policies without a state

    def act(self, agent: str, observation: Any, info: dict[str, Any]) -> Any:
        """Return an action in the agent's action space; `info` may hold an `action_mask`."""


Baseline = Callable[[Space], Callable[[Any], Any]]
"""Makes a hand-written policy (from observation to action) for the action space of an agent, or of
each unit of an agent that `EnvironmentSpec.divide` divides."""


PolicyKind = Literal["trained", "hand-written", "reference"]
"""Kind of a policy. A `reference` knows the future, as `lookahead` does from copies of the
simulation, or what agents do not observe, so no deployed policy can be compared with it."""


@dataclass(frozen=True)
class NoOptions:
    """The options of a policy that has none."""


def bounded(default: float, low: float, high: float = math.inf, unit: str = "") -> Any:
    """Return a field of `BoundedOptions`: a number within inclusive bounds, in a unit."""
    return field(default=default, metadata={"bounds": (low, high, unit)})


@dataclass(frozen=True)
class BoundedOptions:
    """The options of a policy. Numbers beyond the bounds of their fields raise `ParameterError`."""

    def __post_init__(self) -> None:
        for each in fields(self):
            if "bounds" in each.metadata:
                value, (low, high, unit) = getattr(self, each.name), each.metadata["bounds"]
                if not isinstance(value, Real) or not low <= value <= high:
                    allowed = (
                        f"at least {low:g}" if math.isinf(high) else f"from {low:g} to {high:g}"
                    )
                    raise ParameterError(f"{each.name}={value!r} must be {allowed} {unit}".rstrip())


@dataclass(frozen=True)
class PolicyMaker:
    """Makes a policy that may need the environment in which it plays, and options.

    Attributes:
        make: Returns a policy for an environment, a seed and an object of the class `options`.
            Equal arguments make policies that decide equally.
        module: Name of the module whose code decides.
        options: A frozen dataclass of the options. Each option has a default; making an object with
            an invalid option raises `ParameterError`.
        costly: Whether it plays only when it is named, for example because it takes long.
        kind: What the policy is. Leaderboards compare trained policies with hand-written ones.
        check: Raises `ParameterError` for options that this environment does not allow.
        files: Returns the files besides the module on which decisions depend, for options. Studies
            play their cells again if such a file changes.
    """

    make: Callable[[SimulationAECEnv, int, Any], Policy]
    module: str
    options: type = NoOptions
    costly: bool = False
    kind: PolicyKind = "hand-written"
    check: Callable[[Any], None] = lambda _options: None
    files: Callable[[Any], Sequence[Path]] = lambda _options: ()

    def read_options(self, values: Mapping[str, Any]) -> Any:
        """Return options from their names and values; other options have their defaults.

        Raises:
            ParameterError: There is no option of a name, or its value is not allowed.
        """
        known = [each.name for each in fields(self.options)]
        for name in values:
            if name not in known:
                raise ParameterError(f"no option {name!r}{known_words(name, known)}")
        options = self.options(**plain_value(dict(values)))
        self.check(options)
        return options


@dataclass(frozen=True)
class Division:
    """The division of an agent that decides for several units into an agent for each.

    Attributes:
        agents: Names for the agents of the units.
        observation_space: Observation space of each of them.
        action_space: Action space of each of them.
        split: Splits the agent's observation into theirs, in the order of `agents`.
        join: Joins their actions into the agent's.
    """

    agents: tuple[str, ...]
    observation_space: Space
    action_space: Space
    split: Callable[[Any], Sequence[Any]]
    join: Callable[[Sequence[Any]], Any]


Divide = Callable[[Space, Space], Division | None]
"""Returns the division for an agent's observation and action space; None: the agent is one unit."""


def divide_by_device(observation_space: Space, action_space: Space) -> Division | None:
    """Divide an agent that decides for all devices (`placement="central"`).

    A box of one axis as action space may also hold the numbers of one device. It is divided only if
    the names of the observation's elements end with the number of the device: `queue_0`, `queue_1`.

    Args:
        observation_space: A box with equally many numbers for each device, one device after the
            other. Names of its elements, if there are any, end with the number of the device.
        action_space: A choice for each device, as `MultiDiscrete`; or a number for each, as a box
            of one axis; or a vector for each, as a box of shape (devices, numbers).

    Returns:
        The division; None if the spaces have another form, or are of one device.
    """
    shape, unit = action_space.shape or (), _unit_action(action_space)
    if unit is None or not isinstance(observation_space, spaces.Box):
        return None
    devices = shape[0]
    is_vector = isinstance(action_space, spaces.Box) and len(shape) == 1
    if not _is_of_devices(observation_space, devices, named=is_vector):
        return None
    size = len(observation_space.low) // devices
    low, high = observation_space.low[:size], observation_space.high[:size]

    def split(observation: Any) -> Sequence[Any]:
        return list(np.reshape(observation, (devices, size)))

    def join(actions: Sequence[Any]) -> Any:
        return np.array(actions, action_space.dtype).reshape(shape)

    return Division(
        agents=tuple(f"agent_{device}" for device in range(devices)),
        observation_space=spaces.Box(low, high, dtype=low.dtype.type),
        action_space=unit,
        split=split,
        join=join,
    )


def _is_of_devices(space: spaces.Box, devices: int, *, named: bool) -> bool:
    """Return whether a space has equally many elements for each device."""
    if len(space.low.shape) != 1 or len(space.low) % devices:
        return False
    size, names = len(space.low) // devices, element_names(space)
    if not names:
        return not named
    return devices == 1 or all(
        name.endswith(f"_{index // size}") for index, name in enumerate(names)
    )


def _unit_action(action_space: Space) -> Space | None:
    """Return the action space of one device; None if the space is for one device."""
    if isinstance(action_space, spaces.MultiDiscrete) and action_space.nvec.ndim == 1:
        return spaces.Discrete(int(action_space.nvec[0]), start=int(action_space.start[0]))
    axes = len(action_space.shape or ())
    if not isinstance(action_space, spaces.Box) or axes == 0 or action_space.shape == (1,):
        return None
    first = slice(1) if axes == 1 else 0
    low, high = action_space.low[first], action_space.high[first]
    return spaces.Box(low, high, dtype=low.dtype.type)
