# SPDX-License-Identifier: GPL-2.0-only
"""Play the leaderboards, and write the results of each policy.

    python -m benchmarks.learning.leaderboard [--quick] [--only ENV] [--row NAME] [--workers N]
        [--out FOLDER]

The file in an environment's `leaderboard` defines the episodes. Trained policies are in runs/ after
`make baselines`; without a policy, its row is unchanged. The policy that comes with the package,
one of these trainings, has a separate row. Episodes with results in folders of runs/ are not
played again.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.learning.baselines import OUT as TRAINED
from benchmarks.learning.baselines import run_folder, seeds
from benchmarks.measuring.result_files import RESULTS, save
from defiance_zoo.environments import lookup, registered
from defiance_zoo.experiments.evaluation import FilePolicy
from defiance_zoo.experiments.study.configuration import PolicyConfig
from defiance_zoo.experiments.study.leaderboard.board import (
    Entry,
    Leaderboard,
    own_parameters,
    play_entries,
    read_leaderboard,
)
from defiance_zoo.experiments.study.leaderboard.document import markdown
from defiance_zoo.experiments.workbench.estimates import INTERVAL

FOLDER = "leaderboard"
PLAYED = Path(__file__).parents[2] / "runs"


def environments() -> list[str]:
    """Return the names of environments with a leaderboard."""
    return [name for name in registered() if lookup(name).leaderboard is not None]


def entries(board: Leaderboard, trained: Path) -> tuple[list[Entry], list[str]]:
    """Return the available policies, and the names of policies that were not trained here."""
    found = [Entry(name, policy) for name, policy in board.config.policies.items()]
    found += shipped(board)
    missing = []
    for name, run in board.config.trained.items():
        runs = tuple(run_folder(run, seed, trained) for seed in seeds(run))
        if all((each / "evaluation.json").is_file() for each in runs):
            found.append(Entry(name, runs=runs))
        else:
            missing.append(name)
    return found, missing


def shipped(board: Leaderboard) -> list[Entry]:
    """Return the policy that comes with the package, if there is one."""
    path = lookup(board.config.env).trained
    if path is None:
        return []
    known = FilePolicy(path).metadata
    parameters = own_parameters(json.loads(known["parameters"]), board)
    name = f"{json.loads(known['leaderboard'])['row']}, shipped"
    return [Entry(name, PolicyConfig(baseline="trained", parameters=parameters))]


def reduced(board: Leaderboard) -> Leaderboard:
    """Return a leaderboard of one episode in one deployment, which is another task."""
    config = board.with_episodes(1).config
    places = dict(list(config.deployments.items())[:1])
    grid = {name: values[:1] for name, values in config.grid.items()}
    return replace(board, config=config.model_copy(update={"deployments": places, "grid": grid}))


def known_rows(board: Leaderboard, folder: Path) -> dict[str, Any]:
    """Return the existing rows of the same task."""
    path = folder / f"{board.config.env}.json"
    if not path.is_file():
        return {}
    document = json.loads(path.read_text())
    rows: dict[str, Any] = document["results"] if document["key"] == board.key else {}
    return rows


def play(env: str, arguments: argparse.Namespace) -> None:
    """Play the leaderboard of an environment, save it and print it."""
    board = read_leaderboard(env)
    if arguments.quick:
        board = reduced(board)
    there, missing = entries(board, arguments.trained)
    if arguments.row:
        missing += [each.name for each in there if each.name not in arguments.row]
        there = [each for each in there if each.name in arguments.row]
    folder = arguments.played / f"leaderboard-{env}"
    rows = play_entries(board, there, folder, workers=arguments.workers)
    known = known_rows(board, arguments.out / FOLDER)
    kept = {name: known[name] for name in missing if name in known}
    for name in missing:
        what = "its row stays" if name in kept else "it has no row"
        print(f"{env}: {name} was not chosen, or not trained here ('make baselines'): {what}")
    beside = {"key": board.key, "task": board.task, "interval": INTERVAL}
    save(env, "make leaderboard", {**rows, **kept}, arguments.out / FOLDER, **beside)
    print(markdown({**beside, "results": {**rows, **kept}}), flush=True)


def main() -> None:
    """Play, save, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", choices=environments(), action="append", help="may be repeated")
    parser.add_argument("--row", action="append", help="play only this row; may be repeated")
    parser.add_argument("--quick", action="store_true", help="play one episode in one deployment")
    parser.add_argument("--workers", type=int, help="by default one for each core")
    parser.add_argument("--trained", type=Path, default=TRAINED, help="where runs are")
    parser.add_argument("--played", type=Path, default=PLAYED, help="folder of the study")
    parser.add_argument("--out", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    for env in arguments.only or environments():
        play(env, arguments)


if __name__ == "__main__":
    main()
