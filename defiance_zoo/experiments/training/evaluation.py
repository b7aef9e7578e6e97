# SPDX-License-Identifier: GPL-2.0-only
"""Evaluation without exploration on fixed seeds, and policies for comparison."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from defiance_zoo.bridge.process.simulation_process import ATTEMPTS
from defiance_zoo.bridge.simulation import keep_programs
from defiance_zoo.environments import EnvironmentSpec, SimulationAECEnv, lookup
from defiance_zoo.environments.episodes.observer import record_to
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.evaluation import (
    DividedPolicy,
    NamedPolicy,
    PlayedEpisode,
    Policy,
    cheap_policies,
    find_divisions,
    open_env,
    play,
    read_named,
    spaces_of,
)
from defiance_zoo.experiments.training.checkpoints import BEST, Checkpoint, find_checkpoint
from defiance_zoo.experiments.training.configuration import Evaluation
from defiance_zoo.experiments.training.provenance import find_program, recorded_digests
from defiance_zoo.experiments.training.trainer import load_policy, trained_spaces
from defiance_zoo.experiments.workbench.estimates import INTERVAL, Estimate
from defiance_zoo.experiments.workbench.events import EventCallback
from defiance_zoo.experiments.workbench.progress import TRAINING, followed

TRAINED = "trained"
"""The name of a run's policy in comparisons with baselines."""


@dataclass(frozen=True)
class Result:
    """The results of a policy."""

    episodes: list[PlayedEpisode]

    @property
    def returns(self) -> list[float]:
        """Mean return of the agents in each episode."""
        return [episode.mean_return for episode in self.episodes]

    @property
    def failures(self) -> int:
        """Number of simulations that were lost and replaced."""
        return sum(episode.failures for episode in self.episodes)

    @property
    def failure(self) -> str:
        """Message of the first of these simulations."""
        return next((each.failure for each in self.episodes if each.failure), "")

    @property
    def estimate(self) -> Estimate:
        """Interval of the mean return."""
        return Estimate.of(self.returns)

    def to_json(self) -> dict[str, Any]:
        """Return all facts, for a file."""
        agents = dict.fromkeys(agent for each in self.episodes for agent in each.returns)
        by_agent = {
            agent: [each.returns[agent] for each in self.episodes if agent in each.returns]
            for agent in agents
        }
        sent = [each.communication.to_dict() for each in self.episodes if each.communication]
        return {
            **self.estimate.to_json(),
            "returns": self.returns,
            "decisions": [episode.decisions for episode in self.episodes],
            "agents": {agent: Estimate.of(each).to_json() for agent, each in by_agent.items()},
            **({"communication": sent} if sent else {}),
            **({"failures": self.failures, "failure": self.failure} if self.failures else {}),
        }


def evaluate(
    path: Path | str,
    *,
    parameters: Mapping[str, Any] | None = None,
    episodes: int | None = None,
    seed: int | None = None,
    compare: Sequence[NamedPolicy] | None = None,
    record: Path | None = None,
    trust: bool = False,
    report: EventCallback | None = None,
) -> dict[str, Any]:
    """Evaluate the policy of a run or a checkpoint, and other policies on the same episodes.

    Args:
        path: Folder of a checkpoint, or of a run: then its best checkpoint is used.
        parameters: Parameters of the environment that differ from the training.
        episodes: Number of episodes; by default the run's.
        seed: Seed of the first episode; by default the run's.
        compare: Other policies; by default all that are not costly and that accept the
            parameters.
        record: Folder in which each episode is recorded, as ENV-POLICY-000001; None: no recording.
        trust: Load the checkpoint, which holds pickles, even if this user did not write it on this
            machine.
        report: Called with an event for each episode and for each policy; None: notebooks show
            progress.

    Returns:
        The contents of `evaluation.json`. If policies that play by default do not accept the
        parameters, `refused` has their reasons by name. If the scenario's program has changed
        since the training, `programs` of `checkpoint` has both digests.

    Raises:
        ParameterError: There is no checkpoint; a parameter, policy or option is not allowed; or the
            agents have other spaces than in the training.
        UnknownOrigin: The checkpoint is not trusted, and was not written on this machine or has
            changed.
        DependencyMissing: The library of the run is not installed.
        SimulationError: A simulation failed.
    """
    path = Path(path)
    checkpoint = find_checkpoint(path, BEST, trust=trust)
    config = checkpoint.config
    spec = lookup(config.env)
    arguments = {**config.parameters, **(parameters or {})}

    def trained(env: SimulationAECEnv, _seed: int) -> Policy:
        policy = load_policy(config, checkpoint.trainer, trust=trust)
        known = trained_spaces(config, policy)
        return DividedPolicy(policy, find_divisions(spec, spaces_of(env), known))

    found = _evaluate(
        spec,
        arguments,
        {TRAINED: trained},
        compare,
        config.evaluation.episodes if episodes is None else episodes,
        config.evaluation.seed if seed is None else seed,
        record,
        followed(report, TRAINING),
    )
    return {
        "env": config.env,
        "parameters": arguments,
        "checkpoint": _describe(checkpoint),
        **found,
    }


