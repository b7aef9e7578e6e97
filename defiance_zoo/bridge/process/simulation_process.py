# SPDX-License-Identifier: GPL-2.0-only
"""The operating-system process of a simulation: lifeline, output, and errors for its end."""

from __future__ import annotations

import contextlib
import os
import re
import select
import signal
import sys
import threading
import time
from collections import deque
from typing import NamedTuple

from defiance_zoo.bridge.process.programs import Program, Reaper, describe_exit, has_ended
from defiance_zoo.bridge.system.fork_safety import close_quietly, not_for_forks
from defiance_zoo.bridge.system.running_time import running_time, slice_ms
from defiance_zoo.bridge.system.signals import SHOW, heeds_signal
from defiance_zoo.errors import (
    MalformedMessage,
    SimulationCrashed,
    SimulationError,
    SimulationTimeout,
)

LAST_WORDS_BYTES = 16 * 1024
_CHUNK_BYTES = 64 * 1024
_GLANCE_S = 0.02
_PROGRESS = re.compile(rb"defiance: simulated time (\d+) ns, (\d+) events\n")


class Progress(NamedTuple):
    """The progress of a simulation.

    Attributes:
        time_ns: Simulated time in nanoseconds.
        events: Number of executed events.
        lines: The current lines of a scenario in Python, innermost first, as it printed them.
    """

    time_ns: int
    events: int
    lines: bytes


def open_pipe(opened: contextlib.ExitStack) -> tuple[int, int]:
    """Return both ends of a pipe, which are closed after an error."""
    ends = os.pipe()
    opened.callback(close_quietly, ends)
    return ends


class ProcessPipes:
    """The lifeline and the output of a simulation that is about to be started.

    The simulation inherits the read end of a pipe, its lifeline; this process holds the write end.
    When this process dies for any reason, the kernel closes the write end, and the simulation ends.
    A second pipe carries its output.

    As a context manager, it closes the simulation's ends in this process and, after an error, this
    process's ends, too.
    """

    def __init__(self) -> None:
        with contextlib.ExitStack() as opened:
            lifeline, self.lifeline = open_pipe(opened)
            self.output, output = open_pipe(opened)
            os.set_blocking(self.output, False)
            opened.pop_all()
        self.theirs = (lifeline, output)

    def __enter__(self) -> ProcessPipes:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Close the ends that this process no longer needs."""
        close_quietly(self.theirs if kind is None else (*self.theirs, self.lifeline, self.output))


class SimulationProcess:
    """A simulation that this Python process started.

    The end of its output is kept for error messages.
    """

    def __init__(self, program: Program, pipes: ProcessPipes, *, show_output: bool) -> None:
        self.shows_output = show_output
        self._tail = bytearray()
        self.output_open = True
        self._lifeline, self.output_fd = pipes.lifeline, pipes.output
        self._program = program
        self.pid, self.exit_fd = self._program.pid, self._program.exit_fd
        self._closed = False
        not_for_forks(self)

    def disown(self) -> None:
        if not self._closed:
            self._closed = True
            close_quietly((self._lifeline, self.exit_fd, self.output_fd))

    def read_output(self) -> bool:
        """Take what the simulation has written so far, never waiting; return `output_open`."""
        while True:
            try:
                chunk = os.read(self.output_fd, _CHUNK_BYTES)
            except BlockingIOError:
                return True
            if not chunk:
                self.output_open = False
                return False
            self._tail += chunk
            del self._tail[:-LAST_WORDS_BYTES]
            if self.shows_output and sys.stderr is not None:
                sys.stderr.write(chunk.decode(errors="replace"))
                sys.stderr.flush()

    @property
    def reaper(self) -> Reaper:
        """The source of exit statuses of this process and its copies."""
        return self._program.reaper

    def last_words(self) -> str:
        """Return the end of the simulation's output."""
        return self._tail.decode(errors="replace").strip()

    def report_progress(self, patience_s: float) -> Progress | None:
        """Return the simulation's progress; None if it does not answer within a time in seconds.

        Other output becomes part of the last words.
        """
        self.read_output()
        unfinished = bytes(self._tail)
        if not heeds_signal(self.pid):
            return None
        self._tail.clear()
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.exit_fd, SHOW)
        deadline = running_time() + patience_s
        answer = None
        while answer is None and (left := deadline - running_time()) > 0:
            if self.wait_for_exit(min(left, _GLANCE_S)):
                break
            answer = _PROGRESS.search(self._tail)
        lines, self._tail = bytes(self._tail), bytearray(unfinished)
        if answer is None:
            self.add_words(lines)
            return None
        time_ns, events = map(int, answer.groups())
        return Progress(time_ns, events, _PROGRESS.sub(b"", lines))

    def add_words(self, words: bytes) -> None:
        """Append text to the last words of the simulation."""
        self._tail = (self._tail + words)[-LAST_WORDS_BYTES:]

    def exit_description(self) -> str:
        """Describe the end of the process, which must have ended."""
        return describe_exit(self._program.wait())

    def ended_orderly(self) -> bool:
        """Return whether the process has ended with status 0."""
        return self._program.poll() == 0

    def was_killed(self) -> bool:
        """Return whether a user or the kernel killed the process, or its status is unknown."""
        return has_ended(self.exit_fd) and self._program.wait() in (-signal.SIGKILL, None)

    def close(self, grace_s: float) -> None:
        """End the process and release everything that belongs to it; may be called again.

        The process is killed after `grace_s` seconds.
        """
        if self._closed:
            return
        self._closed = True
        try:
            if not self.wait_for_exit(grace_s):
                self._program.kill()
            self._program.wait()
        finally:
            close_quietly((self._lifeline, self.exit_fd, self.output_fd))

    def wait_for_exit(self, grace_s: float) -> bool:
        """Wait for the process to end, and read its output; return whether it has ended."""
        deadline = running_time() + grace_s
        while (left := deadline - running_time()) > 0:
            poller = select.poll()
            poller.register(self.exit_fd, select.POLLIN)
            if self.output_open:  # a full pipe would keep it from ending
                poller.register(self.output_fd, select.POLLIN)
            ready = {fd for fd, _event in poller.poll(slice_ms(left))}
            self.read_output()
            if self.exit_fd in ready:
                return True
        return has_ended(self.exit_fd)


