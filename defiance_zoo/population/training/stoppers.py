# SPDX-License-Identifier: GPL-2.0-only
"""When a training, or a whole population, has come far enough.

A stopper is called as Ray Tune calls its own: with a name and what is known, and answers whether to
stop. Those of Ray Tune can stand beside these.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from defiance_zoo.errors import DependencyMissing
from defiance_zoo.experiments.training.single_agent import SCORE


class Stopper(Protocol):
    """Decides when to stop."""

    def __call__(self, trial_id: str, result: dict[str, Any]) -> bool:
        """Return whether to stop.

        Args:
            trial_id: Of what goes on.
            result: What is known of it now, by name; what is not known is missing.
        """


class StepsStopper:
    """Stops after as many decisions of the agent that learns."""

    def __init__(self, steps: int) -> None:
        self.steps = steps

    def __call__(self, trial_id: str, result: dict[str, Any]) -> bool:
        """See `Stopper`."""
        return bool(result["steps"] >= self.steps)


class WinRateStopper:
    """Stops when the mean score of late episodes is high enough."""

    def __init__(self, rate: float, episodes: int) -> None:
        """Choose when.

        Args:
            rate: Of won episodes, with half of the draws, from 0 to 1.
            episodes: That were played at least.
        """
        self._rate, self._episodes = rate, episodes

    def __call__(self, trial_id: str, result: dict[str, Any]) -> bool:
        """See `Stopper`."""
        known = result.get(SCORE)
        return known is not None and known >= self._rate and result["episodes"] >= self._episodes


class NashConvStopper:
    """Stops a population whose mixtures nobody gains much against."""

    def __init__(self, least: float) -> None:
        """Choose when.

        Args:
            least: NashConv at or below which it stops.
        """
        self._least = least

    def __call__(self, trial_id: str, result: dict[str, Any]) -> bool:
        """See `Stopper`."""
        known = result.get("nash_conv")
        return known is not None and known <= self._least


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
            "stop.plateau needs Ray Tune: pip install 'defiance-zoo[rllib]'"
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
