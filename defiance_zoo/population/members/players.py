# SPDX-License-Identifier: GPL-2.0-only
"""Players: policies of a population, which are loaded on demand."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from defiance_zoo.bridge.codec.spaces import Space, placeholder_observation
from defiance_zoo.environments import EnvironmentSpec, Policy, SimulationAECEnv
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.evaluation import NamedPolicy, read_named
from defiance_zoo.experiments.training.checkpoints import find_checkpoint, read_checkpoint
from defiance_zoo.experiments.training.trainer import best_response_trainer, damaged, trainer_class
from defiance_zoo.experiments.workbench.origin import open_packed, open_signed, pack
from defiance_zoo.population.members.store import PolicyRecord, PolicyStore

CONSTANT = "constant"
"""The name of a policy for any environment; this policy always takes the same action."""

_LOADED = 32
"""Maximum number of policies in a process's memory."""


class ConstantPolicy:
    """See `Policy`: takes the same action for any observation."""

    def __init__(self, action: Any) -> None:
        self._action = action

    def reset(self) -> None:
        """See `Policy`."""

    def act(self, agent: str, observation: Any, info: dict[str, Any]) -> Any:
        """See `Policy`."""
        return self._action


@dataclass(frozen=True)
class StoredPolicy:
    """A trained policy."""

    library: str
    digest: str
    folder: Path
    trust: bool = False
    files: Mapping[str, bytes] | None = field(default=None, compare=False, repr=False)

    def load(self, copy: Path) -> Policy:
        """Return the policy, from a private copy of its folder."""
        return best_response_trainer(self.library).open_policy(copy)


@dataclass(frozen=True)
class RunPolicy:
    """The policy of a run."""

    folder: Path
    trust: bool = False
    files: Mapping[str, bytes] | None = field(default=None, compare=False, repr=False)

    def load(self, copy: Path) -> Policy:
        """Return the policy, from a private copy of its folder."""
        found = read_checkpoint(copy)
        return trainer_class(found.config.library).load_policy(found.config, found.trainer)


@dataclass(frozen=True)
class ScenarioPolicy:
    """A policy inside the simulation that replaces agents, such as an ns-3 algorithm."""

    parameters: Mapping[str, Any]


@dataclass(frozen=True)
class Player:
    """A policy of any source."""

    name: str
    source: StoredPolicy | RunPolicy | NamedPolicy | ScenarioPolicy

    @classmethod
    def of(cls, record: PolicyRecord, store: PolicyStore) -> Player:
        """Return the player of a record."""
        named = record.built_in
        if named is not None:
            return cls(record.name, named)
        if record.parameters:
            return cls(record.name, ScenarioPolicy(record.parameters))
        if record.run:
            folder = find_checkpoint(Path(record.run)).folder
            return cls(record.name, RunPolicy(folder, store.trust))
        library = str(record.facts.get("library"))
        folder = store.find(record.digest)
        return cls(record.name, StoredPolicy(library, record.digest, folder, store.trust))

    def packed(self) -> Player:
        """Return the same player for a machine without this machine's files."""
        if isinstance(self.source, NamedPolicy | ScenarioPolicy):
            return self
        with open_signed(self.source.folder, trust=self.source.trust) as copy:
            return replace(self, source=replace(self.source, files=pack(copy)))

    def make(self, spec: EnvironmentSpec, env: SimulationAECEnv, agent: str, seed: int) -> Policy:
        """Return the policy for one agent."""
        if isinstance(self.source, NamedPolicy):
            return _make_named(self.source, spec, env, agent, seed)
        if isinstance(self.source, ScenarioPolicy):
            return ConstantPolicy(placeholder_observation(env.action_space(agent)))  # any action
        return _load(self.source)


def check_built_in(named: NamedPolicy, spec: EnvironmentSpec) -> None:
    """Refuse an unknown policy of an environment, without starting a simulation."""
    if named.name != CONSTANT:
        read_named(spec, named)
    elif list(named.options) != ["action"]:
        raise ParameterError(f"{CONSTANT} has the option 'action', not {list(named.options)}")


def check_action(named: NamedPolicy, space: Space) -> None:
    """Refuse an action that an agent does not have."""
    if named.name == CONSTANT:
        _constant_action(named, space)


def _make_named(
    named: NamedPolicy, spec: EnvironmentSpec, env: SimulationAECEnv, agent: str, seed: int
) -> Policy:
    if named.name == CONSTANT:
        return ConstantPolicy(_constant_action(named, env.action_space(agent)))
    return named.make(spec, env, seed)


def _constant_action(named: NamedPolicy, space: Space) -> Any:
    """Return a constant policy's action, in the type of its space."""
    given = named.options["action"]
    action = given if isinstance(given, int) else np.asarray(given, space.dtype)
    if not space.contains(action):
        raise ParameterError(f"{CONSTANT}: action={given!r} is not in {space}")
    return action


@functools.lru_cache(maxsize=_LOADED)
def _load(source: StoredPolicy | RunPolicy) -> Policy:
    """Return a policy; all its players in this process share its networks."""
    with (
        (
            open_signed(source.folder, trust=source.trust)
            if source.files is None
            else open_packed(source.files)
        ) as copy,
        damaged(source.folder),
    ):
        return source.load(copy)


def forget_loaded() -> None:
    """Release all policies that this process has loaded."""
    _load.cache_clear()


def options_of(players: Mapping[str, Player]) -> dict[str, dict[str, Any]]:
    """Return the `reset()` options that make the scenario decide for some agents.

    Returns:
        Values by agent of each parameter; empty if the scenario decides for no agent.
    """
    options: dict[str, dict[str, Any]] = {}
    for agent, player in players.items():
        if isinstance(player.source, ScenarioPolicy):
            for name, value in player.source.parameters.items():
                options.setdefault(name, {})[agent] = value
    return options
