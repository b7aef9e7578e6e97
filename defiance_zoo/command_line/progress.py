# SPDX-License-Identifier: GPL-2.0-only
"""Progress of work on the terminal: a bar, lines, lines of JSON, or nothing."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import click

from defiance_zoo.command_line import output
from defiance_zoo.experiments.workbench.events import Event, EventCallback, ignore
from defiance_zoo.experiments.workbench.progress import TRAINING, Wording

if TYPE_CHECKING:
    from rich.progress import Progress

Mode = Literal["people", "json", "quiet"]
_Result = TypeVar("_Result")
_LINE_EVERY_S = 5.0
_QUIET = "defiance_zoo.quiet"


@contextlib.contextmanager
def reporting(mode: Mode, wording: Wording) -> Iterator[EventCallback]:
    """Yield the function that prints the events of work.

    The mode `people` prints a bar on a terminal, and otherwise a line every few seconds. In the
    other modes, the output of libraries goes to the standard error.
    """
    if mode == "quiet":
        with contextlib.redirect_stdout(sys.stderr):
            yield ignore
    elif mode == "json":
        events = sys.stdout
        with contextlib.redirect_stdout(sys.stderr):
            yield lambda event: output.print_json_line(event, events)
    elif sys.stdout.isatty():
        with _bar("starting", stderr=False) as bar:
            yield _Shown(wording, bar)
    else:
        yield _Lines(wording)


def follow(
    work: Callable[[EventCallback], _Result], mode: Mode | None, wording: Wording = TRAINING
) -> _Result:
    """Work, and print its events, by default for people and with the texts of trainings."""
    with reporting(mode or "people", wording) as report:
        return work(report)


def run_cells(work: Callable[[EventCallback], Any], mode: Mode | None, wording: Wording) -> None:
    """Do work whose outcome counts `failed` cells; exit with status 1 if there are any."""
    if follow(work, mode, wording).failed:
        click.get_current_context().exit(1)


@contextlib.contextmanager
def waiting(text: str, wording: Wording = TRAINING) -> Iterator[EventCallback]:
    """Show on the standard error that a command works, until its result can be printed.

    Nothing is shown with `--quiet`, or if the standard error is no terminal.
    """
    context = click.get_current_context(silent=True)
    if (context is not None and _QUIET in context.meta) or not sys.stderr.isatty():
        yield ignore
        return
    with _bar(text, stderr=True) as bar:
        yield _Shown(wording, bar)


def _set_quiet(context: click.Context, _option: click.Parameter, value: object) -> Any:
    """Note that the user wants no progress."""
    if value in (True, "quiet"):
        context.meta[_QUIET] = True
    return value


quiet_option = click.option(
    "--quiet", is_flag=True, expose_value=False, callback=_set_quiet, help="Show no progress."
)


def modes(function: Any) -> Any:
    """Give a sub-command the options that choose a mode."""
    for option in (
        click.option("--json", "mode", flag_value="json", help="Print events as lines of JSON."),
        click.option(
            "--quiet",
            "mode",
            flag_value="quiet",
            callback=_set_quiet,
            help="Print nothing but errors.",
        ),
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


class _Shown:
    """Shows progress in a bar, and prints events above it."""

    def __init__(self, wording: Wording, bar: Progress) -> None:
        self._wording, self._bar = wording, bar

    def __call__(self, event: Event) -> None:
        if text := self._wording.describe(event):
            self._bar.console.print(text, markup=False)
        advance = self._wording.advance(event)
        if advance is not None:
            (task,) = self._bar.tasks
            task.finished_time = None  # for more work of the same size
            done, until = advance.done, advance.until
            self._bar.update(task.id, completed=done, total=until, description=str(advance))


@contextlib.contextmanager
def _bar(text: str, *, stderr: bool) -> Iterator[Progress]:
    """Draw a bar that pulses until the amount of work is known, and then leave no trace of it."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    with Progress(
        SpinnerColumn(),
        TimeElapsedColumn(),
        BarColumn(),
        TextColumn("{task.description}", markup=False),
        console=Console(stderr=True, highlight=False) if stderr else output.console(),
        transient=True,
        redirect_stdout=sys.stdout.isatty(),
    ) as bar:
        bar.add_task(text, total=None)
        yield bar
