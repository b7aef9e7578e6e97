# SPDX-License-Identifier: GPL-2.0-only
"""Specifications of environments, and their interfaces by name."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal, overload

import gymnasium
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper

from defiance_zoo.bridge.process.programs import is_python
from defiance_zoo.bridge.simulation import (
    Affinity,
    CheckBounds,
    Launch,
    LinkKind,
    Output,
    Rounds,
    Scenario,
)
from defiance_zoo.bridge.system.imports import import_attribute, import_named
from defiance_zoo.bridge.system.spelling import known_words, require_choice
from defiance_zoo.environments.aec import SimulationAECEnv
from defiance_zoo.environments.arguments import (
    OptionsToParameters,
    prefer_local_link,
    split_arguments,
)
from defiance_zoo.environments.episodes.episodes import Episodes
from defiance_zoo.environments.parallel import SimulationParallelEnv
from defiance_zoo.environments.pettingzoo_base import open_episodes
from defiance_zoo.environments.policies import Baseline, Divide, PolicyMaker
from defiance_zoo.environments.rendering.renderer import Renderer, RenderMode, to_render
from defiance_zoo.environments.vector.interface import VectorOptions
from defiance_zoo.environments.vector.pool import SimulationPool
from defiance_zoo.environments.vector.vector_environments import (
    MultiAgentVectorEnv,
    SimulationVectorEnv,
)
from defiance_zoo.errors import ParameterError, UnknownEnvironment
from defiance_zoo.registration import ENTRIES, registered


@dataclass(frozen=True)
class EnvironmentSpec:
    """An environment: a scenario, and its renderer, baselines and description.

    Attributes:
        name: Name with the version, such as `cart_pole_v0`.
        scenario: The simulated scenario.
        renderer: Draws it.
        translate_options: Turns options of `reset()` into scenario parameters; see `Episodes`.
        baselines: Policies that do not learn, by name, for comparison. A function of the action
            space is called anew for each agent and episode; a `PolicyMaker` makes a policy that
            needs the environment, or infos.
        divide: Divides agents that decide for several units; policies of one unit then play them.
        common_reward: Whether such an agent earns what the agent of each unit would earn, such as
            the mean of all units, and not the sum over its units.
        description: Description in a line.
        leaderboard: The file that defines its leaderboard; see docs/reference/leaderboard.md.
        trained: A trained policy file that is installed with it; see docs/training/export.md.
        graphs: Baselines as operators for policy files, as `module:Class`; see
            docs/training/residual.md.
    """

    name: str
    scenario: Scenario
    renderer: Renderer = field(default_factory=Renderer)
    translate_options: OptionsToParameters | None = None
    baselines: Mapping[str, Baseline | PolicyMaker] = field(default_factory=dict)
    divide: Divide | None = None
    common_reward: bool = False
    description: str = ""
    leaderboard: Path | None = None
    trained: Path | None = None
    graphs: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Take copies, which do not change with the given mappings, and can be copied again."""
        for name in ("baselines", "graphs"):
            object.__setattr__(self, name, dict(getattr(self, name)))

    @property
    def played(self) -> EnvironmentSpec:
        """The specification without policies, which may be functions that cannot be pickled."""
        return replace(self, baselines={}, divide=None)

    def episodes(self, rounds: Rounds, **arguments: Any) -> Episodes:
        """Return bare episodes, for adapters with their own interface."""
        return open_episodes(self.scenario, rounds, **self._complete(arguments))

    def _complete(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return arguments with those that are fixed; refuse other values for them."""
        _refuse_fixed(arguments)
        fixed = {"renderer": self.renderer, "translate_options": self.translate_options}
        return {**arguments, **fixed}

    def pool(
        self, count: int, rounds: Rounds, *, render_mode: str | None = None, **arguments: Any
    ) -> SimulationPool:
        """Return simulations side by side, over a local link unless arguments say otherwise."""
        arguments = self._complete(arguments)
        options = _take(arguments, _POOL_OPTIONS)
        arguments = to_render(render_mode, self.renderer, arguments)
        settings, parameters = split_arguments(prefer_local_link(arguments), self.scenario)
        return SimulationPool(
            count,
            self.scenario,
            parameters,
            rounds=rounds,
            settings=settings,
            render_mode=render_mode,
            **options,
        )

    def raw_env(self, /, **arguments: Any) -> SimulationAECEnv:
        """Return the AEC environment without PettingZoo's checking wrappers.

        Args:
            **arguments: Arguments of every environment, and parameters of the scenario.

        Raises:
            ParameterError: An argument is unknown or not allowed.
        """
        return SimulationAECEnv(self.scenario, **self._complete(arguments))

    def env(self, /, **arguments: Any) -> SimulationAECEnv:
        """Return the AEC environment in PettingZoo's usual wrappers; see `raw_env`."""
        wrapped: Any = OrderEnforcingWrapper(AssertOutOfBoundsWrapper(self.raw_env(**arguments)))
        env: SimulationAECEnv = wrapped  # the wrappers forward every public name
        return env

    def parallel_env(self, /, **arguments: Any) -> SimulationParallelEnv:
        """Return the parallel environment; arguments and errors as for `raw_env`."""
        return SimulationParallelEnv(self.scenario, **self._complete(arguments))

    def vector_env(self, num_envs: int, **arguments: Any) -> SimulationVectorEnv:
        """Return Gymnasium's vector environment; arguments as for `make_vec()`."""
        _refuse_fixed(arguments, *_FIXED_IN_VECTORS)
        options = _take(arguments, _VECTOR_OPTIONS)
        return SimulationVectorEnv(self.pool(num_envs, "sequential", **arguments), **options)

    def multi_agent_vector_env(self, num_envs: int, **arguments: Any) -> MultiAgentVectorEnv:
        """Return simulations of many agents each; arguments as for `make_vec()`."""
        _refuse_fixed(arguments, *_FIXED_IN_VECTORS)
        options = _take(arguments, (*_VECTOR_OPTIONS, "max_agents"))
        return MultiAgentVectorEnv(self.pool(num_envs, "simultaneous", **arguments), **options)


_VECTOR_OPTIONS = tuple(each.name for each in fields(VectorOptions))
_POOL_OPTIONS = ("max_cycles", "record", "renderer", "translate_options")


def _take(arguments: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Remove these arguments, and return them."""
    return {name: arguments.pop(name) for name in names if name in arguments}


_FIXED = ("self", "scenario", "renderer", "translate_options")
_FIXED_IN_VECTORS = ("count", "rounds")


def _refuse_fixed(arguments: Mapping[str, Any], *more: str) -> None:
    """Refuse arguments that a registered environment has fixed."""
    for name in (*_FIXED, *more):
        if name in arguments:
            raise ParameterError(
                f"{name}={arguments[name]!r} cannot be changed in this environment"
            )


NETWORKED = "networked:"
"""The beginning of the names of environments whose plant is another environment."""
_NETWORKED = "defiance_zoo.envs.networked.specification:make_spec"
_GYMNASIUM = "defiance_zoo.wrappers.gymnasium:make_gymnasium_env"


def lookup(name: str) -> EnvironmentSpec:
    """Return the specification of an environment.

    Args:
        name: A name such as `cart_pole_v0`; a name with the module that registers it, such as
            `my_module:my_scenario_v0`; the path of a scenario in Python, such as
            `my_scenario.py`; or `networked:` and the name of a plant (see `networked`).

    Raises:
        UnknownEnvironment: There is no environment of this name, or no such file.
        ParameterError: The file's name is not a valid name of a scenario.
    """
    try:
        name = os.fspath(name)  # a Path is a usual mistake
    except TypeError:
        raise UnknownEnvironment(f"{name!r} is not the name of an environment") from None
    if name.startswith(NETWORKED):
        found: EnvironmentSpec = import_attribute(_NETWORKED)(name.removeprefix(NETWORKED))
        return found
    if is_python(Path(name)):
        return _of_file(Path(name))
    _refuse_other_paths(name)
    module, _, name = name.rpartition(":")
    if module:
        _import(module)
    if name not in ENTRIES:
        near = _unregistered(module) if module else _own(name)
        raise UnknownEnvironment(
            f"no environment {name!r}{known_words(name, registered(), near=near)}"
        )
    entry: EnvironmentSpec | str = ENTRIES[name]
    if isinstance(entry, str):
        imported: EnvironmentSpec = import_attribute(entry)
        return imported
    return entry


def _own(name: str) -> str | None:
    """Return the hint at a file or a package in this folder that has the environment."""
    package = name.rpartition("_v")[0]
    if _is_a(Path.is_file, f"{name}.py"):
        return f"; did you mean {name}.py?"
    if package and _is_a(Path.is_file, Path(package, "__init__.py")):
        return f"; did you mean {package}:{name}?"
    return None


def _unregistered(module: str) -> str | None:
    """Return the hint at an imported module that is only a folder."""
    spec = sys.modules[module].__spec__
    if spec is None or spec.origin is not None or not spec.submodule_search_locations:
        return None
    folder = next(iter(spec.submodule_search_locations))
    return f": {folder} has no __init__.py; is the package in a folder of it?"


def _refuse_other_paths(name: str) -> None:
    """Refuse a path that is not a scenario in Python."""
    file, _, inner = name.partition(":")
    if inner and is_python(Path(file)):
        raise UnknownEnvironment(
            f"{name!r} names something in a file: a Python file declares one scenario, so give "
            f"only the file, {file}"
        )
    if name and _is_a(Path.is_dir, name):
        raise UnknownEnvironment(f"{name} is a folder: name the Python file in it")
    if _is_a(Path.is_file, name) or "/" in file:
        raise UnknownEnvironment(
            f"{name} is not a scenario: a scenario in Python is a file NAME.py"
        )


def _is_a(kind: Callable[[Path], bool], name: str | Path) -> bool:
    """Return whether a name is that of a file of a kind; one that the system refuses is none."""
    try:
        return kind(Path(name))
    except OSError:
        return False


def _of_file(file: Path) -> EnvironmentSpec:
    """Return the specification of a scenario in Python without further parts."""
    if not _is_a(Path.is_file, file):
        raise UnknownEnvironment(f"no scenario {file}: there is no file {file.absolute()}")
    return EnvironmentSpec(file.stem, Scenario.python(file.stem, file.absolute()))


def absolute_name(name: str) -> str:
    """Return a name that is valid in every folder: a file by its absolute path."""
    return str(Path(name).absolute()) if is_python(Path(name)) else name


def _import(module: str) -> None:
    """Import a module that registers environments."""
    try:
        import_named(module)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise  # the module exists, and one of its own imports is missing
        raise UnknownEnvironment(
            f"no module {error.name!r} to register environments: install it, or name its folder "
            "in PYTHONPATH"
        ) from error


@overload
def make(
    name: str,
    *,
    api: Literal["aec"] = "aec",
    launch: Launch = ...,
    link: LinkKind = ...,
    output: Output = ...,
    affinity: Affinity = ...,
    check_bounds: CheckBounds = ...,
    render_mode: RenderMode | None = ...,
    rounds: Rounds = ...,
    **arguments: Any,
) -> SimulationAECEnv: ...


@overload
def make(
    name: str,
    *,
    api: Literal["parallel"],
    launch: Launch = ...,
    link: LinkKind = ...,
    output: Output = ...,
    affinity: Affinity = ...,
    check_bounds: CheckBounds = ...,
    render_mode: RenderMode | None = ...,
    **arguments: Any,
) -> SimulationParallelEnv: ...


@overload
def make(
    name: str,
    *,
    api: Literal["gymnasium"],
    launch: Launch = ...,
    link: LinkKind = ...,
    output: Output = ...,
    affinity: Affinity = ...,
    check_bounds: CheckBounds = ...,
    render_mode: RenderMode | None = ...,
    **arguments: Any,
) -> gymnasium.Env[Any, Any]: ...


def make(name: str, *, api: str = "aec", **arguments: Any) -> Any:
    """Make an environment.

    Args:
        name: A name such as `cart_pole_v0`.
        api: `aec` or `parallel`; `gymnasium` for a scenario of one agent.
        **arguments: `max_cycles`, `render_mode`, `rounds` (AEC), `LaunchArguments`, and parameters
            of the scenario.

    Raises:
        UnknownEnvironment: There is no environment of this name.
        NotSingleAgent: `api` is `gymnasium`, and the scenario does not have exactly one agent.
        ParameterError: An argument is unknown or not allowed.
        ScenarioNotFound: The scenario's program is missing.
    """
    if api == "gymnasium":
        return import_attribute(_GYMNASIUM)(name=name, **arguments)
    spec = lookup(name)
    require_choice("api", api, ["aec", "gymnasium", "parallel"])
    return spec.env(**arguments) if api == "aec" else spec.parallel_env(**arguments)


@overload
def make_vec(
    name: str,
    num_envs: int,
    *,
    api: Literal["gymnasium"] = "gymnasium",
    launch: Launch = ...,
    link: LinkKind = ...,
    output: Output = ...,
    affinity: Affinity = ...,
    check_bounds: CheckBounds = ...,
    render_mode: RenderMode | None = ...,
    **arguments: Any,
) -> SimulationVectorEnv: ...


@overload
def make_vec(
    name: str,
    num_envs: int,
    *,
    api: Literal["parallel"],
    launch: Launch = ...,
    link: LinkKind = ...,
    output: Output = ...,
    affinity: Affinity = ...,
    check_bounds: CheckBounds = ...,
    render_mode: RenderMode | None = ...,
    **arguments: Any,
) -> MultiAgentVectorEnv: ...


def make_vec(name: str, num_envs: int, *, api: str = "gymnasium", **arguments: Any) -> Any:
    """Make several simulations side by side, in batches.

    Args:
        name: A name such as `cart_pole_v0`.
        num_envs: Number of simulations.
        api: `gymnasium` for scenarios of one agent, `parallel` for several.
        **arguments: `VectorOptions`, and `max_agents` of `MultiAgentVectorEnv`; `max_cycles`,
            `record`, `LaunchArguments` (`link` is `local` unless there is an `endpoint`), and
            parameters of the scenario.

    Raises:
        UnknownEnvironment: There is no environment of this name.
        NotSingleAgent: The scenario, with these parameters, does not have exactly one agent.
        NotHomogeneous: Its agents have different spaces.
        ParameterError: An argument is unknown or not allowed.
        ScenarioNotFound: The scenario's program is missing.
    """
    spec = lookup(name)
    require_choice("api", api, ["gymnasium", "parallel"])
    if api == "gymnasium":
        return spec.vector_env(num_envs, **arguments)
    return spec.multi_agent_vector_env(num_envs, **arguments)
