# SPDX-License-Identifier: GPL-2.0-only
"""Refusal of tunings whose trials cannot run, or use the episodes of a leaderboard."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from defiance_zoo.bridge.simulation import Choice, Distribution, Parameter, describe
from defiance_zoo.bridge.simulation.distributions import read_distribution
from defiance_zoo.environments import EnvironmentSpec, lookup
from defiance_zoo.environments.arguments import LaunchArguments
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.study.leaderboard import Leaderboard, read_leaderboard
from defiance_zoo.experiments.training.library_support import check_names
from defiance_zoo.experiments.training.run_config_file import check_environment
from defiance_zoo.experiments.tuning.configuration import Range, TuningConfig
from defiance_zoo.experiments.workbench.wording import assignments, locating


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
        if name in getattr(config, section) if name else section in config.model_fields_set:
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
    spec = lookup(config.env)
    if spec.leaderboard is not None:
        board = read_leaderboard(config.env)
        _check_seeds(config, board)
        if not config.tuning.leaderboard_deployments:
            _check_deployments(config, spec, board)


def _check_seeds(config: TuningConfig, board: Leaderboard) -> None:
    first, last = config.evaluation.seed_of_choice, board.config.seed + board.config.episodes
    end = first + config.evaluation.episodes
    if first < last and board.config.seed < end:
        raise ParameterError(
            f"evaluation.seed={config.evaluation.seed}: trials would be compared by the seeds "
            f"{first} to {end - 1}, and the leaderboard of {config.env} plays the seeds "
            f"{board.config.seed} to {last - 1}: choose another evaluation.seed"
        )


def _check_deployments(config: TuningConfig, spec: EnvironmentSpec, board: Leaderboard) -> None:
    declared: Mapping[str, Parameter] = {}
    if spec.scenario.describes_itself:
        program = spec.scenario.locate({**spec.scenario.defaults, **config.parameters})
        declared = describe(program).parameters
    usual = {**{name: each.value for name, each in declared.items()}, **spec.scenario.defaults}
    mine = {**usual, **config.parameters, **config.tuning.space.parameters}
    ignored = {*board.config.policy_parameters, *LaunchArguments.__annotations__}
    for name, arguments in board.deployments.items():
        theirs = {**usual, **arguments}
        compared = (mine.keys() | theirs.keys()) - ignored
        if all(_may_equal(mine.get(key), theirs.get(key), declared.get(key)) for key in compared):
            raise ParameterError(
                f"trials would be compared in the deployment {name!r} of the leaderboard of "
                f"{config.env} ({assignments(arguments) or 'its defaults'}): choose other "
                "parameters, or set tuning.leaderboard_deployments to true"
            )


def _may_equal(mine: Any, theirs: Any, declared: Parameter | None) -> bool:
    """Return whether a value, a range or a distribution can equal a leaderboard's value."""
    mine = read_distribution(mine)
    if isinstance(mine, Choice) or (isinstance(mine, Range) and mine.choices is not None):
        return any(_may_equal(each, theirs, declared) for each in mine.examples)
    number = _number(theirs, declared)
    if isinstance(mine, Range | Distribution):
        low, high = (_number(each, declared) for each in mine.examples)
        return low is not None and high is not None and number is not None and low <= number <= high
    return bool(mine == theirs) or (number is not None and number == _number(mine, declared))


def _number(value: Any, declared: Parameter | None) -> float | None:
    if declared is not None and not isinstance(value, Mapping):
        return declared.to_number(value)
    return value if isinstance(value, int | float) else None
