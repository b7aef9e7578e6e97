# SPDX-License-Identifier: GPL-2.0-only
"""The cells of a study: their keys, checks that each can be played, and jobs that play them."""

from __future__ import annotations

import contextlib
import functools
import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

from defiance_zoo.bridge.system.reading import list_files, naming, read_bytes
from defiance_zoo.environments import EnvironmentSpec, SimulationAECEnv, lookup
from defiance_zoo.environments.arguments import RESERVED, split_arguments
from defiance_zoo.environments.episodes.observer import RecordOptions
from defiance_zoo.errors import ParameterError, ScenarioError, SimulationError, UnknownParameter
from defiance_zoo.experiments.evaluation import (
    DividedPolicy,
    NamedPolicy,
    Policy,
    Spaces,
    agent_spaces,
    divide_agents,
    find_divisions,
    open_env,
    play,
    spaces_of,
)
from defiance_zoo.experiments.study.configuration import (
    POLICY,
    PolicyConfig,
    Rule,
    Study,
    StudyConfig,
)
from defiance_zoo.experiments.study.measures import InfoMeasure, measure, watched
from defiance_zoo.experiments.training import RunConfig
from defiance_zoo.experiments.training.checkpoints import TRAINER, find_checkpoint, read_checkpoint
from defiance_zoo.experiments.training.provenance import packages
from defiance_zoo.experiments.training.run import complete, is_complete
from defiance_zoo.experiments.training.trainer import (
    SavedPolicy,
    damaged,
    trained_spaces,
    trainer_class,
)
from defiance_zoo.experiments.workbench.events import EventCallback
from defiance_zoo.experiments.workbench.keys import cell_key, digest
from defiance_zoo.experiments.workbench.results_folder import ResultsFolder
from defiance_zoo.experiments.workbench.wording import assignments
from defiance_zoo.experiments.workbench.workers import Job

_MOST_BYTES = 2**32


@dataclass(frozen=True)
class Cell:
    """One policy in one deployment."""

    policy: str
    deployment: Mapping[str, Any]
    arguments: dict[str, Any]
    training: Training | None
    key: str

    @property
    def place(self) -> dict[str, Any]:
        """The cell's values in the columns of the tables."""
        return {POLICY: self.policy, **self.deployment}


@dataclass(frozen=True)
class Training:
    """A run that a study needs."""

    policy: str
    config: RunConfig
    key: str


def deployments(config: StudyConfig) -> list[dict[str, Any]]:
    """Return the combinations of the grid's values; the last axis varies fastest."""
    products = itertools.product(*config.axes.values())
    return [dict(zip(config.axes, values, strict=True)) for values in products]


def plan(study: Study) -> list[Cell]:
    """Return the cells of a study, policy by policy."""
    config, spec = study.config, lookup(study.config.env)
    cells = []
    for name, policy in config.policies.items():
        facts = _facts(policy, spec, study.folder)
        for deployment in deployments(config):
            place = {POLICY: name, **deployment}
            left_out = any(_holds(rule, place) for rule in config.exclude)
            if not left_out and _holds(policy.only, place):
                arguments = {**config.arguments(deployment), **policy.parameters}
                training = _training(name, policy, arguments)
                trained = training.key if training else None
                played = {
                    "episodes": config.episodes,
                    "seed": config.seed,
                    "trained": trained,
                    "measures": {k: each.key for k, each in config.measures.items()},
                }
                key = cell_key({**facts, **played}, spec.scenario, arguments)
                cells.append(Cell(name, deployment, arguments, training, key))
    if not cells:
        raise ParameterError("exclude and only leave no cell")
    return cells


def _holds(rule: Rule, place: Mapping[str, Any]) -> bool:
    return all(place[axis] in values for axis, values in rule.items())


def _training(name: str, policy: PolicyConfig, arguments: dict[str, Any]) -> Training | None:
    run = policy.train
    if run is None:
        return None
    if policy.per_deployment:
        run = run.model_copy(update={"parameters": {**run.parameters, **arguments}})
    described = run.model_dump(mode="json")
    for key in ("teacher", "residual"):  # keeps the keys of runs from before these existed
        if getattr(run, key) is None:
            del described[key]
    if run.residual is not None:
        described["base"] = run.residual.named.facts(lookup(run.env))
    if run.features is None:  # as above
        del described["features"], described["feature_options"]
    else:
        from defiance_zoo.experiments.training.features import feature_source  # imports PyTorch

        described["features_sha256"] = feature_source(run).digest()
    facts = {"run": described, "packages": packages(run.library)}
    return Training(name, run, cell_key(facts, lookup(run.env).scenario, run.parameters))


def _facts(policy: PolicyConfig, spec: EnvironmentSpec, folder: Path) -> dict[str, Any]:
    """Return the facts of an existing policy."""
    if policy.run is not None:
        checkpoint = find_checkpoint(folder / policy.run)
        with naming(checkpoint.trainer):
            files = list_files(checkpoint.trainer)
            contents = [digest(read_bytes(path, _MOST_BYTES)) for _, path in files]
        return {"checkpoint": contents, "packages": packages(checkpoint.config.library)}
    if policy.baseline is None:
        return {}
    return policy.named.facts(spec)


_MOST_SHOWN = 5
"""Maximum number of refusals in a message."""