_ANSWER_S = 0.5
"""The time limit for a simulation's report of its progress, in seconds."""

_PAUSE_S = 0.2
"""The time between the two reports that are compared, in seconds."""

_SELDOM_S = 2.0
"""Seconds after a simulation's report for which a thread requests no other report."""

_last = threading.local()

_FURTHER, _FURTHER_S = 5, 0.003
"""The number of further reports, and the time between two of them, in seconds."""

DRAIN_AFTER_EXIT_S = 1.0
"""Seconds after the end of a process in which its messages may still arrive."""


def crash(
    process: SimulationProcess | None, when: str, *, otherwise: str = "broke its connection"
) -> SimulationCrashed:
    """Return the error for a simulation that is no longer connected.

    `process`: None if Python did not start it. `when`: point of the conversation, as text.
    `otherwise`: the fault if the process has not ended.
    """
    fate, words = otherwise, ""
    if process is not None:
        if process.wait_for_exit(DRAIN_AFTER_EXIT_S):
            fate = process.exit_description()
        process.read_output()
        words = process.last_words()
    return SimulationCrashed(f"the simulation {fate} {when}", last_words=words)


def silence(process: SimulationProcess | None, what: str) -> SimulationTimeout:
    """Return the error for a simulation that takes too long, with the timeout as text.

    The process reports its progress at a signal; it is None if Python did not start it.
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
    for pause_s in (0.0, _PAUSE_S, *[_FURTHER_S] * _FURTHER):
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


ATTEMPTS = 3
"""Attempts in total before a failure is raised: to start a simulation, to play an episode, to do a
job (such as a cell of a study).
"""


class Losses:
    """The simulations of an environment that were lost.

    Attributes:
        count: Number of lost simulations.
        lasting: The last error that a replacement does not help against; None: there was none.
    """

    def __init__(self) -> None:
        self.count = 0
        self.lasting: SimulationError | None = None
        self._messages: deque[str] = deque(maxlen=1000)

    def forgives(self, error: SimulationError) -> bool:
        """Note a lost simulation; return False if a replacement does not help."""
        self.count += 1
        self._messages.append(str(error))
        self.lasting = error if error.lasting else self.lasting
        return not error.lasting

    def take(self) -> list[str]:
        """Return the messages of the losses since the last call."""
        messages = list(self._messages)
        self._messages.clear()
        return messages
