# SPDX-License-Identifier: GPL-2.0-only
"""How training is watched: a bar, lines, lines of JSON, or not at all."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, Literal

import click

from defiance_zoo.command_line import output

Mode = Literal["people", "json", "quiet"]
Report = Callable[[dict[str, Any]], None]
_LINE_EVERY_S = 5.0


@contextlib.contextmanager
def reporting(mode: Mode) -> Iterator[Report]:
    """Give what prints the events of training.

    Args:
        mode: For `people` there is a bar on a terminal, and a line every few seconds elsewhere.
    """
    if mode == "quiet":
        yield lambda _event: None
    elif mode == "json":
        yield output.print_json_line
    elif sys.stdout.isatty():
        with _Bar() as bar:
            yield bar
    else:
        yield _Lines()


def modes(function: Any) -> Any:
    """Give a sub-command the options that choose a mode."""
    for option in (
        click.option("--json", "mode", flag_value="json", help="Print events as lines of JSON."),
        click.option("--quiet", "mode", flag_value="quiet", help="Print nothing but errors."),
    ):
        function = option(function)
    return function


class _Lines:
    """Prints a line for what happens; for iterations not more often than every few seconds."""

    def __init__(self) -> None:
        self._last = -_LINE_EVERY_S

    def __call__(self, event: dict[str, Any]) -> None:
        if event["event"] == "iteration":
            now = time.monotonic()
            if now - self._last < _LINE_EVERY_S:
                return
            self._last = now
        text = describe(event)
        if text:
            click.echo(text)


class _Bar:
    """Draws a bar, and prints above it what is not an iteration."""

    def __enter__(self) -> _Bar:
        from rich.progress import BarColumn, Progress, TextColumn

        self._progress = Progress(
            BarColumn(),
            TextColumn("{task.completed:,.0f}/{task.total:,.0f} decisions {task.fields[text]}"),
            console=output.console(),
        )
        self._task = self._progress.add_task("", total=None, text="", visible=False)
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def __call__(self, event: dict[str, Any]) -> None:
        if event["event"] in ("started", "iteration"):
            self._progress.update(
                self._task,
                completed=event["steps"],
                total=event["until"],
                text=_pace(event) if event["event"] == "iteration" else "",
                visible=True,
            )
        elif text := describe(event):
            self._progress.console.print(text, markup=False)


def describe(event: dict[str, Any]) -> str:
    """Return an event as a line for people; empty if there is nothing to say."""
    match event["event"]:
        case "started":
            return f"training in {event['run']}: {event['steps']:,} of {event['until']:,} decisions"
        case "iteration":
            return f"{event['steps']:,}/{event['until']:,} decisions {_pace(event)}"
        case "checkpoint" if event["best"]:
            return f"saved at {event['steps']:,} decisions, the best so far"
        case "interrupted":
            run = event["run"]
            return f"interrupted at {event['steps']:,} decisions; defiance-zoo resume {run}"
        case "evaluated":
            low, high = event["ci95"]
            interval = "" if low is None else f", 95 % interval {low:.1f} to {high:.1f}"
            return f"{event['policy']}: mean return {event['mean']:.1f}{interval}"
        case "finished":
            return f"finished: {event['run']}"
        case _:
            return ""


def _pace(event: dict[str, Any]) -> str:
    left = output.duration(event["remaining_s"])
    return (
        f" return {output.number(event['return'])}  {event['steps_per_second']:,.0f}/s  {left} left"
    )
