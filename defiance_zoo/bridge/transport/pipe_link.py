# SPDX-License-Identifier: GPL-2.0-only
"""Pipes to simulations that this process has started, with fewer wake-ups than sockets."""

from __future__ import annotations

import contextlib
import os
import select
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from defiance_zoo.bridge.codec import MAX_MESSAGE_BYTES
from defiance_zoo.bridge.process.simulation_process import (
    SimulationProcess,
    crash,
    open_pipe,
    refusal,
    silence,
)
from defiance_zoo.bridge.system.extension import exchange_module
from defiance_zoo.bridge.system.fork_safety import close_quietly, not_for_forks
from defiance_zoo.bridge.system.running_time import running_time, slice_ms
from defiance_zoo.bridge.transport.step_link import Conversation, StepLink

LENGTH = struct.Struct("=Q")
"""The length of a message, which precedes it."""

WHOLE_BYTES = select.PIPE_BUF - LENGTH.size
"""Longest message that is written to a pipe atomically."""

WAKE = LENGTH.pack(2**64 - 1)
"""The header that wakes this process to read a mailbox; no message has this length."""

_HEED_EVERY = 16
"""Answers after which a simulation's output is read, before it fills its pipe."""

_LEAST_CHUNK_BYTES = 4 * 1024
_PIPE_BYTES = 64 * 1024


@dataclass
class Pipes:
    """Both pipes of one conversation, and the received bytes.

    Attributes:
        theirs: Descriptors that the simulation inherits.
        over: Whether the simulation has closed its end.
        wakes: Whether the simulation has mailboxes, too, and wakes this process.
        watched: Descriptors of which `PipeLink.sleep()` heeds events.
        answers: Number of answers that came at once.
    """

    reader: int
    writer: int
    theirs: tuple[int, ...]
    received: bytearray = field(default_factory=bytearray)
    chunk_bytes: int = _LEAST_CHUNK_BYTES
    over: bool = False
    wakes: bool = False
    watched: list[int] = field(default_factory=list)
    answers: int = 0

    @classmethod
    def open(cls) -> Pipes:
        """Make pipes."""
        with contextlib.ExitStack() as opened:
            their_reader, writer = open_pipe(opened)
            reader, their_writer = open_pipe(opened)
            os.set_blocking(writer, False)
            os.set_blocking(reader, False)
            opened.pop_all()
        return cls(reader, writer, (their_reader, their_writer))

    def fetch(self) -> bool:
        """Read data that may only be wake-ups; return whether more may follow."""
        chunk = os.read(self.reader, self.chunk_bytes)
        self.received += chunk
        while self.wakes and self.received.startswith(WAKE):
            del self.received[: LENGTH.size]
        self.over = not chunk
        return not self.over

    def take(self) -> bytes | None:
        """Return the next message if it is complete."""
        received = self.received
        if len(received) < LENGTH.size:
            return None
        (length,) = LENGTH.unpack_from(received)
        if length > MAX_MESSAGE_BYTES:
            raise ValueError(f"a message of {length} bytes; at most {MAX_MESSAGE_BYTES} allowed")
        end: int = LENGTH.size + length
        self.chunk_bytes = max(_LEAST_CHUNK_BYTES, min(end, _PIPE_BYTES))
        if len(received) < end:
            return None
        message = bytes(memoryview(received)[LENGTH.size : end])
        del received[:end]
        return message

    def close(self) -> None:
        """Close everything."""
        self.close_theirs()
        for descriptor in (self.reader, self.writer):
            os.close(descriptor)

    def close_theirs(self) -> None:
        """Close the ends that the simulation has inherited."""
        descriptors, self.theirs = self.theirs, ()
        for descriptor in descriptors:
            os.close(descriptor)


