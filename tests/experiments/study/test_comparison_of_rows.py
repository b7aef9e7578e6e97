# SPDX-License-Identifier: GPL-2.0-only
"""The statistics of leaderboards: measures equal rliable's, intervals cover, rows are compared."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rliable import metrics

from benchmarks.learning.profiles import LEVELS, draw, profile, profiles
from benchmarks.measuring.result_files import RESULTS
from defiance_zoo.command_line.commands.eval import print_leaderboard
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.study.leaderboard.document import (
    compare_rows,
    compare_trained,
    interval_of,
    markdown,
    read_any,
)
from defiance_zoo.experiments.workbench.comparisons import (
    Measured,
    difference,
    interquartile_mean,
    measure,
    normalise,
    optimality_gap,
    probability_of_improvement,
)

ROOT = Path(__file__).parents[3]


def row(kind: str, near: Any, far: Any, what: str = "a policy") -> dict[str, Any]:
    """Return a row of a leaderboard, from the returns of each run in each episode."""
    returns = {"near": near, "far": far}
    means = {
        place: {"mean": float(np.mean(each)), "ci95": [None, None]}
        for place, each in returns.items()
    }
    return {
        "kind": kind,
        "mean": float(np.mean(list(returns.values()))),
        "ci95": [None, None],
        "deployments": means,
        "returns": returns,
        "scores": {place: [float(np.mean(run)) for run in each] for place, each in returns.items()},
        "runs": len(near) if kind == "trained" else 0,
        "what": what,
        "wall_time_s": 1.0,
        "versions": {},
    }


def document(**rows: dict[str, Any]) -> dict[str, Any]:
    """Return a leaderboard of two episodes in two deployments."""
    return {
        "task": {"deployments": {"near": {}, "far": {}}, "episodes": 2, "measure": "return"},
        "results": rows,
    }


ROWS = {
    "chance": row("hand-written", [[0.0, 0.0]], [[-1.0, -1.0]], "random"),
    "lookahead": row("reference", [[10.0, 10.0]], [[9.0, 9.0]]),
    "rule": row("hand-written", [[5.0, 5.0]], [[3.0, 4.0]]),
    "PPO": row("trained", [[6.0, 5.0], [4.0, 5.0]], [[4.0, 4.0], [2.0, 4.0]]),
}


def test_measures_equal_those_of_rliable() -> None:
    draws = np.random.default_rng(1)
    ours, theirs = (draws.normal(size=(runs, 6)).round(1) for runs in (7, 5))
    alone, other = ours[:, :, np.newaxis], theirs[:, :, np.newaxis]
    assert interquartile_mean(alone) == pytest.approx(metrics.aggregate_iqm(ours))
    assert optimality_gap(alone) == pytest.approx(metrics.aggregate_optimality_gap(ours, 1))
    expected = metrics.probability_of_improvement(ours, theirs)
    assert probability_of_improvement(alone, other) == pytest.approx(expected)


def test_a_performance_profile_is_the_share_of_scores_above_each_level() -> None:
    """Of all runs, deployments and episodes, as in rliable's distribution of scores."""
    scores = np.random.default_rng(2).normal(0.5, 0.5, size=(5, 3, 2)).round(1)
    share, low, high = profile(scores)
    np.testing.assert_allclose(share, [(scores > level).mean() for level in LEVELS])
    assert np.all((low <= share) & (share <= high))
    assert np.any(low < high)


def test_profiles_are_drawn_of_leaderboards_with_scores(tmp_path: Path) -> None:
    found = profiles(document(**ROWS))
    assert list(found) == ["PPO", "rule"]
    assert profiles(document(**{k: v for k, v in ROWS.items() if k != "lookahead"})) == {}
    for name in ("once", "again"):
        draw({"first_v0": found, "second_v0": found}, tmp_path / name)
    assert (tmp_path / "once").read_bytes() == (tmp_path / "again").read_bytes()


@pytest.mark.parametrize(("runs", "episodes"), [(5, 10), (5, 20), (1, 10), (1, 20)])
def test_a_policy_is_no_improvement_over_itself(runs: int, episodes: int) -> None:
    """The interval contains one half in 95 of 100 cases, with and without noise of the seeds."""
    draws = np.random.default_rng(runs + episodes)
    hits = 0
    for case in range(100):
        seeds = case % 2 * draws.normal(size=(1, 3, episodes))
        found = measure(
            probability_of_improvement,
            *(
                seeds
                + 0.5 * (runs > 1) * draws.normal(size=(runs, 1, 1))
                + draws.normal(size=(runs, 3, episodes))
                for _ in range(2)
            ),
        )
        assert found.low is not None
        assert found.high is not None
        hits += found.low <= 0.5 <= found.high
    assert hits >= 92  # 95 less 1.5 standard deviations


def test_noise_that_both_policies_have_does_not_widen_an_interval() -> None:
    draws = np.random.default_rng(3)
    noise = 100 * draws.normal(size=(1, 2, 20))
    ours, theirs = (noise + shift + draws.normal(size=(5, 2, 20)) for shift in (1.0, 0.0))
    found = measure(difference, ours, theirs)
    assert found.low is not None
    assert found.high is not None
    assert 0 < found.low < 1 < found.high < 2
    assert measure(difference, ours, theirs) == found


@pytest.mark.parametrize(("runs", "episodes"), [(2, 10), (4, 10), (1, 1), (5, 1)])
def test_few_runs_and_single_episodes_have_no_interval(runs: int, episodes: int) -> None:
    results = np.arange(float(runs * episodes)).reshape(runs, 1, episodes)
    found = measure(difference, results, results[:1])
    assert (found.low, found.high) == (None, None)


