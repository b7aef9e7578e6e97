# SPDX-License-Identifier: GPL-2.0-only
"""Comparison of trained policies with the best hand-written policy."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from defiance_zoo.experiments.workbench.estimates import interquartile_mean

Scores = Mapping[str, Sequence[float]]
"""Scores of the runs by deployment (or another task)."""


@dataclass(frozen=True)
class Comparison:
    """A trained policy compared with the best hand-written one.

    Attributes:
        name: Row of the trained policy.
        other: Row of the hand-written policy with the greatest mean.
        wins: Deployments in which the mean over the runs is greater than the other policy's.
        deployments: Number of deployments.
        probability: Probability of improvement (Agarwal et al., 2021, "Deep Reinforcement Learning
            at the Edge of the Statistical Precipice"): the probability that a run's score is
            greater than the other policy's, averaged over deployments; equal scores count half.
        iqm: Interquartile mean of all runs' scores in all deployments.
        other_iqm: Interquartile mean of the hand-written policy.
    """

    name: str
    other: str
    wins: int
    deployments: int
    probability: float
    iqm: float
    other_iqm: float


def compare_trained(rows: Mapping[str, Any]) -> list[Comparison]:
    """Compare each trained row of a leaderboard with the best hand-written row.

    Args:
        rows: Rows by name, with `kind` (a `PolicyKind`), `mean` and optionally `scores`, the mean
            of each run in each deployment (`{deployment: [score, ...]}`). Rows without scores are
            left out.

    Returns:
        A comparison for each trained row, greatest mean first. Empty without hand-written rows.
    """
    known = {name: row for name, row in rows.items() if row.get("scores")}
    by_hand = {name: row for name, row in known.items() if row["kind"] == "hand-written"}
    trained = {name: row for name, row in known.items() if row["kind"] == "trained"}
    if not by_hand:
        return []
    best = max(by_hand, key=lambda name: by_hand[name]["mean"])
    ordered = sorted(trained, key=lambda name: -trained[name]["mean"])
    theirs = by_hand[best]["scores"]
    found = [_compare(name, trained[name]["scores"], best, theirs) for name in ordered]
    return [each for each in found if each is not None]


def _compare(name: str, ours: Scores, other: str, theirs: Scores) -> Comparison | None:
    """Compare two rows in their common deployments; None if there are none."""
    places = [place for place in ours if place in theirs]
    if not places:
        return None
    wins = sum(statistics.fmean(ours[place]) > statistics.fmean(theirs[place]) for place in places)
    return Comparison(
        name=name,
        other=other,
        wins=wins,
        deployments=len(places),
        probability=probability_of_improvement({each: ours[each] for each in places}, theirs),
        iqm=interquartile_mean([score for place in places for score in ours[place]]),
        other_iqm=interquartile_mean([score for place in places for score in theirs[place]]),
    )


def probability_of_improvement(ours: Scores, theirs: Scores) -> float:
    """Return Mann and Whitney's u divided by the number of pairs, as a mean over tasks.

    Args:
        ours: Returns of an algorithm.
        theirs: Returns of another algorithm in the same tasks.
    """
    return statistics.fmean(
        statistics.fmean((x > y) + 0.5 * (x == y) for x in ours[task] for y in theirs[task])
        for task in ours
    )
