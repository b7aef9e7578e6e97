# SPDX-License-Identifier: GPL-2.0-only
"""Episodes until explorers find the seeded bugs of docs/reference/seeded-bugs.md.

    python -m benchmarks.zoo.bugs [--quick] [--healed] [--seeds N] [--episodes N] [--steps N]
                                  [--bug NAME] [--policy NAME] [--workers N] [--folder FOLDER]
                                  [--out FOLDER]

The same systems are also tested without bugs, and for bugs that need crashes, without crashes:
    there, no violation may be found. The folder of the comparison is kept: the same command
    continues where it stopped. With more seeds, bugs or policies, it plays only the new ones.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

from benchmarks.measuring.result_files import RESULTS, load, save
from benchmarks.measuring.timing import Results
from defiance_zoo.experiments.workbench.runner import Outcome
from defiance_zoo.protocols.comparison.configuration import (
    Comparison,
    ComparisonConfig,
    check_comparison,
)
from defiance_zoo.protocols.comparison.exploration import Cell
from defiance_zoo.protocols.comparison.running import compare_explorers

Done = Outcome[Cell]
SEEDS, EPISODES, STEPS = 10, 10_000, 30_000
FOLDER = Path("runs") / "exploration"
SHORT = {"election_ticks": 4, "heartbeat_ticks": 2}
"""Several elections fit into an episode."""
OVERTAKING = {"delivery": "network", "link_jitter": "50ms", "horizon": 100}
ROUNDS = {
    "horizon": 100,
    "timeout_propose": "60ms",
    "timeout_prevote": "40ms",
    "timeout_precommit": "40ms",
    "timeout_commit": "20ms",
    "timeout_delta": "0ms",
}
"""Several rounds of a height fit into an episode."""
WITH_BYZANTINE = {"num_replicas": 5, "with_byzantine": True, "max_byzantine": 1, "max_blocks": 2}
HEALED = {"healing": "at_end"}
BUGS: dict[str, dict[str, Any]] = {
    "R1": SHORT,
    "R2": {**SHORT, "horizon": 50},
    "R3": SHORT,
    "R4": SHORT,
    "R5": {**SHORT, "drop_rule": "hold", "num_replicas": 5, "max_blocks": 3, "horizon": 100},
    "R6": {**SHORT, **OVERTAKING},
    "R7": SHORT,
    "R9": {**SHORT, **HEALED},
    "R10": {**SHORT, **HEALED},
    "T1": ROUNDS,
    "T2": ROUNDS,
    "T3": WITH_BYZANTINE,
    "T4": {},
    "T5": ROUNDS,
    "T6": ROUNDS,
    "T7": {},
    "T8": HEALED,
}
"""The deployment that each bug needs."""
HIERARCHIES = {"R2": "Figure8", "R5": "StaleAnswers", "T6": "StaleValid"}
"""Hierarchies and scripts for bugs that random tests rarely find."""
POLICIES: dict[str, dict[str, Any]] = {
    "Random": {"explorer": "random"},
    "BonusMax": {"explorer": "bonus_max"},
    "Branch": {"explorer": "branch"},
    "Nemesis": {"explorer": "nemesis"},
}
CHANCE = next(iter(POLICIES))
NEED_CRASHES = ("R1", "T4")
LED = ("waypoint", "branch")
"""Explorers that a hierarchy guides."""
QUICK = 1, 20
"""Seeds and episodes."""
SHARE = 400
"""Divisor of episodes in systems without violations, as no violation ends their cells."""
CORRECT, WITHOUT_CRASHES = "correct", "without crashes"


def systems(
    bugs: Iterable[str], episodes: int, *, healed: bool = False
) -> dict[str, dict[str, Any]]:
    """Return a system for each bug, and systems without violations.

    The latter are a system without bugs for each deployment, and bugs without the crashes that they
    need.

    Args:
        bugs: Names of bugs.
        episodes: Largest number of episodes for each bug.
        healed: Whether to heal all episodes at their end, even if the bug does not need that.
    """
    found: dict[str, dict[str, Any]] = {}
    correct: list[dict[str, Any]] = []
    for bug in bugs:
        env = "partition_tendermint_v0" if bug.startswith("T") else "partition_v0"
        needed = {**BUGS[bug], **(HEALED if healed else {})}
        seeded, few = {**needed, "bug": bug}, max(1, episodes // SHARE)
        plain = {"env": env, "parameters": needed, "episodes": few}
        found[bug] = {"env": env, "parameters": seeded}
        if plain not in correct:
            correct.append(plain)
            found[f"as {bug}, {CORRECT}"] = plain
        if bug in NEED_CRASHES:
            parameters = {**seeded, "with_crashes": False}
            found[f"{bug}, {WITHOUT_CRASHES}"] = {**plain, "parameters": parameters}
    return found


def explorers(
    bugs: Iterable[str], policies: Iterable[str], tested: Iterable[str]
) -> dict[str, dict[str, Any]]:
    """Return the tested systems' explorers; all policies include those with a hierarchy."""
    plain = [name for name in tested if name not in HIERARCHIES]
    found = {
        name: {**POLICIES[name], **({} if name == CHANCE else {"systems": plain})}
        for name in policies
    }
    if set(policies) != set(POLICIES):
        return found
    return found | {
        f"{explorer}, {HIERARCHIES[bug]}": {
            "explorer": explorer,
            "options": {"hierarchy": HIERARCHIES[bug]},
            "systems": [bug],
        }
        for bug in bugs
        for explorer in LED
        if bug in HIERARCHIES
    }


