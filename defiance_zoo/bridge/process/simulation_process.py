# SPDX-License-Identifier: GPL-2.0-only
"""The operating-system process of a simulation: its lifeline, output and end."""

from __future__ import annotations

import contextlib
import os
import re
import select
import signal
import sys
from typing import NamedTuple

from defiance_zoo.bridge.process.programs import Program, Reaper, describe_exit, has_ended
from defiance_zoo.bridge.system.fork_safety import close_quietly, not_for_forks
from defiance_zoo.bridge.system.running_time import running_time, slice_ms
from defiance_zoo.bridge.system.stack_signal import SHOW, heeds_signal

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


class ProcessPipes:
    """The lifeline and the output of a simulation that is about to be started.

    The simulation inherits the read end of a pipe, its lifeline; this process holds the write end.
    When this process dies for any reason, the kernel closes the write end, and the simulation ends.
    A second pipe carries its output.

    As a context manager, it closes the simulation's ends in this process and, after an error, this
    process's ends, too.

    Attributes:
        lifeline: This process's end of the lifeline.
        output: This process's end of the output.
        theirs: The simulation's ends of both, which it inherits.
    """

    def __init__(self) -> None:
        """Open the pipes.

        Raises:
            OSError: The pipes could not be opened.
        """
        with contextlib.ExitStack() as opened:
            lifeline, self.lifeline = self._open(opened)
            self.output, output = self._open(opened)
            os.set_blocking(self.output, False)
            opened.pop_all()
        self.theirs = (lifeline, output)

    @staticmethod
    def _open(opened: contextlib.ExitStack) -> tuple[int, int]:
        ends = os.pipe()
        opened.callback(close_quietly, ends)
        return ends

    def __enter__(self) -> ProcessPipes:
        """Enter the context."""
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Close the ends that this process no longer needs."""
        close_quietly(self.theirs if kind is None else (*self.theirs, self.lifeline, self.output))


class SimulationProcess:
    """A simulation that this Python process started.

    The end of its output is kept for error messages.

    Attributes:
        pid: Its process id.
        exit_fd: A pidfd, readable once the process has ended.
        output_fd: Descriptor that is readable when there is output, or at its end.
        output_open: Whether the end of the output has not been read yet.
    """

    def __init__(self, program: Program, pipes: ProcessPipes, *, show_output: bool) -> None:
        """Watch a simulation that has been started.

        Args:
            program: The running program.
            pipes: Pipes whose ends the program has inherited.
            show_output: Also copy the simulation's output to `sys.stderr` at once.
        """
        self._show_output = show_output
        self._tail = bytearray()
        self.output_open = True
        self._lifeline, self.output_fd = pipes.lifeline, pipes.output
        self._program = program
        self.pid, self.exit_fd = self._program.pid, self._program.exit_fd
        self._closed = False
        not_for_forks(self)

    def disown(self) -> None:
        """See `ProcessBound`."""
        if not self._closed:
            self._closed = True
            close_quietly((self._lifeline, self.exit_fd, self.output_fd))

    def read_output(self) -> None:
        """Take what the simulation has written so far; never waits."""
        while True:
            try:
                chunk = os.read(self.output_fd, _CHUNK_BYTES)
            except BlockingIOError:
                return
            if not chunk:
                self.output_open = False
                return
            self._tail += chunk
            del self._tail[:-LAST_WORDS_BYTES]
            if self._show_output and sys.stderr is not None:
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
        """Request a report of the simulation's progress.

        Args:
            patience_s: Time limit for the answer, in seconds.

        Returns:
            The progress; None if the simulation does not answer, like a program without this
            library. Other output becomes part of the last words.
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

        Args:
            grace_s: Seconds in which the process may end before it is killed.
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
