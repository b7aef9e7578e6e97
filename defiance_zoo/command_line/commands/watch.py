# SPDX-License-Identifier: GPL-2.0-only
"""`defiance-zoo watch`: a running training in the browser."""

from __future__ import annotations

import contextlib
import functools
from pathlib import Path

import click

from defiance_zoo.command_line.failures import as_messages, import_training, import_viewing


@click.command
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    help="Port on 127.0.0.1; by default a free one.",
)
@click.option("--stay", is_flag=True, help="Continue after the end of the run.")
def command(run: Path, port: int, stay: bool) -> None:
    """Show a run in the browser while it trains or evaluates, and print the page's address.

    The command ends with the run, or with Ctrl-C. It waits for a training that has just been
    started. The page is read-only, and served only to this machine.
    """
    with as_messages(), contextlib.suppress(KeyboardInterrupt):
        import_training()
        import_viewing()
        from defiance_zoo.recording.viewing.watching import watch

        begins = f"{run} has not begun yet: waiting for it. Ctrl-C ends this."
        waiting = functools.partial(click.echo, begins, err=True)
        watch(run, port=port, stay=stay, announce=_announce, waiting=waiting)


def _announce(url: str, under_way: bool) -> None:
    click.echo(url)
    if not under_way:
        click.echo("The run is not under way. Ctrl-C ends this.", err=True)
