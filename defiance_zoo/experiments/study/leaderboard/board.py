# SPDX-License-Identifier: GPL-2.0-only
"""Leaderboards: the file beside an environment, its playing as a study, and rows of results."""

from __future__ import annotations

import hashlib
import json
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import Field

from defiance_zoo.bridge.simulation import Choice, Distribution, Parameter
from defiance_zoo.bridge.simulation.distributions import read_distribution
from defiance_zoo.environments import LaunchArguments, PolicyKind, lookup
from defiance_zoo.errors import ParameterError, SimulationError
from defiance_zoo.experiments.evaluation import FilePolicy, maker_of
from defiance_zoo.experiments.libraries import find_library
from defiance_zoo.experiments.study.cells import Cell, deployments
from defiance_zoo.experiments.study.configuration import (
    DEPLOYMENT,
    PolicyConfig,
    Study,
    StudyConfig,
    read_config,
)
from defiance_zoo.experiments.study.running import run_study
from defiance_zoo.experiments.training.checkpoints import find_checkpoint
from defiance_zoo.experiments.training.provenance import packages
from defiance_zoo.experiments.workbench.comparisons import mean, measure
from defiance_zoo.experiments.workbench.descriptions import read_yaml_text
from defiance_zoo.experiments.workbench.estimates import Estimate
from defiance_zoo.experiments.workbench.events import EventCallback, ignore
from defiance_zoo.experiments.workbench.results_folder import Result


class LeaderboardConfig(StudyConfig):
    """A leaderboard, as a YAML file describes it: a study with trained policies."""

    trained: dict[str, str] = Field(
        default_factory=dict,
        description="names of trained policies, and their runs for 'make baselines'",
    )
    references: list[str] = Field(
        default_factory=list,
        description="names of policies that know what agents do not observe, or not in time; "
        "they may set every parameter",
    )
    policy_parameters: list[str] = Field(
        default_factory=list,
        description="arguments of observations and actions, which each policy may set",
    )


@dataclass(frozen=True)
class Leaderboard:
    """A leaderboard and its file."""

    config: LeaderboardConfig
    text: str
    folder: Path

    @property
    def task(self) -> dict[str, Any]:
        """The task of all policies; results of different tasks cannot be compared."""
        config = self.config
        return {
            "env": config.env,
            "deployments": self.deployments,
            "episodes": config.episodes,
            "seed": config.seed,
            "measure": config.measure,
            "measures": {name: each.key for name, each in config.measures.items()},
        }

    def with_episodes(self, episodes: int) -> Leaderboard:
        """Return the leaderboard with another number of episodes, which is another task."""
        return replace(self, config=self.config.model_copy(update={"episodes": episodes}))

    def on_traces(self, parameters: dict[str, Any]) -> Leaderboard:
        """Return the leaderboard with held-out traces as its only deployment, another task."""
        places = {"deployments": {"held-out traces": parameters}, "grid": {}}
        return replace(self, config=self.config.model_copy(update=places))

    @property
    def key(self) -> str:
        """A digest of the task."""
        return hashlib.sha256(json.dumps(self.task, sort_keys=True).encode()).hexdigest()[:20]

    @property
    def deployments(self) -> dict[str, dict[str, Any]]:
        """The arguments of the environment in each deployment, by the deployment's name."""
        places = deployments(self.config)
        return {name_of(place): self.config.arguments(place) for place in places}

    def deployments_in(self, parameters: Mapping[str, Any]) -> list[str]:
        """Return the deployments in which an environment with these parameters may play.

        Parameters of policies do not count.
        """
        declared = _declared(self)
        usual = {name: each.value for name, each in declared.items()}
        usual |= lookup(self.config.env).scenario.defaults
        ignored = {*self.config.policy_parameters, *LaunchArguments.__annotations__}
        found = []
        for name, arguments in self.deployments.items():
            mine, theirs = {**usual, **parameters}, {**usual, **arguments}
            names = (mine.keys() | theirs.keys()) - ignored
            if all(_may_equal(mine.get(key), theirs.get(key), declared.get(key)) for key in names):
                found.append(name)
        return found


def _declared(board: Leaderboard) -> Mapping[str, Parameter]:
    """Return the declared parameters of the environment, if its program describes itself."""
    declaration = lookup(board.config.env).scenario.declaration(board.config.parameters)
    return declaration.parameters if declaration else {}


