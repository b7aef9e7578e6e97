# SPDX-License-Identifier: GPL-2.0-only
"""What explorers see of protocols, compared with chance.

    python -m benchmarks.exploration [--quick] [--seeds N] [--steps N] [--only PART] [--workers N]
                                     [--folder FOLDER] [--out FOLDER]

Each part is a comparison, whose folder is kept: the same command goes on where it was stopped, and
with more seeds it plays only those that are new. All parts with ten seeds of 200,000 steps are 26
million steps, which is hours; `--only raft --seeds 2` is a beginning.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import yaml

from benchmarks.report import RESULTS, save
from benchmarks.timing import Results
from defiance_zoo.exploration.comparison import Comparison, ComparisonConfig, compare_explorers
from defiance_zoo.exploration.comparison.configuration import check_comparison

SEEDS, STEPS = 10, 200_000
FOLDER = Path("runs") / "exploration"
RANDOM = {"Random": {"explorer": "random"}}
BONUS = {"BonusMax": {"explorer": "bonus_max"}}
LEARNERS = {**RANDOM, **BONUS, "NegRLVisits": {"explorer": "negrl_visits"}}


def waypoints(*hierarchies: str) -> dict[str, Any]:
    """Return an explorer for each hierarchy."""
    return {
        f"Waypoint {name}": {"explorer": "waypoint", "options": {"hierarchy": name}}
        for name in hierarchies
    }


PARTS: dict[str, dict[str, Any]] = {
    "raft": {"systems": {"Raft": {}}, "policies": LEARNERS},
    "small": {
        "systems": {"Raft, few colours": {"parameters": {"painter": "state,commit,term:6"}}},
        "policies": {**RANDOM, **BONUS},
    },
    "tendermint": {
        "systems": {"Tendermint": {"env": "partition_tendermint_v0"}},
        "policies": {**RANDOM, **BONUS},
    },
    "waypoints": {
        "systems": {"Raft": {"hierarchies": ["LogCommitGap3", "MinCommit2"]}},
        "policies": {**RANDOM, **waypoints("LogCommitGap3", "MinCommit2")},
    },
    "branch": {
        "systems": {"Raft": {}},
        "policies": {**BONUS, **RANDOM, "Branch": {"explorer": "branch"}},
    },
}
"""What is compared, by name; the first policy is what others are compared with."""


def describe(part: str, seeds: int, steps: int) -> Comparison:
    """Return the comparison of a part."""
    values = {**PARTS[part], "seeds": seeds, "steps": steps}
    config = ComparisonConfig.model_validate(values)
    check_comparison(config)
    return Comparison(part, config, yaml.safe_dump(values, sort_keys=False))


def figures(part: str, rows: list[dict[str, Any]]) -> Results:
    """Return what a part has found, by system, policy and measure."""
    return {
        f"{part}: {row['system']}, {row['policy']}, {row['measure']}": {
            name: value
            for name, value in row.items()
            if name not in ("system", "policy", "measure") and value is not None
        }
        for row in rows
    }


def main() -> None:
    """Compare, print, save."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="hardly explore, to try the command")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--only", action="append", choices=PARTS, help="one part, and no file")
    parser.add_argument("--workers", type=int, help="processes; by default one for each core")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="of the comparisons")
    parser.add_argument("--out", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    seeds, steps = (2, 60) if arguments.quick else (arguments.seeds, arguments.steps)
    results: Results = {}
    for part in arguments.only or PARTS:
        done = compare_explorers(
            describe(part, seeds, steps),
            arguments.folder / part,
            workers=arguments.workers,
            report=lambda event: print(json.dumps(event), flush=True),
        )
        if done.failed:
            raise SystemExit(f"{done.failed} cells of {part} failed: {done.folder / 'cells.csv'}")
        results |= figures(part, done.tables["summary"])
    if arguments.only is None:
        sizes = {"seeds": seeds, "steps": steps}
        save("exploration", "make exploration", results, arguments.out, **sizes)


if __name__ == "__main__":
    main()
