# SPDX-License-Identifier: GPL-2.0-only
"""The results of a leaderboard as a file, as a table, and compared with each other."""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from defiance_zoo.bridge.system.reading import read_json
from defiance_zoo.environments import PolicyKind, lookup
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.study.leaderboard.board import Leaderboard, Row
from defiance_zoo.experiments.workbench.comparisons import (
    FEWEST_RUNS,
    Measured,
    Results,
    difference,
    interquartile_mean,
    measure,
    normalise,
    optimality_gap,
    probability_of_improvement,
)
from defiance_zoo.experiments.workbench.descriptions import build_dataclass
from defiance_zoo.experiments.workbench.estimates import INTERVAL
from defiance_zoo.experiments.workbench.table_files import markdown_table

Document = dict[str, Any]
"""`key` and `task` of the leaderboard, and `results`: rows by name."""


@dataclass(frozen=True)
class Comparison:
    """Two rows of a leaderboard, compared in the episodes that both have played.

    Attributes:
        probability: Probability of improvement of the first row over the second one.
        score: Interquartile mean of the first row's scores; None: the leaderboard has no scores.
        gap: Optimality gap of the first row.
    """

    name: str
    other: str
    wins: int
    deployments: int
    probability: Measured
    difference: Measured
    score: Measured | None = None
    other_score: Measured | None = None
    gap: Measured | None = None


def compare_trained(document: Document) -> list[Comparison]:
    """Compare each trained row of a leaderboard with the best hand-written row.

    Rows without `returns`, those of earlier versions, are left out.

    The greatest mean comes first. Without hand-written rows, there are none.
    """
    known = {name: row for name, row in document["results"].items() if row.get("returns")}
    ordered = sorted(known, key=lambda name: -known[name]["mean"])
    best = next((name for name in ordered if known[name]["kind"] == "hand-written"), None)
    trained = [name for name in ordered if known[name]["kind"] == "trained"]
    return [] if best is None else [compare_rows(document, name, best) for name in trained]


def compare_rows(document: Document, name: str, other: str) -> Comparison:
    """Compare two rows of a leaderboard."""
    rows = document["results"]
    for each in (name, other):
        if not rows.get(each, {}).get("returns"):
            raise ParameterError(
                f"the leaderboard has no row {each!r} with the returns of each episode: play it"
            )
    places = list(document["task"]["deployments"])
    ours, theirs = (_results(rows[each]["returns"], places) for each in (name, other))
    gaps = ours.mean(axis=(0, 2)) - theirs.mean(axis=(0, 2))
    found = Comparison(
        name=name,
        other=other,
        wins=int(np.sum(gaps > 0)),
        deployments=len(places),
        probability=measure(probability_of_improvement, ours, theirs),
        difference=measure(difference, ours, theirs),
    )
    scores = scores_of(document)
    if not scores:
        return found
    return replace(
        found,
        score=measure(interquartile_mean, scores[name]),
        other_score=measure(interquartile_mean, scores[other]),
        gap=measure(optimality_gap, scores[name]),
    )


def scores_of(document: Document) -> dict[str, Results]:
    """Return the scores of each row with returns, of shape (runs, deployments, episodes).

    Empty if the leaderboard has no scores.
    """
    rows, places = document["results"], list(document["task"]["deployments"])
    if (scale := _scale(rows, places)) is None:
        return {}
    return {
        name: normalise(_results(row["returns"], places), *scale)
        for name, row in rows.items()
        if row.get("returns")
    }


def _results(returns: Mapping[str, Any], places: Sequence[str]) -> Results:
    return np.stack([np.array(returns[place], np.float64) for place in places], axis=1)


def _scale(rows: Mapping[str, Any], places: Sequence[str]) -> tuple[Results, Results] | None:
    """Return the means of random actions and of the best reference, by deployment.

    None: a row is missing, or the reference is not better than random actions everywhere.
    """
    chance = [row for row in rows.values() if row["what"] == "random"]
    known = [row for row in rows.values() if row["kind"] == "reference"]
    if not chance or not known:
        return None
    best = max(known, key=lambda row: float(row["mean"]))
    zero, one = _means(chance[0], places), _means(best, places)
    return (zero, one) if (one > zero).all() else None


def mean_scores(document: Document) -> dict[str, float]:
    """Return how far each row goes from random actions (0) to the reference (1), by name.

    Empty if the leaderboard has no scores.
    """
    rows, places = document["results"], list(document["task"]["deployments"])
    if (scale := _scale(rows, places)) is None:
        return {}
    return {
        name: float(normalise(_means(row, places)[:, np.newaxis], *scale).mean())
        for name, row in rows.items()
    }


def _means(row: Row, places: Sequence[str]) -> Results:
    return np.array([row["deployments"][place]["mean"] for place in places], np.float64)


def new_document(board: Leaderboard) -> Document:
    """Return a document without rows."""
    return {"key": board.key, "task": board.task, "interval": INTERVAL, "results": {}}


def read_document(path: Path, board: Leaderboard) -> Document:
    """Read a file of results of this leaderboard."""
    found = read_any(path)
    if not _has_task_of(board, found):
        raise ParameterError(
            f"{path} has other deployments, seeds or episodes than the leaderboard of "
            f"{board.config.env} is now: name another file"
        )
    return found


