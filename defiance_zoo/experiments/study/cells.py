# SPDX-License-Identifier: GPL-2.0-only
"""The cells of a study, and the keys of their inputs."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from defiance_zoo.bridge.system.reading import list_files, naming, read_bytes
from defiance_zoo.environments import EnvironmentSpec, lookup
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.study.configuration import PolicyConfig, Rule, StudyConfig
from defiance_zoo.experiments.study.study_file import POLICY, Study
from defiance_zoo.experiments.training import RunConfig
from defiance_zoo.experiments.training.checkpoints import find_checkpoint
from defiance_zoo.experiments.training.provenance import packages
from defiance_zoo.experiments.workbench.keys import cell_key, digest

_MOST_BYTES = 2**32


@dataclass(frozen=True)
class Cell:
    """One policy in one deployment.

    Attributes:
        policy: Name of the policy.
        deployment: Values of the grid's axes.
        arguments: Arguments of the environment.
        training: Training of the policy, if any.
        key: Key of all inputs of its results.
    """

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
    """A run that a study needs.

    Attributes:
        policy: The name of its policy.
        config: The run.
        key: Key of all inputs of the run.
    """

    policy: str
    config: RunConfig
    key: str


def deployments(config: StudyConfig) -> list[dict[str, Any]]:
    """Return the combinations of the grid's values; the last axis varies fastest."""
    products = itertools.product(*config.axes.values())
    return [dict(zip(config.axes, values, strict=True)) for values in products]


def plan(study: Study) -> list[Cell]:
    """Return the cells of a study, policy by policy.

    Raises:
        ParameterError: The run of a policy is missing, or no cell is left.
        ScenarioNotFound: The scenario's program is missing.
    """
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
    if run.teacher is None:  # keeps the keys of runs from before teachers existed
        del described["teacher"]
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
        contents = _digests(checkpoint.trainer)
        return {"checkpoint": contents, "packages": packages(checkpoint.config.library)}
    if policy.baseline is None:
        return {}
    return policy.named.facts(spec)


def _digests(folder: Path) -> list[str]:
    """Return digests of all files of a folder.

    Raises:
        ParameterError: A file cannot be read, or is not a regular file.
    """
    with naming(folder):
        return [digest(read_bytes(path, _MOST_BYTES)) for _, path in list_files(folder)]
