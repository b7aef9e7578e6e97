# SPDX-License-Identifier: GPL-2.0-only
"""Steps and processor time until explorers of all kinds find bugs of different depths.

    python -m benchmarks.zoo.deep_bugs [--quick] [--seeds N] [--episodes N] [--steps N]
                                       [--bug NAME] [--policy NAME] [--workers N]
                                       [--folder FOLDER] [--out FOLDER]

The bugs are seeded bugs of Raft and Tendermint, and a bug in changes of members, in Python. The
    folder of the comparison is kept: the same command continues where it stopped, and with more
    seeds it plays only the new ones. Omitted bugs keep their figures.
"""

from __future__ import annotations

import math
import statistics
from pathlib import Path
from typing import Any

from benchmarks.measuring.timing import Results
from benchmarks.zoo.bugs import (
    CHANCE,
    HIERARCHIES,
    QUICK,
    SHORT,
    Done,
    kept,
    parser,
    play_comparison,
    systems,
)

STEPS = 4_000
MEMBERS, ORDER, READS = "members", "R6, delays", "R8"
PROTOCOLS = Path(__file__).parents[2] / "examples" / "protocols"
OTHERS: dict[str, dict[str, Any]] = {
    READS: {
        "env": "partition_v0",
        "parameters": {"bug": "R8", "histories": True, "horizon": 40, "num_requests": 40},
    },
    ORDER: {"env": "partition_v0", "parameters": {**SHORT, "with_delays": True, "bug": "R6"}},
    MEMBERS: {
        "env": str(PROTOCOLS / "raft_membership.py"),
        "parameters": {
            **SHORT,
            "bug": "unready",
            "num_replicas": 4,
            "horizon": 50,
            "num_requests": 20,
        },
    },
}
"""Systems beside those of `benchmarks.zoo.bugs`."""
BUGS = ("R1", "R2", "R4", "R6", READS, ORDER, "T1", "T2", "T4", "T6", MEMBERS)
POLICIES: dict[str, dict[str, Any]] = {
    CHANCE: {"explorer": "random"},
    "PCT": {"explorer": "pct"},
    "Mutation": {"explorer": "mutation"},
    "Swarm": {"explorer": "swarm"},
    "NegRL": {"explorer": "negrl"},
    "Branch": {"explorer": "branch"},
    "Nemesis": {"explorer": "nemesis"},
}


def choose_systems(bugs: tuple[str, ...], episodes: int) -> dict[str, dict[str, Any]]:
    """Return a system for each bug."""
    found = systems([bug for bug in bugs if bug not in OTHERS], episodes)
    return {bug: OTHERS.get(bug) or found[bug] for bug in bugs}


def choose_policies(bugs: tuple[str, ...], names: list[str] | None) -> dict[str, dict[str, Any]]:
    """Return the policies; without names, also those that only some bugs have."""
    if names is not None:
        return {name: POLICIES[name] for name in (CHANCE, *names)}
    special = {
        f"Waypoint {hierarchy}": {
            "explorer": "waypoint",
            "options": {"hierarchy": hierarchy},
            "systems": [bug],
        }
        for bug, hierarchy in HIERARCHIES.items()
        if bug in bugs
    }
    if ORDER in bugs:
        special["Schedule"] = {"explorer": "schedule", "systems": [ORDER]}
    return {**POLICIES, **special}


def count(done: Done) -> Results:
    """Return the finds, and medians of steps and seconds; a cell without a find is the last."""
    cells: dict[str, list[dict[str, Any]]] = {}
    for each in done.results:
        cells.setdefault(f"{each.cell.system}, {each.cell.policy}", []).append(each.record)
    results: Results = {}
    for case, records in cells.items():
        found = [bool(record["violations"]) for record in records]
        results[case] = {
            "cells": len(records),
            "found": sum(found),
            "steps_played": sum(record["steps"] for record in records),
            "cpu_s_played": round(sum(record["cpu_s"] for record in records), 1),
        }
        if sum(found) * 2 > len(found):
            for name, key in (("median_step", "steps"), ("median_cpu_s", "cpu_s")):
                spent = [each[key] if each["violations"] else math.inf for each in records]
                results[case][name] = round(statistics.median(spent), 1)
    return results


def main() -> None:
    """Test, print, save."""
    read = parser(__doc__, STEPS)
    read.add_argument("--bug", action="append", choices=BUGS, help="one bug")
    read.add_argument("--policy", action="append", choices=POLICIES, help="one policy")
    arguments = read.parse_args()
    if arguments.quick:
        arguments.seeds, arguments.episodes = QUICK
    bugs = tuple(arguments.bug or (["R4"] if arguments.quick else BUGS))
    policies = choose_policies(bugs, arguments.policy)
    cases = tuple(f"{bug}, {policy}" for bug in bugs for policy in policies)
    known = kept("deep_bugs", arguments.out, lambda case: case in cases)
    what = {"systems": choose_systems(bugs, arguments.episodes), "policies": policies}
    play_comparison("deep_bugs", what, arguments, known, count)


if __name__ == "__main__":
    main()
