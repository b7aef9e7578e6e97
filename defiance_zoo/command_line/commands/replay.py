# SPDX-License-Identifier: GPL-2.0-only
"""`defiance-zoo replay`: recorded episodes, played again."""

from __future__ import annotations

import contextlib
from pathlib import Path

import click

from defiance_zoo.command_line import output
from defiance_zoo.command_line.options import environment_option, find_spec, json_option
from defiance_zoo.command_line.progress import quiet_option, waiting
from defiance_zoo.recording import find_episodes, read_recording, replay
from defiance_zoo.recording.replaying import open_recorded


@click.command
@click.argument(
    "places", metavar="FOLDER...", nargs=-1, required=True, type=click.Path(path_type=Path)
)
@environment_option
@json_option
@quiet_option
def command(places: tuple[Path, ...], env: str | None, as_json: bool) -> None:
    """Play recorded episodes again, and compare all that the agents received, and their spaces.

    FOLDER is an episode, a folder of episodes, or a single file of the tools for protocols. If
    something differs, the message names the first step, and the exit status is 1. The output of
    the simulation, such as print() in a replica, goes to the standard error.
    """
    played = []
    spec = find_spec(env)
    for place in places:
        for path in [place] if place.is_file() else find_episodes(place):
            recording = read_recording(path)
            with (
                waiting(f"playing {path}"),
                contextlib.closing(open_recorded(recording, spec, output="show")) as episodes,
            ):
                replay(recording, episodes)
            steps = len(recording.decisions)
            played.append((path, steps, recording.outcome, recording.failure))
    if as_json:
        output.print_json(
            [
                {"path": str(path), "steps": steps, "outcome": outcome}
                for path, steps, outcome, _ in played
            ]
        )
        return
    for path, steps, outcome, failure in played:
        click.echo(f"{path}: the same in all {steps} steps")
        if outcome == "failed":
            click.echo(f"the simulation failed: {failure}")
