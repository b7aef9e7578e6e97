# SPDX-License-Identifier: GPL-2.0-only
"""`defiance-zoo partition replay`: a recorded episode, played again."""

from __future__ import annotations

import contextlib
from pathlib import Path

import click

from defiance_zoo.command_line import output
from defiance_zoo.command_line.failures import as_messages
from defiance_zoo.command_line.options import json_option
from defiance_zoo.command_line.recorded_options import environment_option, find_spec
from defiance_zoo.recording import read_recording, replay
from defiance_zoo.recording.replaying import open_recorded


@click.command
@click.argument("file", type=click.Path(path_type=Path))
@environment_option
@json_option
def command(file: Path, env: str | None, as_json: bool) -> None:
    """Play the episode in FILE again, and compare all hashes, times, rewards and violations."""
    from defiance_zoo.protocols.violations import first_violation

    with as_messages():
        recording = read_recording(file)
        with contextlib.closing(open_recorded(recording, find_spec(env))) as episodes:
            replay(recording, episodes)
    violation = first_violation(recording)
    steps = len(recording.decisions)
    if as_json:
        step, text = violation or (None, "")
        output.print_json({"steps": steps, "step": step, "violation": text})
        return
    click.echo(f"the same in all {steps} steps")
    if recording.outcome == "failed":
        click.echo(f"the simulation failed: {recording.failure}")
    click.echo(f"step {violation[0]}: {violation[1]}" if violation else "no violation")
