# SPDX-License-Identifier: GPL-2.0-only
"""The results of a leaderboard as a file, as a table, and compared with each other."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from defiance_zoo.bridge.system.reading import read_json
from defiance_zoo.environments import PolicyKind
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.study.leaderboard.board import Leaderboard, Row
from defiance_zoo.experiments.workbench.descriptions import build_dataclass
from defiance_zoo.experiments.workbench.estimates import INTERVAL, interquartile_mean
from defiance_zoo.experiments.workbench.table_files import markdown_table

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
    """Return Mann and Whitney's u divided by the number of pairs, as a mean over tasks."""
    return statistics.fmean(
        statistics.fmean((x > y) + 0.5 * (x == y) for x in ours[task] for y in theirs[task])
        for task in ours
    )


Document = dict[str, Any]
"""`key` and `task` of the leaderboard, and `results`: rows by name."""


def new_document(board: Leaderboard) -> Document:
    """Return a document without rows."""
    return {"key": board.key, "task": board.task, "interval": INTERVAL, "results": {}}


def read_document(path: Path, board: Leaderboard) -> Document:
    """Read a file of results of this leaderboard."""
    found = read_any(path)
    if found["key"] != board.key:
        raise ParameterError(
            f"{path} has other deployments, seeds or episodes than the leaderboard of "
            f"{board.config.env} is now: name another file"
        )
    return found


def read_any(path: Path) -> Document:
    """Read a file of results of any leaderboard."""
    try:
        found: Document = read_json(path)
        board = build_dataclass(_Board, found, more=True)
        build_dataclass(_Task, board.task, more=True)
        for row in board.results.values():
            build_dataclass(_Row, row, more=True)
            for key in ("deployments", *(["scores"] if row.get("scores") else [])):
                missing = board.task["deployments"].keys() - row[key].keys()
                if missing:
                    raise ValueError(f"{key} of a row have no {sorted(missing)}")
            if not all(row.get("scores", {}).values()):
                raise ValueError("a row has no scores in a deployment")
    except (OSError, ValueError) as error:
        raise ParameterError(f"{path} holds no leaderboard: {error}") from error
    return found


@dataclass
class _Board:
    """A file of results."""

    key: str
    task: dict[str, Any]
    interval: str
    results: dict[str, dict[str, Any]]


@dataclass
class _Task:
    """The part of a task that the results' table shows."""

    env: str
    deployments: dict[str, dict[str, Any]]
    episodes: int
    seed: int
    measure: str


@dataclass
class _Estimate:
    """A mean, and its interval."""

    mean: float
    ci95: tuple[float | None, float | None]


@dataclass
class _Row:
    """A row of results."""

    kind: PolicyKind
    mean: float
    ci95: tuple[float | None, float | None]
    deployments: dict[str, _Estimate]
    wall_time_s: float
    episodes: int
    runs: int
    what: str
    versions: dict[str, str]
    scores: dict[str, list[float]] = field(default_factory=dict)


def update(document: Document, rows: Mapping[str, Row]) -> Document:
    """Return a document with rows added; rows of the same name are replaced."""
    return {**document, "results": {**document["results"], **rows}}


def markdown(document: Document) -> str:
    """Return the table, best row first; several deployments have a column each.

    A second table compares trained policies with the best hand-written policy.
    """
    places = list(document["task"]["deployments"])
    several = places if len(places) > 1 else []
    head = ["policy", document["task"]["measure"].replace("_", " "), "95 % interval"]
    head += [*several, "s an episode", "what it is", "versions"]
    rows = sorted(document["results"].items(), key=lambda each: -each[1]["mean"])
    table = markdown_table(head, ([name, *_cells(row, several)] for name, row in rows))
    compared = compare_trained(document["results"])
    return f"{table}\n\n{_comparison_table(compared)}" if compared else table


def _comparison_table(compared: list[Comparison]) -> str:
    head = ["trained policy", "best hand-written policy", "better in", "probability of improvement"]
    head += ["interquartile mean", "of the hand-written policy"]
    rows = (
        [
            each.name,
            each.other,
            f"{each.wins} of {each.deployments}",
            f"{each.probability:.2f}",
            number(each.iqm),
            number(each.other_iqm),
        ]
        for each in compared
    )
    return markdown_table(head, rows)


def _cells(row: Row, places: list[str]) -> list[str]:
    of_places = (row["deployments"][place] for place in places)
    runs = f", {row['runs']} runs" if row["runs"] > 1 else ""
    return [
        number(row["mean"]),
        _interval(row["ci95"]),
        *(f"{number(each['mean'])} ({_interval(each['ci95'])})" for each in of_places),
        number(row["wall_time_s"]),
        row["what"] + runs,
        ", ".join(f"{name} {version}" for name, version in row["versions"].items()),
    ]


def _interval(ends: list[float | None]) -> str:
    return "-" if None in ends else " to ".join(number(end) for end in ends)


def number(value: float | None) -> str:
    """Return a number with three digits, or with all digits before the point."""
    if value is None:
        return "-"
    if abs(value) >= 100 or float(value).is_integer():
        return f"{value:,.0f}"
    return f"{value:.3g}"
