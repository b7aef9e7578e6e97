# SPDX-License-Identifier: GPL-2.0-only
"""The description of a tuning, a run with a range for each searched key, and its checks."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from pydantic import Field, NonNegativeInt, model_validator

from defiance_zoo.bridge.simulation import Choice, Distribution, Uniform
from defiance_zoo.environments import lookup
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.study.leaderboard.board import Leaderboard, read_leaderboard
from defiance_zoo.experiments.training import RunConfig
from defiance_zoo.experiments.training.configuration import Count, Description, Seed
from defiance_zoo.experiments.training.run_config_file import (
    build_config,
    check_environment,
    check_names,
)
from defiance_zoo.experiments.workbench.descriptions import build_model
from defiance_zoo.experiments.workbench.wording import assignments, locating

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
            if self.log or (self.low, self.high, self.step) != (None, None, None):
                raise ValueError("categorical takes choices, but not low, high, log or step")
            if self.choices is None or len(self.by_label) < max(2, len(self.choices)):
                raise ValueError("categorical needs at least two different choices")
            return self
        if self.choices is not None or self.low is None or self.high is None:
            raise ValueError(f"{self.type} needs low and high, but no choices")
        if self.low >= self.high:
            raise ValueError(f"low={self.low:g} is not below high={self.high:g}")
        numbers = [self.low, self.high, 1.0 if self.step is None else self.step]
        if self.type == "int" and not all(number.is_integer() for number in numbers):
            raise ValueError("low, high and step of int must be whole numbers")
        steps = 0.0 if self.step is None else (self.high - self.low) / self.step
        if not math.isclose(steps, round(steps), abs_tol=1e-9):
            raise ValueError("high must be low plus a multiple of step")
        assert self.distribution is not None  # Optuna checks `log`
        return self

    @property
    def distribution(self) -> BaseDistribution:
        """The range as Optuna samples it."""
        if self.choices is not None:
            return CategoricalDistribution(list(self.by_label))
        low, high = self.examples
        if self.type == "float":
            return FloatDistribution(low, high, log=self.log, step=self.step)
        return IntDistribution(low, high, log=self.log, step=int(self.step or 1))

    @property
    def by_label(self) -> dict[Any, Any]:
        """The choices by the values that Optuna can store: lists and mappings as JSON."""
        return {
            json.dumps(choice) if isinstance(choice, list | dict) else choice: choice
            for choice in self.choices or ()
        }

    @property
    def examples(self) -> list[Any]:
        """The bounds, or all choices."""
        if self.choices is not None:
            return self.choices
        bounds = [self.low or 0.0, self.high or 0.0]
        return [int(bound) for bound in bounds] if self.type == "int" else bounds

    @property
    def span(self) -> Distribution:
        """A distribution over the same values."""
        return Choice(self.examples) if self.choices is not None else Uniform(*self.examples)


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
        ranges: dict[str, Range] = {}
        for name in type(self).model_fields:
            searched = getattr(self, name)
            if isinstance(searched, Range):
                ranges[name] = searched
            elif searched is not None:
                ranges |= {f"{name}.{key}": value for key, value in searched.items()}
        return ranges


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
        """Return the run of a trial with the values of the searched keys.

        Raises:
            ParameterError: A value has the wrong type for its key.
        """
        described = self.model_dump(exclude={"tuning"})
        for key, value in values.items():
            section, dot, name = key.partition(".")
            described[section] = {**described[section], name: value} if dot else value
        return build_config({**described, "seed": self.seed if seed is None else seed})


def build_tuning(values: Mapping[str, Any]) -> TuningConfig:
    """Return the tuning that keys and values describe.

    Raises:
        ParameterError: A key is unknown, missing or has a wrong type, or a range is empty.
    """
    if "tuning" not in values:
        raise ParameterError(
            "'tuning' is missing: the section that names the keys to search, such as tuning: "
            "{space: {hyperparameters: {learning_rate: {type: float, low: 1e-5, high: 1e-2, "
            "log: true}}}}"
        )
    return build_model(TuningConfig, values)


def check(config: TuningConfig) -> None:
    """Refuse a tuning whose trials cannot run; no simulation starts.

    Each bound and each choice is checked with the first values of the other keys.

    Raises:
        ParameterError: No key is searched, a key is both fixed and searched, a name is unknown, a
            value is not allowed, trials would have no evaluation, or their evaluations would use
            seeds or deployments of the environment's leaderboard.
        DefianceZooError: As for `train()`.
    """
    ranges = config.tuning.space.ranges
    if not ranges:
        raise ParameterError("tuning.space names no key to search")
    for key in ranges:
        section, _, name = key.partition(".")
        value = getattr(config, section)
        # A description that a tuning has written names every key.
        default = TuningConfig.model_fields[section].get_default(call_default_factory=True)
        if name in value if name else value != default:
            raise ParameterError(f"{key} has a value, and is in tuning.space: remove one of them")
    every = config.evaluation.every
    if every is None:
        raise ParameterError(
            "evaluation.every is not set: trials are compared by the evaluations during their "
            f"training, such as evaluation: {{every: {max(1, config.steps // 10)}}}"
        )
    if every > config.steps:
        raise ParameterError(
            f"evaluation.every={every} is more than steps={config.steps}: no trial would be "
            "evaluated"
        )
    first = {key: searched.examples[0] for key, searched in ranges.items()}
    for key, searched in ranges.items():
        for example in searched.examples:
            with locating(f"tuning.space.{key}: {example!r}"):
                run = config.run({**first, key: example})
                check_names(run)
                check_environment(run)
    if lookup(config.env).leaderboard is not None:
        _check_leaderboard(config, read_leaderboard(config.env))


def _check_leaderboard(config: TuningConfig, board: Leaderboard) -> None:
    begin, end = board.config.seed, board.config.seed + board.config.episodes
    first = config.evaluation.seed_of_choice
    last = first + config.evaluation.episodes - 1
    if first < end and begin <= last:
        raise ParameterError(
            f"evaluation.seed={config.evaluation.seed}: trials would be compared by the seeds "
            f"{first} to {last}, and the leaderboard of {config.env} plays the seeds "
            f"{begin} to {end - 1}: choose another evaluation.seed"
        )
    if config.tuning.leaderboard_deployments:
        return
    mine = {**config.parameters, **config.tuning.space.parameters}
    spans = {name: each.span for name, each in mine.items() if isinstance(each, Range)}
    for name in board.deployments_in({**mine, **spans}):
        told = assignments(board.deployments[name]) or "its defaults"
        raise ParameterError(
            f"trials would be compared in the deployment {name!r} of the leaderboard of "
            f"{config.env} ({told}): choose other parameters, or set "
            "tuning.leaderboard_deployments to true"
        )
