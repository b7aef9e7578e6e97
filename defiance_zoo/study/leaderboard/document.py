# SPDX-License-Identifier: GPL-2.0-only
"""The results of a leaderboard as a file, and as a table."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from defiance_zoo.errors import ParameterError
from defiance_zoo.study.leaderboard.board import Leaderboard
from defiance_zoo.study.leaderboard.playing import Row
from defiance_zoo.study.tables import markdown_table

Document = dict[str, Any]
"""`key` and `task` of the leaderboard, and `results`: rows by name."""


def new_document(board: Leaderboard) -> Document:
    """Return one without rows."""
    return {"key": board.key, "task": board.task, "interval": board.interval, "results": {}}


def read_document(path: Path, board: Leaderboard) -> Document:
    """Read a file of results of this leaderboard.

    Raises:
        ParameterError: It is no such file, or its rows are of other deployments, seeds or episodes.
    """
    found = read_any(path)
    if found["key"] != board.key:
        raise ParameterError(
            f"{path} is of other deployments, seeds or episodes than the leaderboard of "
            f"{board.config.env} is now: name another file"
        )
    return found


def read_any(path: Path) -> Document:
    """Read a file of results, of whatever leaderboard.

    Raises:
        ParameterError: It is no such file.
    """
    try:
        found: Any = json.loads(path.read_text(encoding="utf-8"))
        known = isinstance(found, dict) and {"key", "task", "interval", "results"} <= found.keys()
    except (OSError, ValueError) as error:
        raise ParameterError(f"{path} holds no leaderboard: {error}") from error
    if not known:
        raise ParameterError(f"{path} holds no leaderboard")
    document: Document = found
    return document


def update(document: Document, rows: Mapping[str, Row]) -> Document:
    """Return a document with rows added, or in the place of those of the same name."""
    return {**document, "results": {**document["results"], **rows}}


def markdown(document: Document) -> str:
    """Return the table, best first; with several deployments, each has a column, too."""
    places = list(document["task"]["deployments"])
    several = places if len(places) > 1 else []
    head = ["policy", document["task"]["measure"].replace("_", " "), "95 % interval"]
    head += [*several, "s an episode", "what it is", "versions"]
    rows = sorted(document["results"].items(), key=lambda each: -each[1]["mean"])
    return markdown_table(head, ([name, *_cells(row, several)] for name, row in rows))


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
    """Return a number as it is read: three digits, or all before the point."""
    if value is None:
        return "-"
    if abs(value) >= 100 or float(value).is_integer():
        return f"{value:,.0f}"
    return f"{value:.3g}"
