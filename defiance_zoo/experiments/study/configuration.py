# SPDX-License-Identifier: GPL-2.0-only
"""The description of a study: policies that play in each deployment of a grid."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from defiance_zoo.experiments.evaluation import NamedPolicy
from defiance_zoo.experiments.training import RunConfig
from defiance_zoo.experiments.training.configuration import Count, Description, Seed
from defiance_zoo.experiments.workbench.wording import axis_label


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


class InfoMeasure(Description):
    """A number of each episode, from the scenario's infos."""

    info: str = Field(description="name of a numeric info")
    time: Literal["last", "mean"] = Field(
        default="last", description="the last value that an agent received, or the mean of all"
    )
    warm_up: float = Field(
        default=0, ge=0, lt=1, description="initial share of the episode that a mean leaves out"
    )
    agents: Literal["mean", "sum", "jain"] = Field(
        default="mean", description="combines the agents with the info; jain: Jain's fairness index"
    )

    @property
    def key(self) -> dict[str, Any]:
        """The fields for keys of cells, without default values, so a new field changes no key."""
        return self.model_dump(exclude_defaults=True)

    @model_validator(mode="after")
    def _check_warm_up(self) -> InfoMeasure:
        if self.warm_up and self.time != "mean":
            raise ValueError("warm_up needs time: mean")
        return self


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
