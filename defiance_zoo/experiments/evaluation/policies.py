# SPDX-License-Identifier: GPL-2.0-only
"""Policies that need no training, by name: random ones, baselines and lookahead, and policy files.

The decisions of a policy file in Python equal its decisions in simulations without Python.
"""

from __future__ import annotations

import contextlib
import copy
import io
import os
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.spaces import Box
from gymnasium.spaces.utils import flatdim, flatten

from defiance_zoo.bridge.codec import space_from_json
from defiance_zoo.bridge.codec.masks import read_mask, sample
from defiance_zoo.bridge.codec.spaces import Space
from defiance_zoo.bridge.system.extension import exchange_module
from defiance_zoo.bridge.system.extras import install_command
from defiance_zoo.bridge.system.plain_values import require_type
from defiance_zoo.bridge.system.reading import naming, read_bytes
from defiance_zoo.bridge.system.spelling import known_words
from defiance_zoo.environments import (
    Baseline,
    Division,
    EnvironmentSpec,
    NoOptions,
    Policy,
    PolicyMaker,
    SimulationAECEnv,
    lookup,
)
from defiance_zoo.environments.arguments import require_mapping
from defiance_zoo.errors import DependencyMissing, MalformedMessage, ParameterError
from defiance_zoo.experiments.evaluation import lookahead
from defiance_zoo.experiments.evaluation.constant import ConstantOptions, make_constant
from defiance_zoo.experiments.evaluation.lookahead import REPEAT, Lookahead, LookaheadOptions
from defiance_zoo.experiments.evaluation.playing import Spaces, spaces_of
from defiance_zoo.experiments.workbench.keys import digest, digest_file
from defiance_zoo.experiments.workbench.wording import locating, require_choice

SpaceOf = Callable[[str], Space]
"""The action space of an agent, by name."""


