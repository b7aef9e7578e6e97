# SPDX-License-Identifier: GPL-2.0-only
"""Errors for a simulation that has stopped, with its exit status and output."""

from __future__ import annotations

import threading
import time

from defiance_zoo.bridge.process.simulation_process import Progress, SimulationProcess
from defiance_zoo.errors import MalformedMessage, SimulationCrashed, SimulationTimeout

_ANSWER_S = 0.5
"""The time limit for a simulation's report of its progress, in seconds."""

_PAUSE_S = 0.2
"""The time between the two reports that are compared, in seconds."""

_SELDOM_S = 2.0
"""Seconds after a simulation's report for which a thread requests no other report."""

_last = threading.local()

_GLANCES, _GLANCE_S = 5, 0.003
"""The number of further reports, and the time between two of them, in seconds."""

DRAIN_AFTER_EXIT_S = 1.0
"""Seconds after the end of a process in which its messages may still arrive."""


def crash(
    process: SimulationProcess | None, when: str, *, otherwise: str = "broke its connection"
) -> SimulationCrashed:
    """Return the error for a simulation that is no longer connected.

    Args:
        process: Process of the simulation, or None if Python did not start it.
        when: Point of the conversation, as text.
        otherwise: Description of the fault if the process has not ended.
    """
    fate, words = otherwise, ""
    if process is not None:
        if process.wait_for_exit(DRAIN_AFTER_EXIT_S):
            fate = process.exit_description()
        process.read_output()
        words = process.last_words()
    return SimulationCrashed(f"the simulation {fate} {when}", last_words=words)


def silence(process: SimulationProcess | None, what: str) -> SimulationTimeout:
    """Return the error for a simulation that takes too long.

    Args:
        process: Process of the simulation, or None if Python did not start it. It reports its
            progress at a signal.
        what: The timeout, as text.
    """
    if process is None:
        return SimulationTimeout(what)
    reports = _ask_where(process)
    if len(reports) > 1:
        what = f"{what}: {_compare(reports[0], reports[1])}"
        process.add_words(max((each.lines for each in reports), key=lambda it: it.count(b"\n")))
    return SimulationTimeout(what, last_words=process.last_words())


def _ask_where(process: SimulationProcess) -> list[Progress]:
    """Request reports of a simulation's progress: two with a pause, and then some more.

    A report between two events shows no function; one of the further reports may. If several
    simulations time out together, only the first one reports, as a report takes a part of a second.
    """
    reports: list[Progress] = []
    if time.monotonic() - getattr(_last, "asked_at", -_SELDOM_S) < _SELDOM_S:
        return reports
    for pause_s in (0.0, _PAUSE_S, *[_GLANCE_S] * _GLANCES):
        if pause_s and process.wait_for_exit(pause_s):
            break
        report = process.report_progress(_ANSWER_S)
        if report is None:
            break
        reports.append(report)
    _last.asked_at = time.monotonic()
    return reports


def _compare(before: Progress, after: Progress) -> str:
    """Describe the progress of a simulation between two reports."""
    at = f"{after.time_ns / 1e9:.9g} s"
    events = after.events - before.events
    if after.time_ns > before.time_ns:
        elapsed = (after.time_ns - before.time_ns) / 1e9
        return (
            f"the simulated time is {at} and advanced by {elapsed:.3g} s in the last "
            f"{_PAUSE_S:g} s, but no agent asks for an action: increase timeout=..., or let agents "
            "decide more often"
        )
    if events:
        return (
            f"the simulated time stands still at {at}, where {events} events without delay were "
            f"executed within {_PAUSE_S:g} s: add delays between them"
        )
    if after.events or after.time_ns:
        return f"the simulated time stands still at {at}, in one event that does not end"
    return "the simulated time has not begun: the code before the first event does not end"


def refusal(process: SimulationProcess | None, error: ValueError) -> MalformedMessage:
    """Return the error for a simulation that sends too much."""
    words = ""
    if process is not None:
        process.read_output()
        words = process.last_words()
    return MalformedMessage(f"the simulation sent an invalid message: {error}", last_words=words)