def _may_equal(mine: Any, theirs: Any, declared: Parameter | None) -> bool:
    """Return whether a value or a distribution can equal a leaderboard's value."""
    mine = read_distribution(mine)
    if isinstance(mine, Choice):
        return any(_may_equal(each, theirs, declared) for each in mine.values)
    number = _number(theirs, declared)
    if isinstance(mine, Distribution):
        low, high = (_number(each, declared) for each in mine.examples)
        return low is not None and high is not None and number is not None and low <= number <= high
    return bool(mine == theirs) or (number is not None and number == _number(mine, declared))


def _number(value: Any, declared: Parameter | None) -> float | None:
    if declared is not None and not isinstance(value, Mapping):
        return declared.to_number(value)
    return value if isinstance(value, int | float) else None


def name_of(place: dict[str, Any]) -> str:
    """Return the name of a deployment: its own name, and the values of the grid."""
    parts = [str(v) if k == DEPLOYMENT else f"{k}={v}" for k, v in place.items()]
    return ", ".join(parts) or "as it is"


def read_leaderboard(env: str) -> Leaderboard:
    """Read the leaderboard of an environment."""
    path = lookup(env).leaderboard
    if path is None:
        raise ParameterError(f"{env} has no leaderboard")
    config = read_config(path, LeaderboardConfig)
    if config.exclude:
        raise ParameterError(f"{path}: every policy plays in all deployments: remove exclude")
    if any(each.only or each.train or each.run for each in config.policies.values()):
        raise ParameterError(
            f"{path}: policies of a leaderboard are baselines in all deployments; list trained "
            "policies under trained"
        )
    for name, policy in config.policies.items():
        others = sorted(policy.parameters.keys() - set(config.policy_parameters))
        if others and name not in config.references:
            raise ParameterError(
                f"{path}: {name!r} sets parameters that trained policies may not set: add "
                f"{others} in policy_parameters, or {name!r} in references"
            )
    unknown = sorted(set(config.references) - config.policies.keys())
    if unknown:
        raise ParameterError(f"{path}: references {unknown} are not in policies")
    both = sorted(config.policies.keys() & config.trained.keys())
    if both:
        raise ParameterError(f"{path}: {both} are both in policies and in trained")
    return Leaderboard(config, read_yaml_text(path), path.parent)


Row = dict[str, Any]


@dataclass(frozen=True)
class Entry:
    """The policies of a row: one without training, or folders of runs or checkpoints."""

    name: str
    policy: PolicyConfig | None = None
    runs: tuple[Path, ...] = ()

    def policies(self, board: Leaderboard) -> dict[str, PolicyConfig]:
        """Return the entry's policies for a study."""
        if self.policy is not None:
            return {self.name: self.policy}
        return {
            f"{self.name}, run {number}": PolicyConfig(
                run=str(run.resolve()),
                parameters=own_parameters(find_checkpoint(run).config.parameters, board),
            )
            for number, run in enumerate(self.runs, 1)
        }


def own_parameters(trained: Mapping[str, Any], board: Leaderboard) -> dict[str, Any]:
    """Return the policy parameters of a training, from the parameters of its environment.

    A parameter that the training did not set has its default, even if the leaderboard sets it for
    other policies.
    """
    own = {name: trained[name] for name in board.config.policy_parameters if name in trained}
    said = {name for each in board.deployments.values() for name in each}
    left = said & set(board.config.policy_parameters) - own.keys()
    declared = _declared(board) if left else {}
    if not declared:
        return own
    usual = {name: each.value for name, each in declared.items()}
    usual |= lookup(board.config.env).scenario.defaults
    return {**own, **{name: usual[name] for name in sorted(left)}}


def play_entries(
    board: Leaderboard,
    entries: Sequence[Entry],
    folder: Path,
    *,
    workers: int | None = None,
    trust: bool = False,
    report: EventCallback = ignore,
) -> dict[str, Row]:
    """Play the deployments of a leaderboard; return a row for each entry."""
    for entry in entries:
        for run in entry.runs:
            trained = find_checkpoint(run, trust=trust).config.env
            if lookup(trained).name != lookup(board.config.env).name:
                raise ParameterError(f"{run} was trained in {trained}, not {board.config.env}")
    study = _study(board, entries)
    done = run_study(study, folder, workers=workers, trust=trust, report=report)
    return {each.name: _row(board, each, study.config, done.results) for each in entries}


