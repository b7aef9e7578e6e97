# SPDX-License-Identifier: GPL-2.0-only
"""`defiance-zoo report`: recorded episodes as a page."""

from __future__ import annotations

import os
from pathlib import Path

import click

from defiance_zoo.command_line.parts import import_viewing
from defiance_zoo.command_line.progress import quiet_option, waiting


@click.command
@click.argument(
    "folders", metavar="FOLDER [FOLDER]", nargs=-1, required=True, type=click.Path(path_type=Path)
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="HTML file to write; by default in the current folder, with the name of the episode.",
)
@quiet_option
def command(folders: tuple[Path, ...], out: Path | None) -> None:
    """Write one HTML file that shows a recorded episode, or two side by side.

    It needs no other file and no network.
    """
    if len(folders) > 2:
        raise click.UsageError("give one episode or two")
    pages = import_viewing()
    from defiance_zoo.bridge.system.whole_files import require_writable

    file = out or Path(
        "-and-".join(Path(os.path.realpath(each)).name for each in folders) + ".html"
    )
    require_writable(file)
    with waiting(f"drawing {file}"):
        pages.write_report(folders, file)
    click.echo(file)
