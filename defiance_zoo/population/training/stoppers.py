# SPDX-License-Identifier: GPL-2.0-only
"""Conditions that stop a training, or the growth of a population.

A stopper has Ray Tune's interface: it takes a name and metrics, and returns whether to stop.
Stoppers can be combined with Ray Tune's stoppers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from defiance_zoo.bridge.system.extras import install_command
from defiance_zoo.errors import DependencyMissing
from defiance_zoo.experiments.training.trainer import SCORE

Stopper = Callable[[str, dict[str, Any]], bool]
"""Takes the name of a training and its current metrics, and returns whether to stop."""


def steps_stopper(steps: int) -> Stopper:
    """Return a condition that holds after a number of decisions of the learning agent."""
    return lambda _trial_id, result: bool(result["steps"] >= steps)


def win_rate_stopper(rate: float, episodes: int) -> Stopper:
    """Return a condition that holds when the mean score of the last episodes is high enough.

    Args:
        rate: Wins plus half of the draws, as a share of episodes (0 to 1).
        episodes: Minimum number of played episodes.
    """

    def stop(_trial_id: str, result: dict[str, Any]) -> bool:
        known = result.get(SCORE)
        return known is not None and known >= rate and result["episodes"] >= episodes

    return stop


def nash_conv_stopper(least: float) -> Stopper:
    """Return a condition that holds when a population's NashConv is at most a limit."""

    def stop(_trial_id: str, result: dict[str, Any]) -> bool:
        known = result.get("nash_conv")
        return known is not None and known <= least

    return stop


def plateau_stopper(deviation: float, iterations: int) -> Stopper:
    """Return Ray Tune's stopper for a mean return that no longer changes.

    Args:
        deviation: Standard deviation of the mean return at which the training stops.
        iterations: Number of last iterations in the deviation; also the minimum number of
            iterations.
    """
    try:
        from ray.tune.stopper import TrialPlateauStopper
    except ModuleNotFoundError as error:
        raise DependencyMissing(
            f"stop.plateau needs Ray Tune: {install_command('rllib')}"
        ) from error
    stopper: Stopper = TrialPlateauStopper(
        "return/mean", std=deviation, num_results=iterations, grace_period=iterations
    )
    return stopper


def first_to_stop(
    stoppers: Mapping[str, Stopper], trial_id: str, result: dict[str, Any]
) -> str | None:
    """Return the name of the first stopper that stops; all are called, since some have a state."""
    stops_by_name = {name: stopper(trial_id, result) for name, stopper in stoppers.items()}
    return next((name for name, stops in stops_by_name.items() if stops), None)
