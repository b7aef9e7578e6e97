# SPDX-License-Identifier: GPL-2.0-only
"""Reading of studies from YAML files, with checks of all names."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from defiance_zoo.bridge.system.spelling import near_word
from defiance_zoo.environments import EnvironmentSpec, lookup
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.evaluation import policy_makers, read_named
from defiance_zoo.experiments.study.configuration import (
    DEPLOYMENT,
    PlotConfig,
    PolicyConfig,
    Rule,
    StudyConfig,
)
from defiance_zoo.experiments.study.measures import COLUMNS, is_measure
from defiance_zoo.experiments.training.library_support import check_names
from defiance_zoo.experiments.workbench.descriptions import build_model, read_yaml, read_yaml_text
from defiance_zoo.experiments.workbench.wording import locating, require_choice

_MOST_CELLS = 1_000_000

POLICY = "policy"
"""The name of the policy in rules and plots, in addition to the axes of the grid."""


@dataclass(frozen=True)
class Study:
    """A study and its file.

    Attributes:
        name: Name of its file.
        config: The description.
        text: Text of the file.
        folder: Folder of the file, where relative paths of runs start.
    """

    name: str
    config: StudyConfig
    text: str
    folder: Path


def read_study(path: Path) -> Study:
    """Read a study.

    Raises:
        ParameterError: The file cannot be read, or a key or name is unknown, missing or has a wrong
            type.
        UnknownEnvironment: There is no environment of this name.
    """
    config = read_config(path, StudyConfig)
    return Study(path.stem, config, read_yaml_text(path), path.parent)


_Config = TypeVar("_Config", bound=StudyConfig)


def read_config(path: Path, model: type[_Config]) -> _Config:
    """Read a study of a subclass, which may have further keys; see `read_study`."""
    config = build_model(model, _with_runs(read_yaml(path), path.parent))
    _check(config, lookup(config.env))
    return config


def _with_runs(values: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Load the runs that are files; runs without an env get the study's env."""
    policies = values.get("policies")
    if not isinstance(policies, dict):
        return values
    found = {}
    for name, policy in policies.items():
        found[name] = policy
        if isinstance(policy, dict) and isinstance(policy.get("train"), str | dict):
            train = policy["train"]
            train = read_yaml(folder / train) if isinstance(train, str) else train
            found[name] = {**policy, "train": {"env": values.get("env"), **train}}
    return {**values, "policies": found}


def _check(config: StudyConfig, spec: EnvironmentSpec) -> None:
    _check_axes(config)
    _check_deployments(config)
    _check_names_of_columns(config)
    for name, policy in config.policies.items():
        _check_policy(name, policy, config, spec)
    for rule in config.exclude:
        _check_rule("exclude", rule, config)
    for plot in config.plots or ():
        _check_plot(plot, config)
    for name in config.labels:
        if name not in (POLICY, *config.axes):
            _check_measure("labels", name, config)


def _check_plot(plot: PlotConfig, config: StudyConfig) -> None:
    _check_measure("plots.y", plot.y, config)
    axes = {"x": plot.x, "lines": plot.lines, "panels": plot.panels}
    used = [axis for axis in axes.values() if axis is not None]
    columns = [each for each in (plot.x,) if each in config.measures or is_measure(each)]
    for key, axis in axes.items():
        if axis is not None:
            known = [*config.axes, POLICY, *(columns if key == "x" else ())]
            require_choice(f"plots.{key}", axis, sorted(known))
    for axis in [*used, *plot.where]:
        if [*used, *plot.where].count(axis) > 1:
            raise ParameterError(f"plots: {axis} is in two of x, lines, panels and where")
    _check_rule("plots.where", {axis: [value] for axis, value in plot.where.items()}, config)


def _check_measure(where: str, name: str, config: StudyConfig) -> None:
    if name not in config.measures and not is_measure(name):
        require_choice(where, name, sorted([*COLUMNS[1:], *config.measures]))


def _check_names_of_columns(config: StudyConfig) -> None:
    for name in config.measures:
        if is_measure(name) or name in ("seed", POLICY, *config.axes):
            raise ParameterError(f"measures.{name}: the tables already have a column of this name")
    _check_measure("measure", config.measure, config)


def _check_deployments(config: StudyConfig) -> None:
    """Refuse deployments that repeat arguments of the grid or the parameters."""
    if config.deployments and DEPLOYMENT in config.grid:
        raise ParameterError("deployment is both an axis of the grid and a section deployments")
    for name, arguments in config.deployments.items():
        for argument in arguments:
            if argument in config.grid:
                raise ParameterError(f"{argument} is both in deployments.{name} and in the grid")


def _check_axes(config: StudyConfig) -> None:
    """Refuse values that tables cannot hold, names of existing columns, and too many cells."""
    count = math.prod(map(len, config.axes.values())) * len(config.policies)
    if count > _MOST_CELLS:
        raise ParameterError(f"the study would have {count:,} cells; {_MOST_CELLS:,} are possible")
    for axis, values in config.grid.items():
        if axis == POLICY or axis in COLUMNS:
            raise ParameterError(f"grid.{axis}: the tables already have a column of this name")
        if axis in config.parameters:
            raise ParameterError(f"{axis} is both in parameters and in the grid")
        seen = set()
        for value in values:
            if type(value) not in (bool, int, float, str):
                raise ParameterError(f"grid.{axis}={value!r} is not a number, text, true or false")
            if value in seen:
                raise ParameterError(f"grid.{axis} has {value!r} twice")
            seen.add(value)


def _check_policy(
    name: str, policy: PolicyConfig, config: StudyConfig, spec: EnvironmentSpec
) -> None:
    kinds = [kind for kind in ("baseline", "run", "train") if getattr(policy, kind) is not None]
    if len(kinds) != 1:
        raise ParameterError(
            f"policies.{name} has {' and '.join(kinds) or 'none'} of baseline, run and train; "
            "give exactly one"
        )
    if policy.baseline is not None:
        require_choice(f"policies.{name}.baseline", policy.baseline, sorted(policy_makers(spec)))
        with locating(f"policies.{name}.options"):
            read_named(spec, policy.named)
    elif policy.options:
        raise ParameterError(f"policies.{name}.options are for baselines")
    if policy.per_deployment and policy.train is None:
        raise ParameterError(f"policies.{name}.per_deployment is for trained policies")
    if policy.train is not None and policy.train.env != config.env:
        raise ParameterError(f"policies.{name} is trained in {policy.train.env}, not {config.env}")
    if policy.train is not None:
        check_names(policy.train)
    _check_rule(f"policies.{name}.only", policy.only, config)


def _check_rule(where: str, rule: Rule, config: StudyConfig) -> None:
    choices: Mapping[str, Collection[Any]] = {**config.axes, POLICY: list(config.policies)}
    for axis, values in rule.items():
        require_choice(where, axis, sorted(choices))
        for value in values:
            if value not in choices[axis]:
                near = near_word(str(value), [str(each) for each in choices[axis]])
                known = list(choices[axis])
                raise ParameterError(f"{where}: {axis} has no {value!r}{near}; it has {known}")
