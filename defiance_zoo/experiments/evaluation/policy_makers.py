# SPDX-License-Identifier: GPL-2.0-only
"""An environment's policies that need no training, by name."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from defiance_zoo.bridge.system.spelling import near_word
from defiance_zoo.environments import (
    Baseline,
    EnvironmentSpec,
    NoOptions,
    Policy,
    PolicyMaker,
    SimulationAECEnv,
)
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.evaluation import lookahead
from defiance_zoo.experiments.evaluation.lookahead import REPEAT, Lookahead, LookaheadOptions
from defiance_zoo.experiments.evaluation.playing import spaces_of
from defiance_zoo.experiments.evaluation.policies import (
    BaselinePolicy,
    RandomPolicy,
    divide_agents,
)
from defiance_zoo.experiments.evaluation.policy_files import file_policies
from defiance_zoo.experiments.workbench.keys import digest_file
from defiance_zoo.experiments.workbench.wording import locating, require_choice


@dataclass(frozen=True)
class NamedPolicy:
    """A policy that needs no training.

    Attributes:
        name: Name of its maker.
        options: Options by name; missing options have their defaults.
    """

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)

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
            ParameterError: There is no such policy.
        """
        module = sys.modules.get(maker_of(spec, self).module)
        source = getattr(module, "__file__", None)
        code = None if source is None else digest_file(Path(source))
        return {"baseline": self.name, "options": dict(self.options), "code": code}


def policy_makers(spec: EnvironmentSpec) -> dict[str, PolicyMaker]:
    """Return the makers of the policies that need no training, by name.

    They are random actions, the environment's baselines, lookahead, and policy files.
    """
    own = {name: _maker(spec, each) for name, each in spec.baselines.items()}
    chance = PolicyMaker(
        lambda env, seed, _options: RandomPolicy(env.action_space, seed), RandomPolicy.__module__
    )
    return {"random": chance, "lookahead": _lookahead(spec), **file_policies(spec), **own}


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
    """Return the maker of a policy.

    Raises:
        ParameterError: There is no such policy.
    """
    makers = policy_makers(spec)
    if policy.name not in makers:
        near = near_word(policy.name, makers)
        raise ParameterError(
            f"{spec.name} has no policy {policy.name!r}{near}; there are {sorted(makers)}"
        )
    return makers[policy.name]


def read_named(spec: EnvironmentSpec, policy: NamedPolicy) -> Any:
    """Return the options of a policy, without starting a simulation.

    Raises:
        ParameterError: There is no such policy or option.
    """
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

    return PolicyMaker(
        make, lookahead.__name__, LookaheadOptions, costly=True, kind="reference", check=check
    )
