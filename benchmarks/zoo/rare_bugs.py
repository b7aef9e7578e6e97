# SPDX-License-Identifier: GPL-2.0-only
"""Rarely found seeded bugs, with enough episodes.

    python -m benchmarks.zoo.rare_bugs [--quick] [--seeds N] [--episodes N] [--steps N]
                                       [--policy NAME] [--workers N] [--folder FOLDER]
                                       [--out FOLDER]

`benchmarks.zoo.bugs` gives these bugs fewer episodes. The same systems without the
bugs are tested, too. The folder of the comparison is kept: the same command continues where it
stopped. Omitted policies keep their figures.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from benchmarks.zoo.bugs import CORRECT, QUICK, kept, parser, play_comparison, systems

STEPS = 1_000_000


class Finder(NamedTuple):
    """The guide to a bug: a hierarchy, or a script."""

    bug: str
    explorer: str
    options: dict[str, Any]


FINDERS = {
    "branch, StaleAnswers": Finder("R5", "branch", {"hierarchy": "StaleAnswers"}),
    "nemesis, late_answers": Finder("R5", "nemesis", {"fault": "late_answers", "period": 8}),
    "waypoint, StaleValid": Finder("T6", "waypoint", {"hierarchy": "StaleValid"}),
}
"""Guides by their policy's name."""


def main() -> None:
    """Test, print, save."""
    read = parser(__doc__, STEPS)
    read.add_argument("--policy", action="append", choices=FINDERS, help="one policy")
    arguments = read.parse_args()
    if arguments.quick:
        arguments.seeds, arguments.episodes = QUICK
    played = arguments.policy or list(FINDERS)
    tested = systems(dict.fromkeys(FINDERS[name].bug for name in played), arguments.episodes)
    finders = {
        name: {
            "explorer": FINDERS[name].explorer,
            "options": FINDERS[name].options,
            "systems": [FINDERS[name].bug, f"as {FINDERS[name].bug}, {CORRECT}"],
        }
        for name in played
    }
    known = kept("rare_bugs", arguments.out, lambda case: case.endswith(tuple(played)))
    play_comparison("rare_bugs", {"systems": tested, "policies": finders}, arguments, known)


if __name__ == "__main__":
    main()
