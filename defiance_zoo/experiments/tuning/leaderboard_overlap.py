# SPDX-License-Identifier: GPL-2.0-only
"""Refusal of tunings that use the episodes of the environment's leaderboard."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from defiance_zoo.bridge.simulation import Choice, Distribution, Parameter, describe
from defiance_zoo.bridge.simulation.distributions import read_distribution
from defiance_zoo.environments import EnvironmentSpec, lookup
from defiance_zoo.environments.arguments import LaunchArguments
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.study.leaderboard import Leaderboard, read_leaderboard
from defiance_zoo.experiments.tuning.configuration import Range, TuningConfig
from defiance_zoo.experiments.workbench.wording import assignments


def check_leaderboard(config: TuningConfig) -> None:
    """Refuse a tuning that compares trials by episodes or deployments of the leaderboard.

    Raises:
        ParameterError: An evaluation uses a seed of the environment's leaderboard; or it can use a
            deployment of the leaderboard, and `leaderboard_deployments` is false.
    """
    spec = lookup(config.env)
    if spec.leaderboard is None:
        return
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