class PipeLink(StepLink):
    """The messages of a `StepLink`, through two pipes for each simulation."""

    def __init__(self, timeout_s: float) -> None:
        self._write_and_read = exchange_module().converse
        self._timeout_s = timeout_s
        self._pipes: dict[bytes, Pipes] = {}
        self._events: select.epoll | None = None
        self._readers: dict[int, Callable[[], bool]] = {}
        not_for_forks(self)

    def disown(self) -> None:
        for pipes in self._pipes.values():
            close_quietly((pipes.reader, pipes.writer, *pipes.theirs))
        self._pipes.clear()
        self._readers.clear()
        self._close_events()  # without a change: the parent process uses them, too

    def open(self, token: bytes) -> None:
        pipes = self._pipes[token] = Pipes.open()
        self._watch(pipes, pipes.reader, pipes.fetch)

    def _watch(self, pipes: Pipes, descriptor: int, read: Callable[[], bool]) -> None:
        """Let `sleep()` read a descriptor, until `read` returns that nothing may follow."""
        if self._events is None:
            self._events = select.epoll()
        self._events.register(descriptor, select.EPOLLIN)
        self._readers[descriptor] = read
        pipes.watched.append(descriptor)

    def _ignore(self, descriptor: int) -> None:
        if self._readers.pop(descriptor, None) and self._events is not None:
            self._events.unregister(descriptor)

    def _close_events(self) -> None:
        if self._events is not None:
            self._events.close()
            self._events = None

    def inherited(self, token: bytes) -> tuple[int, ...]:
        return self._pipes[token].theirs

    def started(self, token: bytes, process: SimulationProcess | None) -> None:
        pipes = self._pipes[token]
        pipes.close_theirs()
        if process is not None:
            self._watch(pipes, process.output_fd, process.read_output)

    def forget(self, token: bytes) -> None:
        if token in self._pipes:
            pipes = self._pipes.pop(token)
            for descriptor in pipes.watched:
                self._ignore(descriptor)
            pipes.close()

    # ------------------------------------------------------------------ to simulations

    def send(self, token: bytes, process: SimulationProcess | None, message: bytes) -> None:
        pipes, frame = self._pipes[token], LENGTH.pack(len(message)) + message
        try:
            written = os.write(pipes.writer, frame)
            if written < len(frame):
                self._send_rest(pipes, process, memoryview(frame)[written:])
        except BlockingIOError:
            self._send_rest(pipes, process, memoryview(frame))
        except BrokenPipeError:
            raise crash(process, "before it was answered") from None

    def _send_rest(self, pipes: Pipes, process: SimulationProcess | None, rest: memoryview) -> None:
        """Send the rest of a message after the pipe was full."""
        try:
            while rest:
                self._await_room(pipes, process, running_time() + self._timeout_s)
                with contextlib.suppress(BlockingIOError):
                    rest = rest[os.write(pipes.writer, rest) :]
        except BrokenPipeError:
            raise crash(process, "before it was answered") from None

    def _await_room(self, pipes: Pipes, process: SimulationProcess | None, deadline: float) -> None:
        """Wait until a simulation has read a part of a long message."""
        ready: dict[int, int] = {}
        while pipes.writer not in ready:
            left = deadline - running_time()
            if left <= 0:
                raise silence(process, f"an action was not read within {self._timeout_s:g} s")
            poller = select.poll()
            poller.register(pipes.writer, select.POLLOUT)
            if process is not None and process.output_open:
                poller.register(process.output_fd, select.POLLIN)
            ready = dict(poller.poll(slice_ms(left)))
            if process is not None and process.output_fd in ready:
                process.read_output()

    def exchange(
        self, token: bytes, process: SimulationProcess | None, message: bytes, timeout_s: float
    ) -> bytes:
        pipes = self._pipes[token]
        if pipes.received or process is None or len(message) > WHOLE_BYTES:
            return super().exchange(token, process, message, timeout_s)
        try:
            answer: bytes | None = self._write_and_read(
                pipes.writer, pipes.reader, pipes.received, process.output_fd, message
            )
        except BrokenPipeError:
            raise crash(process, "before it was answered") from None
        if answer is None:
            return self.receive(token, process, timeout_s)
        pipes.answers += 1
        if process.shows_output or pipes.answers % _HEED_EVERY == 0:
            process.read_output()
        return answer

    # ------------------------------------------------------------------ from simulations

    def receive(self, token: bytes, process: SimulationProcess | None, timeout_s: float) -> bytes:
        deadline = running_time() + timeout_s
        while (message := self.hear(token, process, timeout_s, deadline)) is None:
            pass
        return message

    def hear(
        self, token: bytes, process: SimulationProcess | None, timeout_s: float, deadline: float
    ) -> bytes | None:
        """Return the next message; None after an event that does not begin one."""
        pipes = self._pipes[token]
        try:
            while (message := pipes.take()) is None:
                if pipes.over:
                    raise crash(process, "before its next message")
                left = deadline - running_time()
                if left <= 0:
                    raise silence(process, f"no message within {timeout_s:g} s")
                self.sleep(left)
                if not pipes.received and not pipes.over:
                    return None
        except ValueError as error:
            raise refusal(process, error) from None
        return message

    def wait(self, conversations: Sequence[Conversation], timeout_s: float) -> list[int]:
        deadline = running_time() + timeout_s
        while not (ready := self.begun(conversations)):
            left = deadline - running_time()
            if left <= 0:
                break
            self.sleep(left)
        return ready

    def begun(self, conversations: Sequence[Conversation]) -> list[int]:
        """Return the places of simulations that `sleep()` has read data of, or that ended."""
        pipes = [self._pipes[token] for token, _process in conversations]
        return [place for place, each in enumerate(pipes) if each.received or each.over]

    def sleep(self, timeout_s: float) -> None:
        """Sleep until an event of any simulation, and read what has arrived."""
        assert self._events is not None  # there are simulations
        for descriptor, _event in self._events.poll(slice_ms(timeout_s) / 1000):
            if not self._readers[descriptor]():
                self._ignore(descriptor)  # otherwise its end would be an event for ever

    def close(self) -> None:
        for token in list(self._pipes):
            self.forget(token)
        self._close_events()
