# SPDX-License-Identifier: GPL-2.0-only
"""Three styles in which a scenario's agents ask for their decisions, and what is said of each."""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

Style = Literal["applications", "direct", "env"]
STYLES: tuple[Style, ...] = get_args(Style)


class StyleWords(NamedTuple):
    """The texts of a project that depend on its style.

    Attributes:
        program: Contents of the program's file.
        decisions: How often an agent decides in ten seconds, as a condition in Python.
        episode: Meaning of an episode of the template.
    """

    program: str
    decisions: str
    episode: str


WORDS: dict[Style, StyleWords] = {
    "applications": StyleWords(
        "the program: parameters; who observes, is rewarded, acts and decides on which node, and "
        "how they communicate",
        "70 < count <= 100  # one every 100 ms; where the queue is full, some are lost",
        "10 s; an observation every 100 ms, but one that finds the queue full is lost",
    ),
    "direct": StyleWords(
        "the program: parameters, the agents' spaces, and when they decide",
        "count == 99  # one every 100 ms, and none at the end",
        "10 s; a decision every 100 ms",
    ),
    "env": StyleWords(
        "the program: parameters, what an agent sees, earns and does, and when it decides",
        "count == 99  # one every 100 ms, and none at the end",
        "10 s; a decision every 100 ms",
    ),
}
