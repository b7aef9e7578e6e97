# SPDX-License-Identifier: GPL-2.0-only
"""Arguments that every environment takes in addition to the scenario's parameters."""

from __future__ import annotations

from collections.abc import Collection
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
)
from defiance_zoo.bridge.system.plain_values import plain_value
from defiance_zoo.errors import ParameterError, ReservedName


class LaunchArguments(TypedDict, total=False):
    """Arguments that start simulations; see `LaunchSettings`.

    Attributes:
        launch: `fork` (default), `spawn` or `attach`.
        timeout: Longest wait for the next message of a simulation in seconds; default 60.
        attach_timeout: Seconds to wait for a simulation that is started by hand; default 3600.
        announce: With `attach`, called with the `StartCommand` instead of printing it.
        output: `tail` (default) or `show`.
        endpoint: `tcp://host:port`; default a private `ipc://` socket.
        curve: Keys, needed if `endpoint` can be reached from other machines.
        link: `zmq` (default) or `local`.
        spin_us: Microseconds for which both sides of a local link poll for the next message before
            they sleep; default None: only simulations poll, as long as polling pays off.
        affinity: `free` (default), `shared` or `spread`: the cores on which simulations run.
        max_snapshots: Maximum number of snapshots of the environment at a time; default 64.
        communication_infos: Whether infos report the messages between RL applications.
        communication_report: Whether `communication_report()` reports these messages.
        check_bounds: When observations are compared with the bounds of their space: `auto`
            (default), `always` or `never`.
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

    Raises:
        ParameterError: A launch argument is not allowed.
        DefianceZooError: As in `Scenario.command()`.

    Warns:
        MissingUnitWarning: A parameter lacks a unit.
    """
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
        *("acted", "alive", "deciding", "env_id", "episode", "failure", "initial_reward"),
        *("final_info", "final_obs", "final_observation", "sim_time_ns"),
        *("terminal_observation", "TimeLimit.truncated"),
    )
)
"""Infos that environments and adapters add."""

_AGENTS = frozenset({"", "__all__"})
"""The name of rows without an agent, and RLlib's name for all agents."""


def require_free_parameters(scenario: str, declared: Collection[str]) -> None:
    """Refuse parameters that an interface or an adapter takes for its own arguments.

    Raises:
        ReservedName: One has such a name.
    """
    if hidden := (RESERVED | _OF_ADAPTERS).intersection(declared):
        raise ReservedName(
            f"scenario {scenario!r} declares {sorted(hidden)}, which are arguments of "
            "environments or of their adapters; give its parameters other names"
        )


def require_free_agent(name: str) -> None:
    """Refuse an agent's name that has another meaning in an interface.

    Raises:
        ReservedName: The name is reserved.
    """
    if name in _AGENTS:
        raise ReservedName(f"an agent is called {name!r}, which environments use; rename it")


def require_free_infos(agent: str, names: Collection[str]) -> None:
    """Refuse infos that environments add, or that vectors would mistake for their flags.

    Raises:
        ReservedName: One has such a name.
    """
    hidden = sorted(name for name in names if name in _INFOS or name.startswith("_"))
    if hidden:
        raise ReservedName(
            f"{agent} has infos {hidden}, whose names environments or their adapters use (and "
            "all names that begin with an underscore); rename them in the scenario"
        )
