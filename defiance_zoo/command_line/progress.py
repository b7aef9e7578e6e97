# SPDX-License-Identifier: GPL-2.0-only
"""Progress of work on the terminal: a bar, lines, lines of JSON, or nothing."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import click

from defiance_zoo.command_line import output
from defiance_zoo.experiments.workbench.events import Event, EventCallback

Mode = Literal["people", "json", "quiet"]
_LINE_EVERY_S = 5.0


@dataclass(frozen=True)
class Advance:
    """The progress of work."""

    done: int
    until: int
    unit: str
    text: str = ""

    def __str__(self) -> str:
        """Return the progress as a line for people."""
        return f"{self.done:,}/{self.until:,} {self.unit} {self.text}"


@dataclass(frozen=True)
class Wording:
    """The texts for the events of one kind of work.

    Attributes:
        describe: Returns the line for an event; empty for no line.
        advance: Returns the progress if an event reports it.
    """

    describe: Callable[[Event], str]
    advance: Callable[[Event], Advance | None]


@contextlib.contextmanager
def reporting(mode: Mode, wording: Wording | None = None) -> Iterator[EventCallback]:
    """Yield the function that prints the events of work.

    Args:
        mode: `people` prints a bar on a terminal, and otherwise a line every few seconds. In the
            other modes, the output of libraries goes to the standard error.
        wording: Texts of the work; by default of training.
    """
    wording = wording or TRAINING
    if mode == "quiet":
        with contextlib.redirect_stdout(sys.stderr):
            yield lambda _event: None
    elif mode == "json":
        events = sys.stdout
        with contextlib.redirect_stdout(sys.stderr):
            yield lambda event: output.print_json_line(event, events)
    elif sys.stdout.isatty():
        with _Bar(wording) as bar:
            yield bar
    else:
        yield _Lines(wording)


def follow(
    work: Callable[[EventCallback], object], mode: Mode | None, wording: Wording | None = None
) -> None:
    """Work, and print its events, by default for people."""
    with reporting(mode or "people", wording) as report:
        work(report)


def modes(function: Any) -> Any:
    """Give a sub-command the options that choose a mode."""
    for option in (
        click.option("--json", "mode", flag_value="json", help="Print events as lines of JSON."),
        click.option("--quiet", "mode", flag_value="quiet", help="Print nothing but errors."),
    ):
        function = option(function)
    return function


class _Lines:
    """Prints a line for each event, but progress only every few seconds."""

    def __init__(self, wording: Wording) -> None:
        self._wording, self._last = wording, -_LINE_EVERY_S

    def __call__(self, event: Event) -> None:
        if text := self._wording.describe(event):
            click.echo(text)
        advance = self._wording.advance(event)
        now = time.monotonic()
        if advance is not None and now - self._last >= _LINE_EVERY_S:
            self._last = now
            click.echo(advance)


class _Bar:
    """Draws a bar, and prints events above it."""

    def __init__(self, wording: Wording) -> None:
        self._wording = wording

    def __enter__(self) -> _Bar:
        from rich.progress import BarColumn, Progress, TextColumn

        self._progress = Progress(
            BarColumn(),
            TextColumn("{task.fields[text]}"),
            console=output.console(),
        )
        self._task = self._progress.add_task("", total=None, text="", visible=False)
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def __call__(self, event: Event) -> None:
        if text := self._wording.describe(event):
            self._progress.console.print(text, markup=False)
        advance = self._wording.advance(event)
        if advance is not None:
            done, until = advance.done, advance.until
            self._progress.update(
                self._task, completed=done, total=until, text=str(advance), visible=True
            )


def not_drawn(event: Event) -> str:
    """Return a line for an event `not_drawn`: a picture that could not be drawn."""
    return f"{event['picture']} was not drawn: {event['error']}: {event['message']}"


def describe(event: Event) -> str:
    """Return the line for an event of training; empty for no line."""
    match event["event"]:
        case "started":
            return f"training in {event['run']}: {event['steps']:,} of {event['until']:,} decisions"
        case "labelling":
            share = f"{event['labels']:,} labels in round {event['round']} of {event['rounds']}"
            return f"imitating a teacher in {event['run']}: {share}"
        case "label_budget":
            cost = f"{event['cpu_s_per_label']:.3g} s of processor time each"
            return f"{event['labels']:,} labels, {cost}: {output.duration(event['cpu_s'])} in all"
        case "imitated":
            agreement = f"agrees with the teacher in {event['agreement']:.0%} of its labels"
            before = f"{event['agreement_before']:.0%} of this round's before"
            return f"imitated in round {event['round']}: {agreement}, in {before}"
        case "checkpoint" if event["surpassed"] is not None:
            before = f"better than the return of {event['surpassed']:.1f} before"
            return f"saved at {event['steps']:,} decisions, the best so far: {before}"
        case "not_drawn":
            return not_drawn(event)
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


def _advance(event: Event) -> Advance | None:
    if event["event"] == "labels":
        left = output.duration(event["cpu_s_left"])
        return Advance(event["made"], event["labels"], "labels", f"{left} of processor time left")
    if event["event"] != "iteration":
        return None
    left = output.duration(event["remaining_s"])
    rate = f"{event['steps_per_second']:,.0f}/s"
    text = f"return {output.number(event['return'])}  {rate}  {left} left"
    return Advance(event["steps"], event["until"], "decisions", text)


TRAINING = Wording(describe, _advance)
