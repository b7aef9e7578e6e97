# SPDX-License-Identifier: GPL-2.0-only
"""The description of a study: policies that play in each deployment of a grid."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BeforeValidator, Field, model_validator

from defiance_zoo.bridge.system.spelling import near_word
from defiance_zoo.environments import EnvironmentSpec, lookup
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.evaluation import NamedPolicy, policy_makers, read_named
from defiance_zoo.experiments.study.measures import COLUMNS, InfoMeasure, is_measure
from defiance_zoo.experiments.training import RunConfig
from defiance_zoo.experiments.training.configuration import Count, Description, Seed
from defiance_zoo.experiments.training.run_config_file import check_names
from defiance_zoo.experiments.workbench.descriptions import build_model, read_yaml, read_yaml_text
from defiance_zoo.experiments.workbench.wording import axis_label, locating, require_choice


def _listed(value: Any) -> Any:
    """Convert one value to a list."""
    return value if isinstance(value, list) else [value]


DEPLOYMENT = "deployment"
"""The axis of named deployments."""

Values = Annotated[list[Any], BeforeValidator(_listed), Field(min_length=1)]
"""Values of a parameter; a single value needs no list."""

Rule = dict[str, Values]
"""Selects the cells that have one of the values of each key: an axis of the grid or `policy`."""


class PolicyConfig(Description):
    """A policy: exactly one of `baseline`, `run` and `train`."""

    baseline: str | None = Field(
        default=None, description="baseline of the environment, random, or lookahead"
    )
    options: dict[str, Any] = Field(default_factory=dict, description="options by name")
    run: str | None = Field(
        default=None, description="folder of a run, whose best checkpoint plays, or of a checkpoint"
    )
    train: RunConfig | None = Field(
        default=None, description="a run, or the name of its file, which is trained for the study"
    )
    parameters: dict[str, Any] = Field(
        default_factory=dict,
        description="arguments of the environment for this policy, in all of its cells",
    )
    per_deployment: bool = Field(
        default=False, description="train anew with the parameters of each deployment"
    )
    only: Rule = Field(default_factory=dict, description="cells in which it plays; by default all")

    @property
    def named(self) -> NamedPolicy:
        """The name and options of a policy that needs no training; only with `baseline`."""
        return NamedPolicy(self.baseline or "", self.options)


class PlotConfig(Description):
    """A plot, and the table of its numbers."""

    question: str = Field(default="Results", description="question as a heading")
    y: str = Field(default="return_per_unit", description="a column of episodes.csv")
    x: str = Field(description="an axis of the grid; or a column of episodes.csv, drawn as points")
    lines: str = Field(default="policy", description="an axis of the grid, or policy")
    panels: str | None = Field(default=None, description="an axis of the grid, or policy")
    where: dict[str, Any] = Field(
        default_factory=dict, description="values of the other axes; by default the first of each"
    )


class StudyConfig(Description):
    """A study, as a YAML file describes it."""

    env: str = Field(description="a registered environment, such as cart_pole_v0")
    parameters: dict[str, Any] = Field(
        default_factory=dict, description="arguments of the environment in every cell"
    )
    policies: dict[str, PolicyConfig] = Field(min_length=1, description="policies, by name")
    grid: dict[str, Values] = Field(
        default_factory=dict, description="values of each argument that varies"
    )
    deployments: dict[str, dict[str, Any]] = Field(
        default_factory=dict,
        description="arguments that vary together, by name: a value of an axis 'deployment'",
    )
    exclude: list[Rule] = Field(default_factory=list, description="cells that are left out")
    episodes: Count = Field(default=5, description="in each cell")
    seed: Seed = Field(default=1000, description="episode i is played with seed + i")
    measures: dict[str, InfoMeasure] = Field(
        default_factory=dict, description="further columns of episodes.csv, from infos, by name"
    )
    measure: str = Field(
        default="return_per_unit", description="the column by which policies are compared"
    )
    plots: list[PlotConfig] | None = Field(
        default=None, description="by default the return and the communication over each axis"
    )
    labels: dict[str, str] = Field(
        default_factory=dict,
        description="names of axes and columns in plots, with units; derived by default",
    )
    record: bool = Field(
        default=False, description="whether each episode is recorded, in `episodes/` of the folder"
    )
    ray_address: str | None = Field(default=None, description="a Ray cluster that plays the cells")

    @model_validator(mode="after")
    def _check_record(self) -> StudyConfig:
        if self.record and self.ray_address is not None:
            raise ValueError("record needs cells on this machine: leave out ray_address")
        return self

    @property
    def axes(self) -> dict[str, list[Any]]:
        """The axes of the grid with their values, named deployments first."""
        named = {DEPLOYMENT: list(self.deployments)} if self.deployments else {}
        return {**named, **self.grid}

    def label(self, name: str) -> str:
        """Return the name of an axis or a column in plots."""
        return self.labels.get(name) or axis_label(name)

    def arguments(self, place: Mapping[str, Any]) -> dict[str, Any]:
        """Return the environment's arguments at a place of the grid."""
        named = self.deployments.get(place.get(DEPLOYMENT, ""), {})
        varied = {name: value for name, value in place.items() if name in self.grid}
        return {**self.parameters, **named, **varied}


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


def read_study(path: Path | str) -> Study:
    """Read a study.

    Raises:
        ParameterError: The file cannot be read, or a key or name is unknown, missing or has a wrong
            type.
        UnknownEnvironment: There is no environment of this name.
    """
    path = Path(path)
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
