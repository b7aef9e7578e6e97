# SPDX-License-Identifier: GPL-2.0-only
"""The progress of work in words, and its display in notebooks."""

from __future__ import annotations

import html
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from defiance_zoo.experiments.workbench.events import Event, EventCallback, ignore
from defiance_zoo.experiments.workbench.wording import assignments, duration, number, shell_command


@dataclass(frozen=True)
class Advance:
    """The progress of work."""

    done: int
    until: int
    unit: str
    text: str = ""

    def __str__(self) -> str:
        return f"{self.done:,}/{self.until:,} {self.unit} {self.text}"


@dataclass(frozen=True)
class Wording:
    """The texts for the events of one kind of work."""

    describe: Callable[[Event], str]
    advance: Callable[[Event], Advance | None]


def not_drawn(event: Event) -> str:
    """Return a line for an event `not_drawn`: a picture that could not be drawn."""
    return f"{event['picture']} was not drawn: {event['error']}: {event['message']}"


def first_failure(event: Event) -> str:
    """Return a line for the first event `simulation_failed`; empty for the others."""
    return f"a simulation failed, and was replaced: {event['message']}" if event["first"] else ""


def _describe_training(event: Event) -> str:
    """Return the line for an event of training; empty for no line."""
    match event["event"]:
        case "started":
            return f"training in {event['run']}: {event['steps']:,} of {event['until']:,} decisions"
        case "labelling":
            share = f"{event['labels']:,} labels in round {event['round']} of {event['rounds']}"
            return f"imitating a teacher in {event['run']}: {share}"
        case "label_budget":
            cost = f"{event['cpu_s_per_label']:.3g} s of processor time each"
            return f"{event['labels']:,} labels, {cost}: {duration(event['cpu_s'])} in all"
        case "imitated":
            agreement = f"agrees with the teacher in {event['agreement']:.0%} of its labels"
            before = f"{event['agreement_before']:.0%} of this round's before"
            return f"imitated in round {event['round']}: {agreement}, in {before}"
        case "checkpoint" if event["surpassed"] is not None:
            before = f"better than the return of {event['surpassed']:.1f} before"
            return f"saved at {event['steps']:,} decisions, the best so far: {before}"
        case "simulation_failed":
            return first_failure(event)
        case "not_drawn":
            return not_drawn(event)
        case "interrupted":
            again = shell_command("resume", event["run"])
            return f"interrupted at {event['steps']:,} decisions; {again}"
        case "evaluated":
            low, high = event["ci95"]
            interval = "" if low is None else f", 95 % interval {low:.1f} to {high:.1f}"
            return f"{event['policy']}: mean return {event['mean']:.1f}{interval}"
        case "finished":
            return f"finished: {event['run']}"
        case _:
            return ""


def _advance_training(event: Event) -> Advance | None:
    match event["event"]:
        case "labels":
            left = f"{duration(event['cpu_s_left'])} of processor time left"
            return Advance(event["made"], event["labels"], "labels", left)
        case "iteration":
            left = duration(event["remaining_s"])
            rate = f"{event['steps_per_second']:,.0f}/s"
            text = f"return {number(event['return'])}  {rate}  {left} left"
            return Advance(event["steps"], event["until"], "decisions", text)
        case "played":
            text = f"of {event['policy']}  {duration(event['remaining_s'])} left"
            return Advance(event["episode"], event["episodes"], "episodes", text)
        case _:
            return None


TRAINING = Wording(_describe_training, _advance_training)
"""The texts for the events of trainings."""


def describe_cells(event: Event, kind: str) -> str:
    """Return a line for an event of a kind, `study` or `comparison`; empty for other events."""
    match event["event"]:
        case "planned":
            done = f", {event['finished']:,} finished" if event["finished"] else ""
            return f"{kind} in {event[kind]}: {event['cells']:,} cells{done}"
        case "failed":
            return f"failed: {place(event)}: {event['error']}: {event['message']}"
        case "not_drawn":
            return not_drawn(event)
        case "interrupted":
            return "interrupted; the same command continues"
        case "finished":
            failures = f"; {event['failed']:,} cells failed" if event["failed"] else ""
            return f"finished: {Path(event[kind]) / 'report.html'}{failures}"
        case _:
            return ""


def advance_cells(event: Event) -> Advance | None:
    """Return the progress of the cells if an event reports it."""
    if event["event"] != "cell":
        return None
    left = duration(event["remaining_s"])
    return Advance(event["done"], event["cells"], "cells", f"{left} left")


def place(event: Event) -> str:
    """Return the position of an event's cell, as text."""
    return assignments(event["cell"])


def _describe_study(event: Event) -> str:
    if event["event"] == "trained":
        return f"trained {event['policy']}"
    return describe_cells(event, "study")


def _advance_study(event: Event) -> Advance | None:
    match event["event"]:
        case "checked":
            return Advance(event["done"], event["deployments"], "deployments tried")
        case "training":
            left = duration(event["remaining_s"])
            reported = f"{event['policy']}  return {number(event['return'])}  {left} left"
            return Advance(event["steps"], event["until"], "decisions", reported)
        case _:
            return advance_cells(event)


STUDY = Wording(_describe_study, _advance_study)
"""The printed lines of a study's events."""


def short(value: Any) -> str:
    """Return a value of a trial for a line or a table."""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _describe_tuning(event: Event) -> str:
    match event["event"]:
        case "planned":
            known = f", {event['known']:,} known" if event["known"] else ""
            return f"tuning in {event['tuning']}: {event['trials']:,} trials{known}"
        case "began":
            values = {key: short(value) for key, value in event["values"].items()}
            return f"trial {event['trial']}: {assignments(values)}"
        case "trial":
            value = "" if event["value"] is None else f": mean return {event['value']:.1f}"
            why = f": {event['reason']}" if event["reason"] else ""
            return f"trial {event['trial']} {event['state']}{value}{why}"
        case "lost":
            return f"a trial was lost: {event['message']}"
        case "interrupted":
            return "interrupted; the same command continues"
        case "finished" if event["best"] is not None:
            return f"finished: the best run is {Path(event['tuning']) / 'best.yaml'}"
        case _:
            return ""


def _advance_tuning(event: Event) -> Advance | None:
    if event["event"] != "training":
        return None
    reported = f"trial {event['trial']}  return {number(event['return'])}"
    return Advance(event["steps"], event["until"], "decisions", reported)


TUNING = Wording(_describe_tuning, _advance_tuning)
"""The printed lines of a tuning's events."""


def followed(report: EventCallback | None, wording: Wording) -> EventCallback:
    """Return the callback of work; None: notebooks show progress, all others nothing."""
    if report is not None:
        return report
    # A kernel has imported IPython; nobody else waits for that.
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return _Notebook(wording) if hasattr(shell, "kernel") else ignore


class _Notebook:
    """Prints events in the output of a cell, below which a line with a bar changes."""

    _EVERY_S = 0.5

    def __init__(self, wording: Wording) -> None:
        shell: Any = sys.modules["IPython"].display
        self._wording, self._html, self._last = wording, shell.HTML, -self._EVERY_S
        self._place = shell.display(shell.HTML(""), display_id=True)

    def __call__(self, event: Event) -> None:
        if text := self._wording.describe(event):
            print(text)
            self._place.update(self._html(""))
        advance, now = self._wording.advance(event), time.monotonic()
        if advance is not None and now - self._last >= self._EVERY_S:
            self._last = now
            bar = f'<progress value="{advance.done}" max="{advance.until}"></progress>'
            self._place.update(self._html(f"{bar} {html.escape(str(advance))}"))