class RandomPolicy:
    """Draws actions uniformly from the actions that a mask allows."""

    def __init__(self, action_space: SpaceOf, seed: int) -> None:
        self._action_space, self._seed = action_space, seed
        self._spaces: dict[str, Space] = {}

    def reset(self) -> None:
        """Continue with the same generators."""

    def act(self, agent: str, observation: Any, info: dict[str, Any]) -> Any:
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
        self._baseline, self._action_space = baseline, action_space
        self._divisions = divisions or {}
        self._acts: dict[str, Callable[[Any], Any]] = {}

    def reset(self) -> None:
        self._acts = {}

    def act(self, agent: str, observation: Any, info: dict[str, Any]) -> Any:
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
        self._policy, self._divisions = policy, divisions

    def reset(self) -> None:
        """Reset the policy of each unit."""
        self._policy.reset()

    def act(self, agent: str, observation: Any, info: dict[str, Any]) -> Any:
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
    """
    divisions, possible = {}, divide_agents(spec, agents)
    for agent, both in agents.items():
        if _are_known(both, trained):
            continue
        division = possible.get(agent)
        if division is None or not _are_known(
            (division.observation_space, division.action_space), trained
        ):
            require_spaces({agent: both}, trained)
        else:
            divisions[agent] = division
    return divisions


def require_spaces(agents: Mapping[str, Spaces], trained: Collection[Spaces]) -> None:
    """Refuse agents for which a policy cannot decide.

    Args:
        agents: Spaces of the agents.
        trained: Spaces of the agents in the policy's training.
    """
    for agent, both in agents.items():
        if not _are_known(both, trained):
            raise ParameterError(
                f"{agent} has {_write(both)}; the policy was trained with "
                f"{' and with '.join(dict.fromkeys(map(_write, trained)))}"
            )


def _are_known(both: Spaces, trained: Collection[Spaces]) -> bool:
    return any(_are_alike(both[0], each[0]) and bool(both[1] == each[1]) for each in trained)


def _are_alike(one: Space, other: Space) -> bool:
    """Return whether observation spaces are equal except for bounds, which networks ignore."""
    if isinstance(one, Box) and isinstance(other, Box):
        return one.shape == other.shape and one.dtype == other.dtype
    return bool(one == other)


def _write(both: Spaces) -> str:
    seen = both[0]
    observed = f"{seen.dtype}{list(seen.shape)}" if isinstance(seen, Box) else str(seen)
    return f"observations {observed} and actions {both[1]}"


@dataclass(frozen=True)
class NamedPolicy:
    """A policy that needs no training.

    Attributes:
        name: Name of its maker.
        options: Options by name; missing options have their defaults.
    """

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        require_type("policy", self.name, str)
        object.__setattr__(self, "options", copy.deepcopy(require_mapping("options", self.options)))

    def make(self, spec: EnvironmentSpec, env: SimulationAECEnv, seed: int) -> Policy:
        """Return the policy.

        Args:
            spec: Specification of the environment.
            env: Environment in which the policy plays.
            seed: Seed of random choices.

        Raises:
            ParameterError: There is no such policy or option.
        """
        return maker_of(spec, self).make(env, seed, read_named(spec, self))

    def facts(self, spec: EnvironmentSpec) -> dict[str, Any]:
        """Return the files and options on which decisions depend, for the key of a cell.

        Raises:
            ParameterError: There is no such policy or option, or a file cannot be read.
        """
        maker, options = maker_of(spec, self), read_named(spec, self)
        code = next(map(digest_file, _source_of(maker)), None)
        facts = {"baseline": self.name, "options": dict(self.options), "code": code}
        files = [_digest_data(path) for path in maker.files(options)]
        return {**facts, "files": files} if files else facts


def _source_of(maker: PolicyMaker) -> list[Path]:
    source = getattr(sys.modules.get(maker.module), "__file__", None)
    return [] if source is None else [Path(source)]


def _digest_data(path: Path) -> str:
    with naming(path):
        return digest(read_bytes(path))


def policy_makers(spec: EnvironmentSpec) -> dict[str, PolicyMaker]:
    """Return the makers of the policies that need no training, by name.

    They are random and constant actions, the environment's baselines, lookahead, and policy files.
    """
    own = {name: _maker(spec, each) for name, each in spec.baselines.items()}
    chance = PolicyMaker(
        lambda env, seed, _options: RandomPolicy(env.action_space, seed), RandomPolicy.__module__
    )
    constant = PolicyMaker(make_constant, make_constant.__module__, ConstantOptions, costly=True)
    usual = {"random": chance, "constant": constant, "lookahead": _lookahead(spec)}
    return {**usual, **file_policies(spec), **own}


def cheap_policies(spec: EnvironmentSpec) -> list[NamedPolicy]:
    """Return the default policies for comparison."""
    return [NamedPolicy(name) for name, each in policy_makers(spec).items() if not each.costly]


def baselines(spec: EnvironmentSpec, env: SimulationAECEnv, seed: int) -> dict[str, Policy]:
    """Return the policies for comparison that are not costly, by name.

    Args:
        spec: Specification of the environment, with its baselines.
        env: Environment in which the policies play.
        seed: Seed of random choices.
    """
    return {each.name: each.make(spec, env, seed) for each in cheap_policies(spec)}


def maker_of(spec: EnvironmentSpec, policy: NamedPolicy) -> PolicyMaker:
    """Return the maker of a policy."""
    makers = policy_makers(spec)
    if policy.name not in makers:
        ending = known_words(policy.name, sorted(makers))
        raise ParameterError(f"{spec.name} has no policy {policy.name!r}{ending}")
    return makers[policy.name]


def read_named(spec: EnvironmentSpec, policy: NamedPolicy) -> Any:
    """Return the options of a policy, without starting a simulation."""
    maker = maker_of(spec, policy)
    with locating(policy.name):
        return maker.read_options(policy.options)


def _maker(spec: EnvironmentSpec, baseline: Baseline | PolicyMaker) -> PolicyMaker:
    if isinstance(baseline, PolicyMaker):
        return baseline

    def make(env: SimulationAECEnv, _seed: int, _options: NoOptions) -> Policy:
        divisions = divide_agents(spec, spaces_of(env))
        return BaselinePolicy(baseline, env.action_space, divisions)

    return PolicyMaker(make, baseline.__module__)


def _lookahead(spec: EnvironmentSpec) -> PolicyMaker:
    def make(env: SimulationAECEnv, seed: int, options: LookaheadOptions) -> Policy:
        def base(each: SimulationAECEnv) -> Policy:
            return NamedPolicy(options.then).make(spec, each, seed)

        return Lookahead(env, seed, options, None if options.then == REPEAT else base)

    def check(options: LookaheadOptions) -> None:
        known = [REPEAT, *(each.name for each in cheap_policies(spec))]
        require_choice("then", options.then, known)

    def files(options: LookaheadOptions) -> list[Path]:
        then = options.then
        return [] if then == REPEAT else _source_of(maker_of(spec, NamedPolicy(then)))

    how: dict[str, Any] = {"costly": True, "kind": "reference", "check": check, "files": files}
    return PolicyMaker(make, lookahead.__name__, LookaheadOptions, **how)


_SPACE = "defiance.v1.{}_space"
"""Name of the metadata that holds a space; see docs/training/export.md."""


class FilePolicy:
    """Decides by a policy file from `defiance-zoo export`.

    Attributes:
        path: Path of the file.
        metadata: Metadata of the file, by name.
        spaces: Observation and action space of its agents.
    """

    def __init__(self, path: Path) -> None:
        """Load a policy file; another file raises `ParameterError`."""
        self.path = path
        self._session = _load(path)
        with _damaged(path):
            self.metadata: dict[str, str] = self._session.get_modelmeta().custom_metadata_map
            inputs = {each.name: each.shape for each in self._session.get_inputs()}
        if not {"observation"} <= inputs.keys() <= {"observation", "state"}:
            raise ParameterError(
                f"{path} takes {list(inputs)}, but a policy file takes an observation and, "
                "optionally, a state"
            )
        self.spaces = self._read_space("observation"), self._read_space("action")
        self._states: dict[str, Any] = {}
        with _damaged(path):  # for sizes and types that do not fit its spaces
            shape = (1, int(inputs["state"][1])) if "state" in inputs else (0,)
            self._begin = np.zeros(shape, np.float32)
            self._decide(np.zeros(flatdim(self.spaces[0]), np.float32), self._begin)

    def _read_space(self, what: str) -> spaces.Space[Any]:
        try:
            return space_from_json(self.metadata[_SPACE.format(what)])
        except (KeyError, MalformedMessage) as error:
            raise ParameterError(f"{self.path} does not name its {what} space: {error}") from error

    def reset(self) -> None:
        self._states = {}

    def act(self, agent: str, observation: Any, info: dict[str, Any]) -> Any:
        flat = np.asarray(flatten(self.spaces[0], observation), np.float32)
        action, self._states[agent] = self._decide(flat, self._states.get(agent, self._begin))
        return action

    def _decide(self, flat: Any, state: Any) -> tuple[Any, Any]:
        """Return an action, and the state for the next decision."""
        acts = self.spaces[1]
        given = {"observation": flat[np.newaxis]}
        if state.size:
            found, state = self._session.run(["action", "next_state"], {**given, "state": state})
        else:
            (found,) = self._session.run(["action"], given)
        if isinstance(acts, spaces.Discrete):
            return int(found[0]), state
        return np.asarray(found[0], acts.dtype).reshape(acts.shape or ()), state


def pretrained(env: str) -> FilePolicy:
    """Return the trained policy of an environment.

    Args:
        env: Name of the environment.

    Raises:
        UnknownEnvironment: There is no environment of this name.
        ParameterError: The environment has no trained policy.
        DependencyMissing: ONNX Runtime is not installed.
    """
    return FilePolicy(_file_of(lookup(env)))


@dataclass(frozen=True)
class FileOptions:
    """Options of the policy `file`."""

    path: str = ""

    def __post_init__(self) -> None:
        path: Any = self.path
        if not isinstance(path, str | os.PathLike) or not Path(path).is_file():
            raise ParameterError(
                f"path={self.path!r}: give the path of a policy file, -o file.path=FILE"
            )


def file_policies(spec: EnvironmentSpec) -> dict[str, PolicyMaker]:
    """Return the makers of policies from files: any file, or the package's trained policy."""

    def maker(options: type, path_of: Callable[[Any], Path]) -> PolicyMaker:
        return PolicyMaker(
            lambda env, _seed, given: _fit(FilePolicy(path_of(given)), spec, env),
            __name__,
            options,
            costly=True,
            kind="trained",
            files=lambda given: [path_of(given)],
        )

    makers = {"file": maker(FileOptions, lambda given: Path(given.path))}
    if spec.trained is not None and spec.trained.is_file():
        makers["trained"] = maker(NoOptions, lambda _given: _file_of(spec))
    return makers


