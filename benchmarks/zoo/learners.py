# SPDX-License-Identifier: GPL-2.0-only
"""Episodes of learning explorers until they find seeded bugs, compared with random tests.

    python -m benchmarks.zoo.learners [--quick] [--seeds N] [--episodes N] [--steps N]
                                      [--bug NAME] [--workers N] [--folder FOLDER] [--out FOLDER]

`benchmarks.zoo.bugs` tests the same systems without bugs. R6 is also tested with delays: explorers
    then choose the order of deliveries. The folder of the comparison is kept: the same command
continues where it stopped. Omitted bugs keep their figures.
"""

from __future__ import annotations

from typing import Any

from benchmarks.zoo.bugs import (
    CHANCE,
    POLICIES,
    QUICK,
    SHORT,
    kept,
    parser,
    play_comparison,
    systems,
)

STEPS = 200_000
ORDER = "R6, delays"
"""The system in which messages are delayed."""

BUGS = ("R1", "R2", "R4", "T1", "T2", "T6", ORDER)
"""Bugs that need several random episodes."""

LEARNERS: dict[str, dict[str, Any]] = {
    CHANCE: POLICIES[CHANCE],
    "BonusMax": POLICIES["BonusMax"],
    "NegRL": {"explorer": "negrl"},
    "NegRLVisits": {"explorer": "negrl_visits"},
}
SCHEDULES: dict[str, dict[str, Any]] = {
    "Schedule": {"explorer": "schedule"},
    "Schedule, chance": {"explorer": "schedule", "options": {"temperature": 1e9}},
}
"""Explorers of orders; the second's temperature makes all values equally good."""


def choose_systems(bugs: tuple[str, ...], episodes: int) -> dict[str, dict[str, Any]]:
    """Return a system for each bug."""
    found = systems([bug for bug in bugs if bug != ORDER], episodes)
    tested = {bug: found[bug] for bug in bugs if bug != ORDER}
    if ORDER in bugs:
        parameters = {**SHORT, "with_delays": True, "bug": "R6"}
        tested[ORDER] = {"env": "partition_v0", "parameters": parameters}
    return tested


def main() -> None:
    """Test, print, save."""
    read = parser(__doc__, STEPS)
    read.add_argument("--bug", action="append", choices=BUGS, help="one bug")
    arguments = read.parse_args()
    if arguments.quick:
        arguments.seeds, arguments.episodes = QUICK
    bugs = tuple(arguments.bug or ([ORDER] if arguments.quick else BUGS))
    orders = {name: {**each, "systems": [ORDER]} for name, each in SCHEDULES.items()}
    what = {
        "systems": choose_systems(bugs, arguments.episodes),
        "policies": {**LEARNERS, **(orders if ORDER in bugs else {})},
    }
    known = kept("learners", arguments.out, lambda case: case.startswith(tuple(bugs)))
    play_comparison("learners", what, arguments, known)


if __name__ == "__main__":
    main()
