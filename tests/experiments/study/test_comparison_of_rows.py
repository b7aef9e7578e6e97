# SPDX-License-Identifier: GPL-2.0-only
"""The comparison of trained policies with the best hand-written one on leaderboards."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import mannwhitneyu

from defiance_zoo.experiments.study.leaderboard.document import (
    compare_trained,
    probability_of_improvement,
)
from defiance_zoo.experiments.workbench.estimates import interquartile_mean


def row(kind: str, **scores: list[float]) -> dict[str, Any]:
    """Return a row of a leaderboard."""
    return {"kind": kind, "scores": scores, "mean": float(np.mean(list(scores.values())))}


ROWS = {
    "lookahead": row("reference", near=[100.0], far=[100.0]),
    "rule": row("hand-written", near=[5.0], far=[3.0]),
    "worse rule": row("hand-written", near=[4.0], far=[3.5]),
    "PPO": row("trained", near=[6.0, 5.0, 4.0], far=[4.0, 4.0, 4.0]),
}


def test_a_trained_row_is_compared_with_the_best_hand_written_row() -> None:
    (found,) = compare_trained(ROWS)
    assert (found.name, found.other) == ("PPO", "rule")
    assert (found.wins, found.deployments) == (1, 2)  # 5 is not greater than 5
    assert found.probability == pytest.approx((0.5 + 1.0) / 2)
    assert (found.iqm, found.other_iqm) == (pytest.approx(4.25), pytest.approx(4.0))


@pytest.mark.parametrize("without", ["rule and worse rule", "scores", "PPO"])
def test_nothing_is_compared_without_scores_of_both_kinds(without: str) -> None:
    rows = {name: dict(each) for name, each in ROWS.items() if name not in without.split(" and ")}
    if without == "scores":
        rows["PPO"].pop("scores")
    assert compare_trained(rows) == []


def test_rows_are_compared_on_deployments_that_both_have_played() -> None:
    rows = {**ROWS, "PPO": row("trained", near=[6.0], elsewhere=[1.0])}
    (found,) = compare_trained(rows)
    assert (found.wins, found.deployments, found.probability) == (1, 1, 1.0)
    assert compare_trained({**ROWS, "PPO": row("trained", elsewhere=[1.0])}) == []


def test_probability_of_improvement_is_scipys_u_over_the_number_of_pairs() -> None:
    draws = np.random.default_rng(1)
    ours = {task: draws.integers(0, 6, 5).tolist() for task in "abc"}
    theirs = {task: draws.integers(0, 6, 7).tolist() for task in "abc"}
    expected = np.mean([mannwhitneyu(ours[task], theirs[task]).statistic / 35 for task in "abc"])
    assert probability_of_improvement(ours, theirs) == pytest.approx(expected)


def test_outliers_do_not_move_the_interquartile_mean() -> None:
    assert interquartile_mean([-1e9, -5, 1, 2, 3, 4, 50, 1e9]) == 2.5
    assert interquartile_mean([7.0]) == 7.0
    assert interquartile_mean([2**64]) == 2.0**64
