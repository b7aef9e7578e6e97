# SPDX-License-Identifier: GPL-2.0-only
"""`defiance-zoo partition shrink`: a shorter way to the same violation."""

from __future__ import annotations

from pathlib import Path

import click

from defiance_zoo.bridge.system.whole_files import require_writable, write_whole
from defiance_zoo.command_line import output
from defiance_zoo.command_line.failures import as_messages
from defiance_zoo.command_line.options import json_option
from defiance_zoo.command_line.recorded_options import environment_option, find_spec
from defiance_zoo.recording import read_recording


@click.command
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File to write; by default FILE.shrunk.json beside FILE.",
)
@click.option(
    "--same",
    type=click.Choice(["property", "text"]),
    default="property",
    show_default=True,
    help="Part of the first violation to keep: its property, or also replicas and entries.",
)
@environment_option
@json_option
def command(file: Path, out: Path | None, same: str, env: str | None, as_json: bool) -> None:
    """Leave out actions of the episode in FILE while the same violation remains."""
    from defiance_zoo.protocols.violations import first_violation, shrink_violation

    with as_messages():
        recording = read_recording(file)
        out = out or file.with_suffix(".shrunk.json")
        require_writable(out)
        shorter = shrink_violation(
            recording, "text" if same == "text" else "property", find_spec(env)
        )
        write_whole(out, shorter.to_json())
    before, after = len(recording.decisions), len(shorter.decisions)
    violation = first_violation(shorter)
    assert violation is not None  # shrinking keeps it
    if as_json:
        facts = {"file": str(out), "before": before, "steps": after, "violation": violation[1]}
        output.print_json(facts)
        return
    click.echo(f"{before} steps, of which {after} are needed: {out}")
    click.echo(f"step {violation[0]}: {violation[1]}")
