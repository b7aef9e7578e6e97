# SPDX-License-Identifier: GPL-2.0-only
"""Arguments and options that every environment takes in addition to the scenario's parameters."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, TypedDict

from defiance_zoo.bridge.simulation import (
    Affinity,
    Announce,
    CheckBounds,
    CurveKeys,
    Endpoint,
    Launch,
    LaunchSettings,
    LinkKind,
    Output,
    Scenario,
    near_parameter,
)
from defiance_zoo.bridge.system.plain_values import plain_value, require_type
from defiance_zoo.errors import ParameterError, ReservedName, UnknownParameter


class LaunchArguments(TypedDict, total=False):
    """Arguments that start simulations; `LaunchSettings` describes them.

    Here `timeout` and `attach_timeout` are the settings with a unit in their names, and `endpoint`
    (`tcp://host:port`; default a private `ipc://` socket) and `curve` (keys, needed if the endpoint
    can be reached from other machines) are its `Endpoint`.
    """

    launch: Launch
    timeout: float
    attach_timeout: float
    announce: Announce
    output: Output
    endpoint: str | None
    curve: CurveKeys | None
    link: LinkKind
    spin_us: float | None
    affinity: Affinity
    max_snapshots: int
    communication_infos: bool
    communication_report: bool
    check_bounds: CheckBounds


def split_arguments(
    arguments: dict[str, Any], scenario: Scenario
) -> tuple[LaunchSettings, dict[str, Any]]:
    """Separate the arguments that start simulations from the parameters of the scenario.

    NumPy's numbers and texts become Python's.
    """
    require_type("scenario", scenario, Scenario)
    arguments = plain_value(arguments)
    ours = {name: arguments[name] for name in LaunchArguments.__annotations__ if name in arguments}
    parameters = {name: value for name, value in arguments.items() if name not in ours}
    endpoint = Endpoint(ours.pop("endpoint", None), ours.pop("curve", None))
    for name, unit in (("timeout", "seconds"), ("attach_timeout", "seconds"), ("spin_us", "us")):
        if name in ours:
            value = ours.pop(name)
            if value is None and name == "spin_us":
                continue
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise ParameterError(f"{name}={value!r} is not a number of {unit}")
            ours[name if name.endswith("_us") else f"{name}_s"] = float(value)
    named = {**scenario.defaults, **parameters}
    scenario.warn_of_units(named, named)
    return LaunchSettings(endpoint=endpoint, **ours), parameters


def prefer_local_link(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return arguments with `link="local"`, unless they set `link` or contradict it."""
    if arguments.get("endpoint") is not None or arguments.get("launch") == "attach":
        return arguments
    return {"link": "local", **arguments}


RESERVED = frozenset(LaunchArguments.__annotations__) | {
    "api",
    "max_cycles",
    "record",
    "render_mode",
    "renderer",
    "rounds",
    "scenario",
    "translate_options",
}
"""Names that a scenario cannot give to its parameters, because environments take them."""

_OF_ADAPTERS = frozenset(
    (
        *("self", "name", "spec"),  # of functions that make environments
        *("id", "max_episode_steps", "disable_env_checker"),  # of gymnasium.make()
        *("vectorization_mode", "vector_kwargs", "wrappers", "num_envs"),  # of make_vec()
        *("autoreset_mode", "batch_size", "copy", "max_agents", "reset_mask", "resumable"),
        *("compute_reward", "n_envs", "seed", "restart_on_failure"),  # of SB3's vectors
        *("action_masks", "encode", "policies"),  # of RLlib's configuration
    )
)
"""Names that a scenario cannot give to its parameters, because adapters of libraries take them."""

_INFOS = frozenset(
    (
        *("acted", "after_reset", "alive", "deciding", "env_id", "episode", "failure"),
        *("final_info", "final_obs", "final_observation", "initial_reward", "sim_time_ns"),
        *("terminal_observation", "TimeLimit.truncated"),
    )
)
"""Infos that environments and adapters add."""

_AGENTS = frozenset({"", "__all__"})
"""The name of rows without an agent, and RLlib's name for all agents."""


def require_free_parameters(scenario: str, declared: Collection[str]) -> None:
    """Refuse parameters that an interface or an adapter takes for its own arguments."""
    if hidden := (RESERVED | _OF_ADAPTERS).intersection(declared):
        raise ReservedName(
            f"scenario {scenario!r} declares {sorted(hidden)}, which are arguments of "
            "environments or of their adapters; give its parameters other names"
        )


def require_free_agent(name: str) -> None:
    """Refuse an agent's name that has another meaning in an interface."""
    if name in _AGENTS:
        raise ReservedName(f"an agent is called {name!r}, which environments use; rename it")


def require_free_infos(agent: str, names: Collection[str]) -> None:
    """Refuse infos that environments add, or that vectors would mistake for their flags."""
    hidden = sorted(name for name in names if name in _INFOS or name.startswith("_"))
    if hidden:
        raise ReservedName(
            f"{agent} has infos {hidden}, whose names environments or their adapters use (and "
            "all names that begin with an underscore); rename them in the scenario"
        )


Options = Mapping[str, Any]
OptionsToParameters = Callable[[Options], dict[str, Any]]

_OF_TESTS = "options"
"""An option in PettingZoo's tests, which no environment knows."""


def require_mapping(name: str, value: Any) -> Options:
    """Return a mapping; None: an empty one."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise ParameterError(f"{name}={value!r} is of type {type(value).__name__}: give a dict")
    return value


def require_unlike(name: object, known: Collection[str]) -> None:
    """Refuse an unknown option that may be a misspelt one."""
    if not isinstance(name, str) or name == _OF_TESTS:
        return
    if name in RESERVED:
        raise ParameterError(
            f"{name!r} is no option of reset(), but an argument of the environment, for all its "
            "episodes: give it to make()"
        )
    if near := near_parameter(name, known):
        raise UnknownParameter(f"reset() has no option {name!r}{near}")


class _Watched(Options):
    """Options that remember which of them were read."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self.read: set[str] = set()

    def __getitem__(self, name: str) -> Any:
        value = self._options[name]
        self.read.add(name)
        return value

    def __iter__(self) -> Iterator[str]:
        return iter(self._options)

    def __len__(self) -> int:
        return len(self._options)


def read_options(
    options: Options | None, declared: Collection[str], translate: OptionsToParameters | None
) -> dict[str, Any]:
    """Return the scenario parameters of one episode, from the options of `reset()`.

    `translate` turns other options into parameters; an option that it does not read is unknown.
    """
    given = require_mapping("options", options)
    changes = {name: value for name, value in given.items() if name in declared}
    watched = _Watched(given)
    if translate is not None:
        changes.update(translate(watched))
    for name in given:
        if name not in changes and name not in watched.read:
            require_unlike(name, declared)
    return changes