def figures(tables: Mapping[str, list[dict[str, Any]]]) -> Results:
    """Return the number of finds, and the episodes before each find, by system and policy."""
    shrunk = {row["system"]: row["shrunk"] for row in tables.get("counterexamples", ())}
    results: Results = {}
    cells: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in tables["cells"]:
        cells.setdefault((row["system"], row["policy"]), []).append(row)
    for (system, policy), mine in cells.items():
        tried = [row["episodes"] if row["violated"] else float("inf") for row in mine]
        found = [each for each in tried if each < float("inf")]
        results[f"{system}, {policy}"] = {
            "cells": len(mine),
            "found": len(found),
            "steps_played": sum(row["steps"] for row in mine),
        }
        if len(found) * 2 > len(mine):
            results[f"{system}, {policy}"]["median_episode"] = statistics.median(tried)
        if found:
            results[f"{system}, {policy}"]["shortest"] = shrunk[system]
    return results


def play_comparison(
    name: str,
    what: dict[str, Any],
    arguments: argparse.Namespace,
    known: Results | None = None,
    count: Callable[[Done], Results] = lambda done: figures(done.tables),
) -> None:
    """Play the comparison, and save the results.

    Args:
        name: Name of the results.
        what: Systems and policies.
        arguments: Numbers of episodes, and folders of results.
        known: Figures to add to the results.
        count: Returns the figures of a comparison.
    """
    settings = {
        "seeds": arguments.seeds,
        "episodes": arguments.episodes,
        "steps": arguments.steps,
    }
    values = {**what, **settings, "until": "violation", "points": 1}
    config = ComparisonConfig.model_validate(values)
    check_comparison(config)
    done = compare_explorers(
        Comparison(name, config, yaml.safe_dump(values, sort_keys=False)),
        arguments.folder / name,
        workers=arguments.workers,
        report=lambda event: print(json.dumps(event), flush=True),
    )
    if done.failed:
        raise SystemExit(f"{done.failed} cells failed: {done.folder / 'cells.csv'}")
    results = {**(known or {}), **count(done)}
    save(name, "make bugs", results, arguments.out, **settings)
    silent = (CORRECT, WITHOUT_CRASHES)
    wrong = [c for c, each in results.items() if each["found"] and any(s in c for s in silent)]
    if wrong:
        raise SystemExit(f"violations where nothing may be found: {', '.join(wrong)}")


def kept(name: str, folder: Path, is_played: Callable[[str], bool]) -> Results:
    """Return the existing figures, except for cases that are played now."""
    if not (folder / f"{name}.json").is_file():
        return {}
    known: Results = load(name, folder)["results"]
    return {case: each for case, each in known.items() if not is_played(case)}


def parser(description: str | None, steps: int) -> argparse.ArgumentParser:
    """Return the parser of the arguments of `play_comparison()`, with defaults."""
    read = argparse.ArgumentParser(description=(description or "").splitlines()[0])
    read.add_argument("--quick", action="store_true", help="test briefly, to try the command")
    read.add_argument("--seeds", type=int, default=SEEDS)
    read.add_argument("--episodes", type=int, default=EPISODES)
    read.add_argument("--steps", type=int, default=steps, help="of a cell, at most")
    read.add_argument("--workers", type=int, help="processes; by default one for each core")
    read.add_argument("--folder", type=Path, default=FOLDER, help="of comparisons, by name")
    read.add_argument("--out", type=Path, default=RESULTS)
    return read


def main() -> None:
    """Test, print, save."""
    read = parser(__doc__, STEPS)
    read.add_argument("--bug", action="append", choices=BUGS, help="one bug")
    read.add_argument("--policy", action="append", choices=POLICIES, help="one policy")
    read.add_argument("--healed", action="store_true", help="heal all episodes at their end")
    arguments = read.parse_args()
    if arguments.quick:
        arguments.seeds, arguments.episodes = QUICK
    bugs = arguments.bug or (["R7", "T4"] if arguments.quick else list(BUGS))
    policies = arguments.policy or (["Random"] if arguments.quick else list(POLICIES))
    tested = systems(bugs, arguments.episodes, healed=arguments.healed)
    name = "healed_bugs" if arguments.healed else "bugs"
    play_comparison(
        name, {"systems": tested, "policies": explorers(bugs, policies, tested)}, arguments
    )


if __name__ == "__main__":
    main()
