# SPDX-License-Identifier: GPL-2.0-only
"""Conditions that stop a training, or the growth of a population.

A stopper is called as Ray Tune calls its own: with a name and what is known, and answers whether to
stop. They can be combined with stoppers of Ray Tune.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from defiance_zoo.bridge.system.extras import install_command
from defiance_zoo.errors import DependencyMissing
from defiance_zoo.experiments.training.single_agent import SCORE

Stopper = Callable[[str, dict[str, Any]], bool]
"""Returns whether to stop, from the name of a training and its present metrics."""


def steps_stopper(steps: int) -> Stopper:
    """Return a condition that holds after as many decisions of the agent that learns."""
    return lambda _trial_id, result: bool(result["steps"] >= steps)


def win_rate_stopper(rate: float, episodes: int) -> Stopper:
    """Return a condition that holds when the mean score of late episodes is high enough.

    Args:
        rate: Rate of won episodes, with half of the draws, from 0 to 1.
        episodes: Least number of played episodes.
    """

    def stop(_trial_id: str, result: dict[str, Any]) -> bool:
        known = result.get(SCORE)
        return known is not None and known >= rate and result["episodes"] >= episodes

    return stop


def nash_conv_stopper(least: float) -> Stopper:
    """Return a condition that holds when a population's NashConv is at most the least one."""

    def stop(_trial_id: str, result: dict[str, Any]) -> bool:
        known = result.get("nash_conv")
        return known is not None and known <= least

    return stop


def plateau_stopper(deviation: float, iterations: int) -> Stopper:
    """Return Ray Tune's stopper for a mean return that does not change any more.

    Args:
        deviation: Standard deviation of the mean return at which it stops.
        iterations: The last so many are looked at, and there are as many at least.

    Raises:
        DependencyMissing: Ray is not installed.
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
    """Return the name of the first stopper that wants to stop; all are asked, as some remember.

    Args:
        stoppers: By name.
        trial_id: As of `Stopper`.
        result: As of `Stopper`.
    """
    asked = {name: stopper(trial_id, result) for name, stopper in stoppers.items()}
    return next((name for name, stops in asked.items() if stops), None)
