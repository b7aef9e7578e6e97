# SPDX-License-Identifier: GPL-2.0-only
"""Pipes to simulations that this process has started: fewer wake-ups than any socket."""

from __future__ import annotations

import contextlib
import os
import select
import struct
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from defiance_zoo.errors import SimulationCrashed, SimulationTimeout
from defiance_zoo.simulation.link import Conversation
from defiance_zoo.simulation.mailbox import Mailboxes
from defiance_zoo.simulation.process import SimulationProcess

_LENGTH = struct.Struct("=Q")
_LEAST_CHUNK_BYTES = 4 * 1024
_PIPE_BYTES = 64 * 1024
_DRAIN_AFTER_EXIT_S = 1.0


@dataclass
class _Pipes:
    """Both directions of one conversation, and what of it has arrived."""

    reader: int
    writer: int
    theirs: tuple[int, ...]
    poller: select.poll
    arrival: list[tuple[int, int]]
    received: bytearray = field(default_factory=bytearray)
    chunk_bytes: int = _LEAST_CHUNK_BYTES
    mailboxes: Mailboxes | None = None
    answered: bool = False

    def has_message(self) -> bool:
        """Whether a message has come, or its beginning."""
        if self.mailboxes is not None and self.answered and self.mailboxes.has_message():
            return True
        return bool(self.received)

    def read(self) -> bytes | None:
        """Take what has arrived; return the next message, if it has arrived as a whole.

        Raises:
            EOFError: The connection has ended.
        """
        chunk = os.read(self.reader, self.chunk_bytes)
        if not chunk:
            raise EOFError
        length = max(len(chunk) - _LENGTH.size, 0)
        if not self.received and chunk.startswith(_LENGTH.pack(length)):
            return chunk[_LENGTH.size :]
        self.received += chunk
        return self.take()

    def take(self) -> bytes | None:
        """Return the next message, if it has arrived as a whole."""
        received = self.received
        if len(received) < _LENGTH.size:
            return None
        (length,) = _LENGTH.unpack_from(received)
        end: int = _LENGTH.size + length
        self.chunk_bytes = max(_LEAST_CHUNK_BYTES, min(end, _PIPE_BYTES))
        if len(received) < end:
            return None
        message = bytes(memoryview(received)[_LENGTH.size : end])
        del received[:end]
        return message

    def close(self) -> None:
        self.close_theirs()
        for descriptor in (self.reader, self.writer):
            os.close(descriptor)
        if self.mailboxes is not None:
            self.mailboxes.close()

    def close_theirs(self) -> None:
        descriptors, self.theirs = self.theirs, ()
        for descriptor in descriptors:
            os.close(descriptor)