def open_document(path: Path, board: Leaderboard) -> Document:
    """Return the results in a file, or in the environment's leaderboard for the same task."""
    if path.exists() and path.stat().st_size:
        return read_document(path, board)
    described = lookup(board.config.env).leaderboard
    published = None if described is None else described.with_suffix(".json")
    if published is not None and published.is_file():
        known = read_any(published)
        if _has_task_of(board, known):
            return known
    return new_document(board)


def _has_task_of(board: Leaderboard, found: Document) -> bool:
    task = json.loads(json.dumps(board.task))  # as a file has it
    return bool(found["key"] == board.key and found["task"] == task)


def read_any(path: Path) -> Document:
    """Read a file of results of any leaderboard."""
    try:
        found: Document = read_json(path)
        board = build_dataclass(_Board, found, more=True)
        build_dataclass(_Task, board.task, more=True)
        for row in board.results.values():
            build_dataclass(_Row, row, more=True)
            _check_row(row, board.task)
    except (OSError, ValueError) as error:
        raise ParameterError(f"{path} holds no leaderboard: {error}") from error
    return found


def _check_row(row: Row, task: Mapping[str, Any]) -> None:
    """Refuse a row whose means, scores or returns are not those of each run and deployment."""
    places, runs = task["deployments"].keys(), max(1, row["runs"])
    if row["deployments"].keys() != places:
        raise ValueError(f"a row is not of the deployments {sorted(places)}")
    scores, returns = row.get("scores"), row.get("returns")
    if scores and (scores.keys() != places or {len(each) for each in scores.values()} != {runs}):
        raise ValueError(f"scores of a row are not of {runs} runs in each deployment")
    if not returns:
        return
    shape = (runs, len(places), task["episodes"])
    if returns.keys() != places or _results(returns, list(returns)).shape != shape:
        raise ValueError(f"returns of a row are not of {shape} runs, deployments and episodes")


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
    trained_in: list[str] = field(default_factory=list)
    scores: dict[str, list[float]] = field(default_factory=dict)
    returns: dict[str, list[list[float]]] = field(default_factory=dict)


def update(document: Document, rows: Mapping[str, Row]) -> Document:
    """Return a document with rows added; rows of the same name are replaced."""
    return {**document, "results": {**document["results"], **rows}}


def markdown(document: Document) -> str:
    """Return the table, best row first; several deployments have a column each.

    With a reference, the column `score` has the mean of each row's scores. A second table compares
    trained policies with the best hand-written policy.
    """
    places = list(document["task"]["deployments"])
    several = places if len(places) > 1 else []
    scores = mean_scores(document)
    head = ["policy", document["task"]["measure"].replace("_", " "), "95 % interval"]
    head += ["score"] if scores else []
    head += [*several, "s an episode", "what it is", "versions"]
    rows = sorted(document["results"].items(), key=lambda each: -each[1]["mean"])
    table = markdown_table(
        head,
        (
            [name, number(row["mean"]), interval_of(row)]
            + ([f"{scores[name]:.2f}"] if scores else [])
            + _cells(row, several)
            for name, row in rows
        ),
    )
    compared = compare_trained(document)
    return f"{table}\n\n{comparison_table(compared)}" if compared else table


def comparison_table(compared: Sequence[Comparison]) -> str:
    """Return comparisons as a table."""
    head = ["policy", "compared with", "better in", "probability of improvement", "difference"]
    head += ["interquartile score", "of the other policy", "optimality gap"]
    rows = (
        [
            each.name,
            each.other,
            f"{each.wins} of {each.deployments}",
            _measured(each.probability),
            _measured(each.difference),
            _measured(each.score),
            _measured(each.other_score),
            _measured(each.gap),
        ]
        for each in compared
    )
    return markdown_table(head, rows)


def _measured(found: Measured | None) -> str:
    if found is None:
        return "-"
    interval = "" if found.low is None else f" ({number(found.low)} to {number(found.high)})"
    return number(found.value) + interval


def _cells(row: Row, places: list[str]) -> list[str]:
    of_places = ((place, row["deployments"][place]) for place in places)
    runs = f", {row['runs']} runs" if row["runs"] > 1 else ""
    return [
        *(
            f"{number(each['mean'])} ({_ends(row, each['ci95'], [place])})"
            + (" †" if place in row.get("trained_in", ()) else "")
            for place, each in of_places
        ),
        number(row["wall_time_s"]),
        row["what"] + runs,
        ", ".join(f"{name} {version}" for name, version in row["versions"].items()),
    ]


def interval_of(row: Row) -> str:
    """Return the interval of a row's mean, or the range of its runs if it has none."""
    ends = _ends(row, row["ci95"], list(row["deployments"]))
    return f"{ends}: range of {row['runs']} runs" if _has_range(row) else ends


def _ends(row: Row, interval: Sequence[float | None], places: Sequence[str]) -> str:
    """Return the ends of an interval, or of the range of runs in some deployments, as text."""
    if _has_range(row):
        of_runs = zip(*(row["scores"][each] for each in places), strict=True)
        means = [statistics.fmean(each) for each in of_runs]
        interval = [min(means), max(means)]
    return "-" if None in interval else " to ".join(number(end) for end in interval)


def _has_range(row: Row) -> bool:
    lacks_interval = row["runs"] < FEWEST_RUNS or None in row["ci95"]  # as with one episode
    return row["runs"] > 1 and lacks_interval and bool(row.get("scores"))


def number(value: float | None) -> str:
    """Return a number with three digits, or with all digits before the point."""
    if value is None:
        return "-"
    if abs(value) >= 100 or float(value).is_integer():
        return f"{value:,.0f}"
    return f"{value:.3g}"
