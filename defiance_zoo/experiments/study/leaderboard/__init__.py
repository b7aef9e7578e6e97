# SPDX-License-Identifier: GPL-2.0-only
"""Leaderboards: results of policies in the standard deployments of an environment."""

from defiance_zoo.experiments.study.leaderboard.board import Leaderboard, read_leaderboard
from defiance_zoo.experiments.study.leaderboard.document import (
    Document,
    markdown,
    new_document,
    read_any,
    read_document,
    update,
)
from defiance_zoo.experiments.study.leaderboard.playing import Entry, play_entries

__all__ = [
    "Document",
    "Entry",
    "Leaderboard",
    "markdown",
    "new_document",
    "play_entries",
    "read_any",
    "read_document",
    "read_leaderboard",
    "update",
]