def test_scores_are_zero_for_random_actions_and_one_for_the_reference() -> None:
    zero, one = np.array([0.0, -1.0]), np.array([10.0, 9.0])
    results = np.array([[[0.0, 10.0], [9.0, 4.0]]])
    np.testing.assert_allclose(normalise(results, zero, one), [[[0, 1], [1, 0.5]]])


def test_a_trained_row_is_compared_with_the_best_hand_written_row() -> None:
    (found,) = compare_trained(document(**ROWS))
    assert (found.name, found.other, found.wins, found.deployments) == ("PPO", "rule", 0, 2)
    # Near: 1, 1/2, 0, 1/2; far: 1, 1/2, 0, 1/2.
    assert found.probability == Measured(0.5)
    assert found.difference == Measured(4.25 - 4.25)
    assert found.score is not None
    assert found.score.value == pytest.approx(0.5)
    assert found.gap is not None
    assert found.gap.value == pytest.approx(1 - (0.5 + (5 + 5 + 3 + 5) / 40) / 2)
    assert "| PPO | rule | 0 of 2 | 0.5 | 0 | 0.5 |" in markdown(document(**ROWS))


def test_tables_say_how_far_each_row_is_from_random_actions_to_the_reference(
    capsys: pytest.CaptureFixture[str],
) -> None:
    rows = {**ROWS, "PPO": row("trained", [[7.0, 7.0]], [[5.0, 6.0]])}
    rows["PPO"]["deployments"] = dict(reversed(rows["PPO"]["deployments"].items()))
    rows["PPO"]["returns"] = {}  # a row of an earlier version
    table = markdown(document(**rows))
    assert "| policy | return | 95 % interval | score | near | far |" in table
    for cells in (
        "chance | -0.5 | - | 0.00",
        "lookahead | 9.5 | - | 1.00",
        "PPO | 6.25 | - | 0.68",
    ):
        assert f"| {cells} |" in table
    beside = {"env": "first_v0", "seed": 1}
    shown = document(**rows) | {"rows": ["PPO"], "compared": [], "interval": "", "file": ""}
    print_leaderboard(shown | {"task": shown["task"] | beside})
    assert re.search(r"\* +PPO .* 0\.68 ", capsys.readouterr().out)
    assert "score | near" not in markdown(document(chance=rows["chance"], PPO=rows["PPO"]))


@pytest.mark.parametrize("without", ["lookahead", "chance"])
def test_without_reference_or_random_actions_there_are_no_scores(without: str) -> None:
    found = compare_rows(document(**{k: v for k, v in ROWS.items() if k != without}), "PPO", "rule")
    assert found.probability.value == 0.5
    assert found.score is None


def test_a_reference_that_random_actions_beat_is_none() -> None:
    rows = {**ROWS, "lookahead": row("reference", [[10.0, 10.0]], [[-2.0, -2.0]])}
    assert compare_rows(document(**rows), "PPO", "rule").score is None


def test_two_trained_rows_can_be_compared() -> None:
    rows = {**ROWS, "SAC": row("trained", [[1.0, 1.0]] * 5, [[0.0, 0.0]] * 5)}
    found = compare_rows(document(**rows), "SAC", "PPO")
    assert (found.probability.value, found.difference.value) == (0.0, 0.5 - 4.25)
    (better, *_) = compare_trained(document(**rows))
    assert better.name == "PPO"


@pytest.mark.parametrize("name", ["rule", "nobody"])
def test_rows_without_returns_are_not_compared(name: str) -> None:
    rows = {**ROWS, "rule": {**ROWS["rule"], "returns": {}}}
    with pytest.raises(ParameterError, match=rf"no row '{name}' with the returns of each episode"):
        compare_rows(document(**rows), "PPO", name)
    (found,) = compare_trained(document(**rows))
    assert found.other == "chance"


def test_few_runs_have_a_range_in_place_of_an_interval() -> None:
    assert interval_of(ROWS["PPO"]) == "3.75 to 4.75: range of 2 runs"
    assert interval_of({**ROWS["rule"], "ci95": [3, 5.5]}) == "3 to 5.5"
    five = row("trained", [[1.0, 2.0]] * 5, [[1.0, 2.0]] * 5)
    assert interval_of({**five, "ci95": [1, 2]}) == "1 to 2"
    assert interval_of({**five, "ci95": [None, None]}) == "1.5 to 1.5: range of 5 runs"


@pytest.mark.parametrize(
    ("card", "env", "more"),
    [
        ("cell_power", "cell_power_v0", ", an agent a cell"),
        ("channel_access", "channel_sharing_v0", ""),
        ("multi_access", "multi_access_v0", ", trained with two users"),
        ("networked", "networked_spread_v0", ", four states and ages"),
    ],
)
def test_cards_say_what_centralised_training_earns(card: str, env: str, more: str) -> None:
    """The numbers of the sentences follow from the committed returns of each episode."""
    text = " ".join((ROOT / f"envs/{card}/card.md").read_text().split())
    board = read_any(RESULTS / f"leaderboard/{env}.json")
    for name in ("MAPPO", "QMIX"):
        found = compare_rows(board, f"{name} (BenchMARL){more}", f"IPPO (BenchMARL){more}")
        gap, chance = found.difference, found.probability
        said = "more" if gap.value > 0 else "less"
        pattern = rf"{name}.{{,60}}earns {abs(gap.value):.1f} {said} than IPPO \("
        pattern += rf"{gap.low:.1f} to {gap.high:.1f}\W.{{,50}}"
        pattern += rf"{chance.value:.2f}\W+{chance.low:.2f} to {chance.high:.2f}\)"
        assert re.search(pattern, text), pattern