class LocalLink:
    """The same messages as of `Link`, through two pipes for each simulation.

    Attributes:
        address: Nothing: a simulation inherits its pipes.
        server_key: Nothing: nobody else can listen.
    """

    address = ""
    server_key = ""

    def __init__(self, spin_us: float = 0.0) -> None:
        """Open nothing yet.

        Args:
            spin_us: How long to look for a message again and again, giving way to whoever else
                wants the core, before sleeping until it comes, in microseconds. If it is not 0,
                messages go through shared memory, and pipes are left for what is too long for it,
                and for waking each other.
        """
        self._spin_us = spin_us
        self._pipes: dict[bytes, _Pipes] = {}

    def open(self, token: bytes) -> None:
        """Make the pipes of the simulation that is given `token`."""
        their_reader, writer = os.pipe()
        reader, their_writer = os.pipe()
        os.set_blocking(writer, False)
        os.set_blocking(reader, False)
        poller = select.poll()
        poller.register(reader, select.POLLIN)
        theirs: tuple[int, ...] = (their_reader, their_writer)
        mailboxes = None
        if self._spin_us:
            mailboxes = Mailboxes(writer, self._spin_us)
            theirs = (*theirs, mailboxes.descriptor)
        self._pipes[token] = _Pipes(
            reader, writer, theirs, poller, [(reader, select.POLLIN)], mailboxes=mailboxes
        )

    def inherited(self, token: bytes) -> tuple[int, ...]:
        """Return what the simulation is to inherit: see `DEFIANCE_ENDPOINT`."""
        return self._pipes[token].theirs

    def started(self, token: bytes, process: SimulationProcess | None) -> None:
        """Say that the simulation has inherited its ends."""
        pipes = self._pipes[token]
        pipes.close_theirs()
        if process is not None:
            pipes.poller.register(process.output_fd, select.POLLIN)

    def forget(self, token: bytes) -> None:
        """Close the pipes of a simulation."""
        if token in self._pipes:
            self._pipes.pop(token).close()

    def send(self, token: bytes, process: SimulationProcess | None, message: bytes) -> None:
        """See `Link.send`."""
        pipes = self._pipes[token]
        pipes.answered = True
        mailboxes = pipes.mailboxes
        if mailboxes is not None and len(message) <= mailboxes.capacity:
            mailboxes.post(message)
        else:
            self._write(pipes, process, _LENGTH.pack(len(message)) + message)

    def _write(self, pipes: _Pipes, process: SimulationProcess | None, frame: bytes) -> None:
        try:
            written = os.write(pipes.writer, frame)
            if written < len(frame):
                self._send_rest(pipes, process, memoryview(frame)[written:])
        except BlockingIOError:
            self._send_rest(pipes, process, memoryview(frame))
        except BrokenPipeError:
            raise self._crash(process, "before it was answered") from None

    def _send_rest(
        self, pipes: _Pipes, process: SimulationProcess | None, rest: memoryview
    ) -> None:
        """Send what the pipe had no room for."""
        try:
            while rest:
                self._await_room(pipes, process)
                with contextlib.suppress(BlockingIOError):
                    rest = rest[os.write(pipes.writer, rest) :]
        except BrokenPipeError:
            raise self._crash(process, "before it was answered") from None

    def _await_room(self, pipes: _Pipes, process: SimulationProcess | None) -> None:
        """Wait until a simulation that reads a long message has read some of it."""
        poller = select.poll()
        poller.register(pipes.writer, select.POLLOUT)
        if process is not None and process.output_open:
            poller.register(process.output_fd, select.POLLIN)
        ready = dict(poller.poll())
        if process is not None and process.output_fd in ready:
            process.read_output()

    def receive(self, token: bytes, process: SimulationProcess | None, timeout_s: float) -> bytes:
        """See `Link.receive`."""
        pipes = self._pipes[token]
        # What precedes the first answer comes as it is said: there may be several messages.
        if pipes.mailboxes is None or not pipes.answered:
            return self._receive(pipes, process, timeout_s)
        while (message := pipes.mailboxes.take()) is None:
            # An empty message has woken this process.
            if message := self._receive(pipes, process, timeout_s):
                return message
        return message

    def exchange(
        self, token: bytes, process: SimulationProcess | None, message: bytes, timeout_s: float
    ) -> bytes:
        """See `Link.exchange`."""
        pipes = self._pipes[token]
        mailboxes = pipes.mailboxes
        if mailboxes is None or len(message) > mailboxes.capacity:
            self.send(token, process, message)
            return self.receive(token, process, timeout_s)
        pipes.answered = True
        return mailboxes.exchange(message) or self.receive(token, process, timeout_s)

    def wait(self, conversations: Sequence[Conversation], timeout_s: float) -> list[int]:
        """See `Link.wait`."""
        all_pipes = [self._pipes[token] for token, _process in conversations]
        deadline = time.monotonic() + timeout_s
        # Looking says to a simulation that this process sleeps, and is to be woken.
        while not (ready := [i for i, pipes in enumerate(all_pipes) if pipes.has_message()]):
            left = deadline - time.monotonic()
            if left <= 0:
                break
            poller = select.poll()
            for pipes, (_token, process) in zip(all_pipes, conversations, strict=True):
                poller.register(pipes.reader, select.POLLIN)
                if process is not None and process.output_open:
                    poller.register(process.output_fd, select.POLLIN)
            woken = {descriptor for descriptor, _event in poller.poll(left * 1000)}
            for place, (_token, process) in enumerate(conversations):
                if process is not None and process.output_fd in woken:
                    process.read_output()
                if all_pipes[place].reader in woken and self._has_news(all_pipes[place]):
                    ready.append(place)
            if ready:
                break
        return ready

    def _has_news(self, pipes: _Pipes) -> bool:
        """Whether something in the pipe is more than what wakes this process."""
        if pipes.mailboxes is None:
            return True
        chunk = os.read(pipes.reader, pipes.chunk_bytes)
        if not chunk:
            return True  # the end of the connection, which `receive()` will find again
        pipes.received += chunk
        empty = _LENGTH.pack(0)
        while pipes.received.startswith(empty):
            del pipes.received[: _LENGTH.size]
        return pipes.has_message()

    def _receive(self, pipes: _Pipes, process: SimulationProcess | None, timeout_s: float) -> bytes:
        """Wait for the next message in the pipe."""
        deadline = time.monotonic() + timeout_s
        message = pipes.take() if pipes.received else None
        while message is None:
            left = deadline - time.monotonic()
            if left <= 0:
                words = process.last_words() if process else ""
                raise SimulationTimeout(f"no message within {timeout_s:g} s", last_words=words)
            ready = pipes.poller.poll(left * 1000)
            if ready == pipes.arrival or self._heed_output(pipes, process, ready):
                try:
                    message = pipes.read()
                except EOFError:
                    raise self._crash(process, "before its next message") from None
        return message

    @staticmethod
    def _heed_output(
        pipes: _Pipes, process: SimulationProcess | None, ready: list[tuple[int, int]]
    ) -> bool:
        """Take what the simulation has printed; return whether its pipe has something as well."""
        if process is not None and (process.output_fd, select.POLLIN) in ready:
            process.read_output()
        elif process is not None and any(fd == process.output_fd for fd, _event in ready):
            pipes.poller.unregister(process.output_fd)  # the end of its output
        return any(fd == pipes.reader for fd, _event in ready)

    @staticmethod
    def _crash(process: SimulationProcess | None, when: str) -> SimulationCrashed:
        fate, words = "broke its connection", ""
        if process is not None:
            if process.wait_for_exit(_DRAIN_AFTER_EXIT_S):
                fate = process.exit_description()
            process.read_output()
            words = process.last_words()
        return SimulationCrashed(f"the simulation {fate} {when}", last_words=words)

    def close(self) -> None:
        """Close all pipes; may be called again."""
        for token in list(self._pipes):
            self.forget(token)
