# SPDX-License-Identifier: GPL-2.0-only
"""Leaderboards: results of policies in the standard deployments of an environment."""

from defiance_zoo.experiments.study.leaderboard.board import (
    Entry,
    Leaderboard,
    own_parameters,
    play_entries,
    read_leaderboard,
)
from defiance_zoo.experiments.study.leaderboard.document import (
    Document,
    compare_rows,
    interval_of,
    markdown,
    new_document,
    read_any,
    read_document,
    update,
)

__all__ = [
    "Document",
    "Entry",
    "Leaderboard",
    "compare_rows",
    "interval_of",
    "markdown",
    "new_document",
    "own_parameters",
    "play_entries",
    "read_any",
    "read_document",
    "read_leaderboard",
    "update",
]