def evaluate_baselines(
    env: str,
    *,
    parameters: Mapping[str, Any] | None = None,
    episodes: int | None = None,
    seed: int | None = None,
    policies: Sequence[NamedPolicy] | None = None,
    record: Path | None = None,
    report: EventCallback | None = None,
) -> dict[str, Any]:
    """Evaluate policies that need no training; see `evaluate()`.

    Args:
        env: Name of the environment.
        parameters: Parameters of the environment.
        episodes: Number of episodes; 20 by default.
        seed: Seed of the first episode; 1000 by default.
        policies: Policies; by default all that are not costly and that accept the parameters.
        record: See `evaluate`.
        report: Called with an event for each episode and for each policy; None: notebooks show
            progress.

    Returns:
        As for `evaluate`, without `checkpoint`.

    Raises:
        UnknownEnvironment: There is no environment of this name.
        ParameterError: A parameter, policy or option is not allowed.
        SimulationError: A simulation failed.
    """
    spec = lookup(env)
    arguments = dict(parameters or {})
    usual = Evaluation()
    found = _evaluate(
        spec,
        arguments,
        {},
        policies,
        usual.episodes if episodes is None else episodes,
        usual.seed if seed is None else seed,
        record,
        followed(report, TRAINING),
    )
    return {"env": env, "parameters": arguments, **found}


def require_policies(spec: EnvironmentSpec, policies: Sequence[NamedPolicy]) -> None:
    """Refuse unknown policies of an environment, without starting a simulation."""
    names = [each.name for each in policies]
    for each in policies:
        read_named(spec, each)
        if names.count(each.name) > 1:
            raise ParameterError(f"policy {each.name!r} is given twice")


_Make = Callable[[SimulationAECEnv, int], Policy]


def _evaluate(
    spec: EnvironmentSpec,
    arguments: Mapping[str, Any],
    trained: Mapping[str, _Make],
    policies: Sequence[NamedPolicy] | None,
    episodes: int,
    seed: int,
    record: Path | None,
    report: EventCallback,
) -> dict[str, Any]:
    """Play the same episodes with each policy, in one environment unless they are recorded.

    If no policies are given, those that do not accept the parameters are left out.
    """
    chosen = cheap_policies(spec) if policies is None else policies
    require_policies(spec, chosen)
    others = {each.name: functools.partial(each.make, spec) for each in chosen}
    makers: dict[str, _Make] = {**trained, **others}
    results, refused = {}, {}
    with contextlib.ExitStack() as stack, keep_programs():
        env = None
        for name, make in makers.items():
            if env is None or record is not None:
                stack.close()
                to = {"record": record_to(record, name=f"{spec.name}-{name}")} if record else {}
                env = stack.enter_context(contextlib.closing(open_env(spec, {**arguments, **to})))
                spaces_of(env)  # starts the simulation, which checks the parameters
            try:
                policy = make(env, seed)
                played = play(
                    env,
                    policy,
                    episodes=episodes,
                    seed=seed,
                    attempts=ATTEMPTS,
                    name=name,
                    report=report,
                )
                result = Result(list(played))
            except ParameterError as error:
                if policies is not None or name in (*trained, "random"):
                    raise
                refused[name] = str(error)
                continue
            results[name] = result.to_json()
            report({"event": "evaluated", "policy": name, **result.estimate.to_json()})
    found = {"episodes": episodes, "seed": seed, "interval": INTERVAL, "policies": results}
    return {**found, **({"refused": refused} if refused else {})}


def _describe(checkpoint: Checkpoint) -> dict[str, Any]:
    config = checkpoint.config
    begun, _ = recorded_digests(checkpoint.folder.parent.parent)
    _, now = find_program(config.env, config.parameters)
    changed = {"programs": {"trained": begun, "played": now}} if begun not in (None, now) else {}
    return {
        **changed,
        "name": checkpoint.folder.name,
        "steps": checkpoint.counters.steps,
        "library": config.library,
        "algorithm": config.algorithm,
        "method": config.method,
        "parameters": config.parameters,
    }
