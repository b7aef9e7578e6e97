# SPDX-License-Identifier: GPL-2.0-only
"""Tables and JSON on the standard output."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TextIO, TypeVar

import click

if TYPE_CHECKING:
    from rich.console import Console

_Facts = TypeVar("_Facts")
_WIDTH = 160  # width of a table in a file or for another program


def console() -> Console:
    """Return the console for tables."""
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else _WIDTH, highlight=False)


def print_table(
    headings: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    right: Sequence[str] = (),
) -> None:
    """Print a table."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in headings:
        table.add_column(heading, justify="right" if heading in right else "left", overflow="fold")
    for row in rows:
        table.add_row(*(cell.replace("[", r"\[") for cell in row))  # Rich's markup
    console().print(table)


def print_json(value: Any) -> None:
    """Print a value as one line of JSON, at once."""
    click.echo(json.dumps(value, allow_nan=False, default=str))


def print_json_line(event: dict[str, Any], to: TextIO | None = None) -> None:
    """Print an event as one line of JSON, in which numbers that are not finite are null."""
    from defiance_zoo.bridge.system.whole_files import to_json

    click.echo(to_json(event), file=to)


def show(facts: _Facts, as_json: bool, to_people: Callable[[_Facts], None]) -> None:
    """Print facts as JSON, or as text for people."""
    (print_json if as_json else to_people)(facts)
