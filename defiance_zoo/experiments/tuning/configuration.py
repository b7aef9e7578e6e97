# SPDX-License-Identifier: GPL-2.0-only
"""The description of a tuning: a run, and a range for each searched key."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, NonNegativeInt, model_validator

from defiance_zoo.experiments.training import RunConfig
from defiance_zoo.experiments.training.configuration import Count, Description, Seed
from defiance_zoo.experiments.training.run_config_file import build_config

Bound = Annotated[float, Field(allow_inf_nan=False)]


class Range(Description):
    """The possible values of a key in trials, as in Optuna."""

    type: Literal["float", "int", "categorical"] = Field(description="the type of the values")
    low: Bound | None = Field(default=None, description="smallest value, for float and int")
    high: Bound | None = Field(default=None, description="largest value, for float and int")
    log: bool = Field(default=False, description="search on a logarithmic scale, for float and int")
    step: Bound | None = Field(
        default=None, gt=0, description="distance between values, for float and int"
    )
    choices: list[Any] | None = Field(
        default=None, description="all values, for categorical; lists and mappings are allowed"
    )

    @model_validator(mode="after")
    def _check(self) -> Range:
        if self.type == "categorical":
            self._check_choices()
        else:
            self._check_bounds()
        return self

    def _check_choices(self) -> None:
        if {"low", "high", "log", "step"} & self.model_fields_set:
            raise ValueError("categorical takes choices, but not low, high, log or step")
        if self.choices is None or len(set(self.labels)) < max(2, len(self.choices)):
            raise ValueError("categorical needs at least two different choices")

    def _check_bounds(self) -> None:
        if self.choices is not None or self.low is None or self.high is None:
            raise ValueError(f"{self.type} needs low and high, but no choices")
        if self.low >= self.high:
            raise ValueError(f"low={self.low:g} is not below high={self.high:g}")
        if self.log and (self.low <= 0 or self.step is not None):
            raise ValueError("log needs a low above 0, and excludes step")
        numbers = [self.low, self.high, 1 if self.step is None else self.step]
        if self.type == "int" and not all(each.is_integer() for each in map(float, numbers)):
            raise ValueError("low, high and step of int must be whole numbers")
        if self.step is not None:
            steps = (self.high - self.low) / self.step
            if not math.isclose(steps, round(steps), abs_tol=1e-9):
                raise ValueError("high must be low plus a multiple of step")

    @property
    def labels(self) -> list[Any]:
        """The choices as Optuna stores them: lists and mappings as JSON."""
        return [
            json.dumps(each) if isinstance(each, list | dict) else each
            for each in self.choices or ()
        ]

    @property
    def examples(self) -> list[Any]:
        """The bounds, or all choices."""
        if self.choices is not None:
            return self.choices
        bounds = [self.low or 0.0, self.high or 0.0]
        return [int(each) for each in bounds] if self.type == "int" else bounds

    def value(self, label: Any) -> Any:
        """Return the value of a key for the value that Optuna stores."""
        if self.choices is None:
            return label
        return self.choices[self.labels.index(label)]


class Space(Description):
    """The searched keys, nested as in a run."""

    hyperparameters: dict[str, Range] = Field(default_factory=dict, description="of the algorithm")
    parameters: dict[str, Range] = Field(default_factory=dict, description="of the environment")
    feature_options: dict[str, Range] = Field(default_factory=dict, description="of the features")
    algorithm: Range | None = Field(default=None, description="see the run")
    features: Range | None = Field(default=None, description="see the run")
    normalize: Range | None = Field(default=None, description="see the run")
    rollouts: Range | None = Field(default=None, description="see the run")
    simulations: Range | None = Field(default=None, description="see the run")

    @property
    def ranges(self) -> dict[str, Range]:
        """The ranges by key, such as `hyperparameters.learning_rate` or `normalize`."""
        return dict(self._ranges())

    def _ranges(self) -> Iterator[tuple[str, Range]]:
        for name in type(self).model_fields:
            found = getattr(self, name)
            if isinstance(found, Range):
                yield name, found
            elif found is not None:
                yield from ((f"{name}.{key}", each) for key, each in found.items())


class Tuning(Description):
    """The choice, comparison and pruning of the trials of a tuning."""

    space: Space = Field(description="the searched keys, with their ranges")
    trials: Count = Field(default=20, description="trials in total, failed ones included")
    seeds: Count = Field(
        default=1, description="runs of a trial, with consecutive seeds; their results are averaged"
    )
    seed: Seed = Field(default=1, description="seed of the choice of values")
    pruner: Literal["median", "none"] = Field(
        default="median", description="the rule that stops trials that are worse than others"
    )
    startup_trials: NonNegativeInt = Field(
        default=5, description="trials that complete before any trial is pruned"
    )
    warmup_evaluations: NonNegativeInt = Field(
        default=0, description="evaluations of a trial before the trial is pruned"
    )
    leaderboard_deployments: bool = Field(
        default=False,
        description="allow trials in a deployment of the environment's leaderboard, with other "
        "seeds",
    )


class TuningConfig(RunConfig):
    """A run with a section `tuning`, as a YAML file describes both."""

    tuning: Tuning = Field(description="see Tuning")

    def run(self, values: Mapping[str, Any], seed: int | None = None) -> RunConfig:
        """Return the run of a trial.

        Args:
            values: The value of each searched key.
            seed: The seed of the run; by default the description's.

        Raises:
            ParameterError: A value has the wrong type for its key.
        """
        described = self.model_dump(exclude={"tuning"})
        for key, value in values.items():
            section, dot, name = key.partition(".")
            described[section] = {**described[section], name: value} if dot else value
        return build_config({**described, "seed": self.seed if seed is None else seed})