def _fit(policy: FilePolicy, spec: EnvironmentSpec, env: SimulationAECEnv) -> Policy:
    """Return a policy for the agents of an environment, divided into units if necessary."""
    trained: list[Spaces] = [policy.spaces]
    try:
        divisions = find_divisions(spec, spaces_of(env), trained)
    except ParameterError as error:
        given = policy.metadata.get("parameters", "")
        raise ParameterError(f"{error}{given and f'; its parameters were {given}'}") from error
    return DividedPolicy(policy, divisions) if divisions else policy


def _file_of(spec: EnvironmentSpec) -> Path:
    if spec.trained is None or not spec.trained.is_file():
        raise ParameterError(f"{spec.name} has no trained policy")
    return spec.trained


def _load(path: Path) -> Any:
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    try:
        import onnxruntime
    except ModuleNotFoundError as error:
        raise DependencyMissing(
            f"a policy file needs ONNX Runtime: {install_command('onnx')}"
        ) from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4  # errors are exceptions, and need no log lines
    try:
        content = read_bytes(path)
    except OSError as error:
        raise ParameterError(f"{path} cannot be read: {error}") from error
    quiet = contextlib.redirect_stdout(io.StringIO())  # it logs before it raises
    with _damaged(path), quiet:
        exchange_module().check_policy(content)
        return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])


@contextlib.contextmanager
def _damaged(path: Path) -> Iterator[None]:
    """Convert errors of ONNX Runtime, which have no common class."""
    try:
        yield
    except Exception as error:
        raise ParameterError(f"{path} is not a policy file: {error}") from error
