# SPDX-License-Identifier: GPL-2.0-only
"""The three styles of a scenario's agents, and the texts of a project about each."""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

Style = Literal["applications", "direct", "env"]
STYLES: tuple[Style, ...] = get_args(Style)


class StyleWords(NamedTuple):
    """The texts of a project that depend on its style.

    Attributes:
        program: Contents of the program's file.
        decisions: Number of decisions of an agent in ten seconds, as a condition in Python.
        episode: Meaning of an episode of the template.
    """

    program: str
    decisions: str
    episode: str


WORDS: dict[Style, StyleWords] = {
    "applications": StyleWords(
        "the program: parameters; the nodes that observe, reward, act and decide, and how they "
        "communicate",
        "70 < count <= 100  # one every 100 ms; some are lost in a full queue",
        "10 s; an observation every 100 ms; a full queue loses observations",
    ),
    "direct": StyleWords(
        "the program: parameters, the agents' spaces, and when they decide",
        "count == 99  # one every 100 ms, and none at the end",
        "10 s; a decision every 100 ms",
    ),
    "env": StyleWords(
        "the program: parameters, the observations, rewards and actions of an agent, and when it "
        "decides",
        "count == 99  # one every 100 ms, and none at the end",
        "10 s; a decision every 100 ms",
    ),
}