def check(study: Study, cells: Sequence[Cell], report: EventCallback) -> None:
    """Start each deployment briefly, and compare its agents with the policies' agents."""
    spec = lookup(study.config.env)
    agents: dict[str, dict[str, Spaces] | None] = {}
    trained: dict[str, list[Spaces]] = {}
    refused = []
    count = len({json.dumps(cell.arguments) for cell in cells})
    for cell in cells:
        place = json.dumps(cell.arguments)
        try:
            if place not in agents:
                agents[place] = None
                agents[place] = agent_spaces(spec, cell.arguments)
                report({"event": "checked", "done": len(agents), "deployments": count})
            known = agents[place]
            if known is not None and cell.policy not in trained:
                trained[cell.policy] = _trained(study, cell, spec)
            if known is not None and trained[cell.policy]:
                find_divisions(spec, known, trained[cell.policy])
        except (ParameterError, ScenarioError) as error:
            refused.append(f"{_write(cell, agents[place] is None)}: {error}")
        except SimulationError:
            continue  # the cell will fail, but others continue
    _raise(refused)


def check_arguments(study: Study, cells: Sequence[Cell]) -> None:
    """Compare the arguments of each deployment with the scenario's description.

    Only the program's description is read.
    """
    scenario = lookup(study.config.env).scenario
    refused: dict[str, str] = {}
    for cell in cells:
        place = json.dumps(cell.arguments)
        try:
            if place not in refused:
                refused[place] = ""
                _settings, parameters = split_arguments(cell.arguments, scenario)
                plain = {k: v for k, v in parameters.items() if k not in RESERVED}
                scenario.check(plain)
        except UnknownParameter:
            raise  # it is unknown in every combination
        except ParameterError as error:
            refused[place] = f"{_write(cell, True)}: {error}"
    _raise([each for each in refused.values() if each])


def _raise(refused: Sequence[str]) -> None:
    if refused:
        more = f"\nand {len(refused) - _MOST_SHOWN} more" if len(refused) > _MOST_SHOWN else ""
        raise ParameterError(
            f"{len(refused)} of the combinations are not possible; leave them out with 'exclude':\n"
            + "\n".join(refused[:_MOST_SHOWN])
            + more
        )


def _trained(study: Study, cell: Cell, spec: EnvironmentSpec) -> list[Spaces]:
    """Return the spaces of a policy's training; empty if the policy plays with any spaces."""
    policy = study.config.policies[cell.policy]
    if policy.baseline is not None or policy.per_deployment:
        return []
    config = policy.train or find_checkpoint(study.folder / Path(policy.run or "")).config
    return list(agent_spaces(spec, config.parameters).values())


def _write(cell: Cell, whoever: bool) -> str:
    return assignments(cell.deployment if whoever else cell.place)


@dataclass(frozen=True)
class TrainingJob(Job):
    """Trains a run to its end, from its last checkpoint if there is one."""

    config: RunConfig
    folder: Path
    trust: bool = False

    @property
    def done(self) -> bool:
        """Whether the run has ended."""
        return is_complete(self.folder)

    def run(self, report: EventCallback) -> dict[str, Any]:
        complete(self.config, self.folder, trust=self.trust, report=report)
        return {}


@dataclass(frozen=True)
class CellJob(Job):
    """Plays the episodes of a cell."""

    env: str
    arguments: dict[str, Any]
    episodes: int
    seed: int
    player: SavedPolicy | NamedPolicy
    measures: Mapping[str, InfoMeasure] = field(default_factory=dict)
    record: RecordOptions | None = None

    def run(self, report: EventCallback) -> dict[str, Any]:
        spec = lookup(self.env)
        observed = {"communication_infos": spec.scenario.describes_itself, "record": self.record}
        with contextlib.closing(open_env(spec, {**self.arguments, **observed})) as env:
            agents = spaces_of(env)
            units = count_units(spec, agents)
            policy = self._policy(spec, env, agents)
            watch = watched(self.measures)
            played = list(play(env, policy, episodes=self.episodes, seed=self.seed, watch=watch))
        return {
            "episodes": [measure(episode, units, self.measures) for episode in played],
            "wall_time_s": [episode.wall_time_s for episode in played],
        }

    def portable(self) -> Job:
        if isinstance(self.player, NamedPolicy):
            return self
        return replace(self, player=self.player.packed())

    def _policy(
        self, spec: EnvironmentSpec, env: SimulationAECEnv, agents: dict[str, Spaces]
    ) -> Policy:
        if isinstance(self.player, NamedPolicy):
            return self.player.make(spec, env, self.seed)
        policy, trained = _load(self.player)
        return DividedPolicy(policy, find_divisions(spec, agents, trained))


def count_units(spec: EnvironmentSpec, agents: Mapping[str, Spaces]) -> dict[str, int]:
    """Return the number of units of each agent that earns the sum over several."""
    if spec.common_reward:
        return {}
    return {name: len(each.agents) for name, each in divide_agents(spec, agents).items()}


@functools.lru_cache(maxsize=4)
def _load(saved: SavedPolicy) -> tuple[Policy, list[Spaces]]:
    """Return a policy and its spaces, which are cached for further cells."""
    with saved.open() as copy, damaged(saved.folder / TRAINER):
        found = read_checkpoint(copy)
        policy = trainer_class(found.config.library).load_policy(found.config, found.trainer)
    return policy, trained_spaces(found.config, policy)


@dataclass
class Episodes:
    """The record of a finished cell of a study."""

    episodes: list[dict[str, float | None]]
    wall_time_s: list[float]


class StudyFolder(ResultsFolder):
    """A study's folder; see `ResultsFolder`."""

    kind: ClassVar[str] = "study"
    described_by: ClassVar[str] = "study.yaml"
    folders: ClassVar[tuple[str, ...]] = ("cells", "plots", "trainings")
    results: ClassVar[type] = Episodes


def training_job(folder: Path, training: Training, *, trust: bool = False) -> TrainingJob:
    """Return the job that trains a run in a study's folder, which need not exist."""
    return TrainingJob(training.config, folder / "trainings" / training.key, trust)
