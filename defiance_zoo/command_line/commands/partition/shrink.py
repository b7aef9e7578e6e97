# SPDX-License-Identifier: GPL-2.0-only
"""`defiance-zoo partition shrink`: the shortest way to a violation."""

from __future__ import annotations

import contextlib
from pathlib import Path

import click

from defiance_zoo.command_line import output
from defiance_zoo.command_line.commands.partition.protocols import first_violation, violated
from defiance_zoo.command_line.failures import as_messages
from defiance_zoo.command_line.options import json_option
from defiance_zoo.environments.repeating import open_recorded
from defiance_zoo.errors import InvalidRecording
from defiance_zoo.recording import (
    ByValue,
    Reading,
    RecordedRound,
    Recording,
    read_recording,
    replay,
    shrink,
)
from defiance_zoo.system.whole_files import require_writable, write_whole


@click.command
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where to; by default FILE.shrunk.json beside FILE.",
)
@click.option(
    "--same",
    type=click.Choice(["property", "text"]),
    default="property",
    show_default=True,
    help="What of the first violation remains: its property, or replicas and entries, too.",
)
@json_option
def command(file: Path, out: Path | None, same: str, as_json: bool) -> None:
    """Leave out actions of the episode in FILE while the same violation remains."""
    with as_messages():
        recording = read_recording(file)
        out = out or file.with_suffix(".shrunk.json")
        require_writable(out)
        shorter = _shrink(recording, same)
        write_whole(out, shorter.to_json())
    before, after = len(recording.decisions), len(shorter.decisions)
    violation = first_violation(shorter)
    assert violation is not None  # it is what remains
    if as_json:
        facts = {"file": str(out), "before": before, "steps": after, "violation": violation[1]}
        output.print_json(facts)
        return
    click.echo(f"{before} steps, of which {after} are needed: {out}")
    click.echo(f"step {violation[0]}: {violation[1]}")


def _shrink(recording: Recording, same: str) -> Recording:
    from defiance_zoo.envs.partition.meanings import ByMeaning

    first = first_violation(recording)
    if first is None:
        raise InvalidRecording("no guarantee is violated in this episode: nothing to shrink")
    where, text = first
    properties = violated(recording.rounds[where])

    def seek(each: RecordedRound) -> bool:
        if same == "property":
            return bool(violated(each) & properties)
        return any(told.info.get("violations") == text for _, told in each.told)

    readings: list[Reading] = [ByValue()]
    if ByMeaning.can_read(recording):
        readings.insert(0, ByMeaning(recording))
    with contextlib.closing(open_recorded(recording)) as episodes:
        shorter = shrink(recording, episodes, seek, readings)
        replay(shorter, episodes)
    return shorter
