# SPDX-License-Identifier: GPL-2.0-only
"""`defiance-zoo partition show`: a recorded episode as a picture."""

from __future__ import annotations

from pathlib import Path

import click

from defiance_zoo.bridge.system.whole_files import require_writable, write_whole
from defiance_zoo.command_line import output
from defiance_zoo.command_line.failures import as_messages, import_chart
from defiance_zoo.command_line.options import json_option
from defiance_zoo.command_line.recorded_options import environment_option, find_spec
from defiance_zoo.recording import read_recording
from defiance_zoo.recording.replaying import open_recorded


@click.command
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File to write; by default FILE.html beside FILE.",
)
@environment_option
@json_option
def command(file: Path, out: Path | None, env: str | None, as_json: bool) -> None:
    """Draw the messages of the episode in FILE, as a page for a browser."""
    with as_messages():
        chart = import_chart()
        recording = read_recording(file)
        open_recorded(
            recording, find_spec(env)
        ).close()  # refuses files of another version; nothing is played
        story = chart.read_story(recording)
        out = out or file.with_suffix(".html")
        require_writable(out)
        write_whole(out, chart.draw_page(story))
    output.show({"file": str(out)}, as_json, lambda facts: click.echo(facts["file"]))
