# SPDX-License-Identifier: GPL-2.0-only
"""`defiance-zoo eval --leaderboard`: a row of a leaderboard for the user's runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from defiance_zoo.command_line import output
from defiance_zoo.command_line.failures import import_study
from defiance_zoo.environments import lookup
from defiance_zoo.experiments.workbench.events import EventCallback


def add_to_leaderboard(
    runs: tuple[Path, ...],
    name: str | None,
    out: Path | None,
    episodes: int | None,
    trust: bool,
    report: EventCallback,
) -> dict[str, Any]:
    """Play the tasks of the leaderboard of the runs' environment, and write the runs' row.

    Args:
        runs: Folders of runs of one policy, such as one for each seed.
        name: Name of the row; by default the first folder's name.
        out: File that gets the row; by default one in runs/. A new file begins with the
            environment's rows.
        episodes: Number of episodes instead of the leaderboard's; the leaderboard's file is
            unchanged then.
        trust: Load the runs, whatever their origin.
        report: Called with each event; see `run_study`.

    Returns:
        The document, with `row`, the name of the new row, and `file`.

    Raises:
        ParameterError: Runs have different environments, or the file is of another leaderboard.
    """
    import_study()
    from defiance_zoo.bridge.system.whole_files import require_writable, write_json
    from defiance_zoo.experiments.study import leaderboard
    from defiance_zoo.experiments.training.checkpoints import find_checkpoint

    env = find_checkpoint(runs[0], trust=trust).config.env
    board = leaderboard.read_leaderboard(env)
    if episodes is not None:
        board = board.with_episodes(episodes)
    stem = env.rpartition(":")[2]
    file = out or Path("runs") / f"leaderboard-{stem}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    require_writable(file)
    document = _begin(board, file)
    entry = leaderboard.Entry(name or runs[0].resolve().name, runs=runs)
    folder = file.parent / f"leaderboard-{stem}"
    rows = leaderboard.play_entries(board, [entry], folder, trust=trust, report=report)
    document = leaderboard.update(document, rows)
    write_json(file, document, 2)
    return {**document, "row": entry.name, "file": str(file)}


def _begin(board: Any, file: Path) -> dict[str, Any]:
    """Return the results in the file, or in the environment's leaderboard for the same task."""
    from defiance_zoo.experiments.study import leaderboard

    if file.exists() and file.stat().st_size:
        return leaderboard.read_document(file, board)
    path = lookup(board.config.env).leaderboard
    published = None if path is None else path.with_suffix(".json")
    if published is not None and published.is_file():
        known: dict[str, Any] = leaderboard.read_any(published)
        if known["key"] == board.key:
            return known
    return leaderboard.new_document(board)


def print_leaderboard(document: dict[str, Any]) -> None:
    """Print the rows, best first, with a mark at the row of the runs."""
    task = document["task"]
    places, last = list(task["deployments"]), task["seed"] + task["episodes"] - 1
    click.echo(
        f"{task['env']}: {task['measure']} in {len(places)} deployments "
        f"({'; '.join(places)}), seeds {task['seed']} to {last}\n"
    )
    rows = sorted(document["results"].items(), key=lambda each: -each[1]["mean"])
    headings = ("", "policy", "mean", "95 % interval", *places, "s an episode")
    table = [
        (
            "*" if name == document["row"] else "",
            name,
            output.number(row["mean"]),
            " to ".join(output.number(end) for end in row["ci95"]),
            *(output.number(row["deployments"][place]["mean"]) for place in places),
            output.number(row["wall_time_s"]),
        )
        for name, row in rows
    ]
    output.print_table(headings, table, right=headings[2:])
    click.echo(f"\nIntervals: {document['interval']}. Written to {document['file']}.")
