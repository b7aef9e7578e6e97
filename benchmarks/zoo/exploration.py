# SPDX-License-Identifier: GPL-2.0-only
"""The coverage of protocols by explorers, compared with random tests.

    python -m benchmarks.zoo.exploration [--quick] [--seeds N] [--steps N] [--only PART]
                                         [--policy NAME] [--workers N] [--folder FOLDER]
                                         [--out FOLDER]

Each part is a comparison whose folder is kept: the same command continues where it stopped. With
    more seeds or policies, it plays only the new ones. Omitted parts keep their figures. All parts
    have 28.1 million steps; `--only raft --policy BonusMax --seeds 2` has 0.8 million.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import yaml

from benchmarks.measuring.result_files import RESULTS, load, save
from benchmarks.measuring.timing import Results
from defiance_zoo.protocols.comparison.configuration import (
    Comparison,
    ComparisonConfig,
    check_comparison,
)
from defiance_zoo.protocols.comparison.running import compare_explorers

SEEDS, STEPS = 10, 200_000
FOLDER = Path("runs") / "exploration"
RANDOM = {"Random": {"explorer": "random"}}
BONUS = {"BonusMax": {"explorer": "bonus_max"}}
OTHERS = {
    "NegRL": {"explorer": "negrl"},
    "NegRLVisits": {"explorer": "negrl_visits"},
}
BRANCH = {
    "Branch": {
        "explorer": "branch",
        "options": {"fresh": 0.05, "length": 25, "keep": 0.5, "snapshots": 48},
    }
}
"""For coverage: whole episodes, few new episodes, and many states from which to continue."""


def waypoints(*hierarchies: str) -> dict[str, Any]:
    """Return an explorer for each hierarchy."""
    return {
        f"Waypoint {name}": {"explorer": "waypoint", "options": {"hierarchy": name}}
        for name in hierarchies
    }


HIERARCHIES = ("LogCommitGap3", "MinCommit2")
PARTS: dict[str, dict[str, Any]] = {
    "waypoints": {
        "systems": {"Raft, led": {"hierarchies": list(HIERARCHIES)}},
        "policies": {**RANDOM, **waypoints(*HIERARCHIES)},
        "steps": 50_000,
    },
    "raft": {
        "systems": {"Raft": {"parameters": {"with_crashes": False}}},
        "policies": {
            **RANDOM,
            **BONUS,
            **OTHERS,
            **BRANCH,
            "Nemesis": {"explorer": "nemesis"},
        },
    },
    "small": {
        "systems": {
            "Raft, few colours": {
                "parameters": {"with_crashes": False, "painter": "state,commit,term:6"}
            }
        },
        "policies": {**RANDOM, **BONUS, **BRANCH},
    },
    "branches": {
        "systems": {"Raft, 100,000 steps": {"parameters": {"with_crashes": False}}},
        "policies": {**BONUS, **BRANCH},
        "steps": 100_000,
    },
    "others": {
        "systems": {"Raft, 20,000 steps": {"parameters": {"with_crashes": False}}},
        "policies": {**RANDOM, **OTHERS},
        "seeds": 5,
        "steps": 20_000,
    },
    "tendermint": {
        "systems": {"Tendermint": {"env": "partition_tendermint_v0"}},
        "policies": {**RANDOM, **BONUS},
    },
    "short_tendermint": {
        "systems": {"Tendermint, 20,000 steps": {"env": "partition_tendermint_v0"}},
        "policies": {**RANDOM, **BONUS},
        "seeds": 5,
        "steps": 20_000,
    },
}
"""The comparisons by name, with their first policy and their maximum of `steps` and `seeds`."""


def describe(part: str, seeds: int, steps: int, policies: list[str] | None) -> Comparison:
    """Return a part's comparison; a selection of policies always includes the first policy."""
    wanted = {"seeds": seeds, "steps": steps}
    most = {name: min(count, PARTS[part].get(name, count)) for name, count in wanted.items()}
    values = {**PARTS[part], **most}
    if policies is not None:
        known = PARTS[part]["policies"]
        chosen = (next(iter(known)), *policies)
        values["policies"] = {name: known[name] for name in known if name in chosen}
    config = ComparisonConfig.model_validate(values)
    check_comparison(config)
    return Comparison(part, config, yaml.safe_dump(values, sort_keys=False))


def figures(comparison: Comparison, rows: list[dict[str, Any]]) -> Results:
    """Return the results, by system, policy and measure."""
    return {
        f"{row['system']}, {row['policy']}: {row['measure']}": {
            "steps": comparison.config.steps,
            **{
                name: value
                for name, value in row.items()
                if name not in ("system", "policy", "measure") and value is not None
            },
        }
        for row in rows
    }


def kept(folder: Path, parts: list[str]) -> Results:
    """Return the existing figures of other parts."""
    if not (folder / "exploration.json").is_file():
        return {}
    systems = tuple(f"{system}, {policy}:" for part in parts for system in PARTS[part]["systems"]
                    for policy in PARTS[part]["policies"])  # fmt: skip
    known: Results = load("exploration", folder)["results"]
    return {case: each for case, each in known.items() if not case.startswith(systems)}


def main() -> None:
    """Compare, print, save."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="explore briefly, to try the command")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--only", action="append", choices=PARTS, help="one part")
    parser.add_argument("--policy", action="append", help="one policy, beside its part's first")
    parser.add_argument("--workers", type=int, help="processes; by default one for each core")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="of the comparisons")
    parser.add_argument("--out", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    seeds, steps = (2, 60) if arguments.quick else (arguments.seeds, arguments.steps)
    parts = arguments.only or list(PARTS)
    results = kept(arguments.out, parts)
    for part in parts:
        comparison = describe(part, seeds, steps, arguments.policy)
        done = compare_explorers(
            comparison,
            arguments.folder / part,
            workers=arguments.workers,
            report=lambda event: print(json.dumps(event), flush=True),
        )
        if done.failed:
            raise SystemExit(f"{done.failed} cells of {part} failed: {done.folder / 'cells.csv'}")
        results |= figures(comparison, done.tables["summary"])
        save("exploration", "make exploration", results, arguments.out)


if __name__ == "__main__":
    main()