def _study(board: Leaderboard, entries: Sequence[Entry]) -> Study:
    policies = {name: each for entry in entries for name, each in entry.policies(board).items()}
    values = {name: getattr(board.config, name) for name in StudyConfig.model_fields}
    config = StudyConfig(**{**values, "policies": policies, "plots": []})
    return Study(f"leaderboard of {board.config.env}", config, board.text, board.folder)


def _row(
    board: Leaderboard, entry: Entry, config: StudyConfig, results: Sequence[Result[Cell]]
) -> Row:
    """Return the row with the results of an entry.

    The interval of one policy is over seeds, each averaged over the deployments. The interval of
    five runs or more is over runs and seeds; two to four runs have none.
    """
    played = [
        _measured(config, [each for each in results if each.cell.policy == name])
        for name in entry.policies(board)
    ]
    values = [each for each, _ in played]
    returns = {place: [each[place] for each in values] for place in board.deployments}
    return {
        **_estimate(list(returns.values())),
        "deployments": {place: _estimate([each]) for place, each in returns.items()},
        "returns": returns,
        "scores": {
            place: [statistics.fmean(each[place]) for each in values] for place in board.deployments
        },
        "kind": _kind(board, entry),
        "wall_time_s": statistics.fmean(t for _, times in played for t in times),
        "episodes": config.episodes,
        "runs": len(entry.runs),
        "trained_in": _trained_in(board, entry),
        "what": _describe(entry),
        "versions": _versions(board, entry),
    }


def _measured(
    config: StudyConfig, results: Sequence[Result[Cell]]
) -> tuple[dict[str, list[float]], list[float]]:
    """Return the measure of a policy's episodes by deployment, and their wall times."""
    values: dict[str, list[float]] = {}
    times: list[float] = []
    for each in results:
        cell, record = each.cell, each.record
        if each.failed:
            raise SimulationError(f"{cell.place}: {record['error']}: {record['message']}")
        found = [episode.get(config.measure) for episode in record["episodes"]]
        if None in found:
            raise ParameterError(f"{cell.place}: no {config.measure} in some episodes")
        values[name_of(dict(cell.deployment))] = found
        times += record["wall_time_s"]
    return values, times


def _estimate(returns: Sequence[list[list[float]]]) -> dict[str, Any]:
    """Return the mean and the interval of returns by deployment, run and episode."""
    results = np.array(returns, np.float64).swapaxes(0, 1)
    if len(results) == 1:
        return Estimate.of([float(each) for each in results[0].mean(axis=0)]).to_json()
    found = measure(mean, results)
    return {"mean": found.value, "ci95": [found.low, found.high]}


def _trained_in(board: Leaderboard, entry: Entry) -> list[str]:
    """Return the deployments in which the entry's policies may have been trained."""
    trainings = [find_checkpoint(run).config.parameters for run in entry.runs]
    shipped = lookup(board.config.env).trained
    if entry.policy is not None and entry.policy.baseline == "trained" and shipped is not None:
        trainings = [json.loads(FilePolicy(shipped).metadata["parameters"])]
    played = [board.deployments_in(each) for each in trainings]
    return [place for place in board.deployments if any(place in each for each in played)]


def _kind(board: Leaderboard, entry: Entry) -> PolicyKind:
    if entry.policy is None or entry.policy.baseline is None:
        return "trained"
    if entry.name in board.config.references:
        return "reference"
    return maker_of(lookup(board.config.env), entry.policy.named).kind


def _describe(entry: Entry) -> str:
    if entry.policy is not None:
        chosen = {**entry.policy.options, **entry.policy.parameters}
        return ", ".join([entry.policy.baseline or "", *(f"{k}={v}" for k, v in chosen.items())])
    found = find_checkpoint(entry.runs[0])
    return f"{found.config.method}, {found.counters.steps:,} decisions"


def _versions(board: Leaderboard, entry: Entry) -> dict[str, str]:
    declaration = lookup(board.config.env).scenario.declaration(board.config.parameters)
    known = {"defiance-zoo": packages()["defiance-zoo"]}
    if declaration is not None:
        known["ns-3"] = declaration.ns3_version
    for run in entry.runs[:1]:
        library = find_checkpoint(run).config.library
        found = packages(library)
        known |= {name: found[name] for name in find_library(library).packages if name in found}
    return known
