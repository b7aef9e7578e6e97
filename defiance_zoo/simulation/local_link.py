# SPDX-License-Identifier: GPL-2.0-only
"""Pipes to simulations that this process has started: fewer wake-ups than any socket."""

from __future__ import annotations

import contextlib
import os
import select
import time
from collections.abc import Iterable, Iterator, Sequence

from defiance_zoo.errors import MalformedMessage, SimulationCrashed, SimulationTimeout
from defiance_zoo.simulation.any_link import Conversation
from defiance_zoo.simulation.extensions import extension
from defiance_zoo.simulation.inheritance import close_quietly, not_for_forks
from defiance_zoo.simulation.mailbox import Bell, Mailboxes
from defiance_zoo.simulation.pipes import LENGTH, WHOLE_BYTES, Pipes
from defiance_zoo.simulation.process import SimulationProcess

_DRAIN_AFTER_EXIT_S = 1.0


class LocalLink:
    """The same messages as of `Link`, through two pipes for each simulation.

    Attributes:
        address: Nothing: a simulation inherits its pipes.
        server_key: Nothing: nobody else can listen.
        shares_memory: Whether there are mailboxes.
    """

    address = ""
    server_key = ""

    def __init__(self, timeout_s: float, spin_us: float = 0.0, *, many: bool = False) -> None:
        """Open nothing yet.

        Args:
            timeout_s: How long a simulation may leave a message unread for which a pipe has no
                room, in seconds.
            spin_us: How long to look for a message again and again, giving way to whoever else
                wants the core, before sleeping until it comes, in microseconds.
            many: Whether it serves several simulations side by side. Then, and if `spin_us` is not
                0, messages go through shared memory, and pipes are left for what is too long for
                it, and for waking this process.
        """
        self._write_and_read = extension("_pipes").converse
        self._timeout_s, self._spin_us = timeout_s, spin_us
        self.shares_memory = many or spin_us > 0
        self._bell: Bell | None = None
        self._batching = False
        self._pipes: dict[bytes, Pipes] = {}
        not_for_forks(self)

    def disown(self) -> None:
        """See `Heirloom`; memory that is shared stays as it is."""
        for pipes in self._pipes.values():
            close_quietly((pipes.reader, pipes.writer, *pipes.theirs))
        self._pipes.clear()
        if self._bell is not None:
            close_quietly((self._bell.descriptor,))
            self._bell = None

    def open(self, token: bytes) -> None:
        """Make the pipes of the simulation that is given `token`."""
        if self._bell is None and self.shares_memory:
            self._bell = Bell()
        self._pipes[token] = Pipes.open(self._bell, self._spin_us)

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
        mailboxes, bell = pipes.mailboxes, self._bell
        if mailboxes is None or bell is None:
            self._write(pipes, process, LENGTH.pack(len(message)) + message)
        elif len(message) <= mailboxes.capacity:
            mailboxes.post(message)
            if not self._batching:
                bell.ring()
        else:
            mailboxes.post(b"")
            bell.ring()
            self._write(pipes, process, LENGTH.pack(len(message)) + message)

    def mailboxes(self, token: bytes) -> Mailboxes | None:
        """Return the mailboxes of a simulation that has been answered, if there are any."""
        pipes = self._pipes[token]
        return pipes.mailboxes if pipes.answered else None

    def batch(self) -> contextlib.AbstractContextManager[None]:
        """See `Link.batch`."""
        return contextlib.nullcontext() if self._bell is None else self._ring_once(self._bell)

    @contextlib.contextmanager
    def _ring_once(self, bell: Bell) -> Iterator[None]:
        self._batching = True
        try:
            yield
        finally:
            self._batching = False
            bell.ring()

    def _write(self, pipes: Pipes, process: SimulationProcess | None, frame: bytes) -> None:
        try:
            written = os.write(pipes.writer, frame)
            if written < len(frame):
                self._send_rest(pipes, process, memoryview(frame)[written:])
        except BlockingIOError:
            self._send_rest(pipes, process, memoryview(frame))
        except BrokenPipeError:
            raise self._crash(process, "before it was answered") from None

    def _send_rest(self, pipes: Pipes, process: SimulationProcess | None, rest: memoryview) -> None:
        """Send what the pipe had no room for."""
        try:
            while rest:
                self._await_room(pipes, process, time.monotonic() + self._timeout_s)
                with contextlib.suppress(BlockingIOError):
                    rest = rest[os.write(pipes.writer, rest) :]
        except BrokenPipeError:
            raise self._crash(process, "before it was answered") from None

    def _await_room(self, pipes: Pipes, process: SimulationProcess | None, deadline: float) -> None:
        """Wait until a simulation that reads a long message has read some of it."""
        ready: dict[int, int] = {}
        while pipes.writer not in ready:
            left = deadline - time.monotonic()
            if left <= 0:
                words = process.last_words() if process else ""
                what = f"an action was not read within {self._timeout_s:g} s"
                raise SimulationTimeout(what, last_words=words)
            poller = select.poll()
            poller.register(pipes.writer, select.POLLOUT)
            if process is not None and process.output_open:
                poller.register(process.output_fd, select.POLLIN)
            ready = dict(poller.poll(left * 1000))
            if process is not None and process.output_fd in ready:
                process.read_output()

    def receive(self, token: bytes, process: SimulationProcess | None, timeout_s: float) -> bytes:
        """See `Link.receive`."""
        pipes = self._pipes[token]
        # What precedes the first answer comes as it is said: there may be several messages.
        if pipes.mailboxes is None or not pipes.answered:
            return self._receive(pipes, process, timeout_s)
        deadline = time.monotonic() + timeout_s
        while (message := self._take(pipes.mailboxes, process)) is None:
            # An empty message has woken this process.
            if message := self._receive(pipes, process, timeout_s, deadline):
                return message
        return message

    def _take(self, mailboxes: Mailboxes, process: SimulationProcess | None) -> bytes | None:
        try:
            return mailboxes.take()
        except ValueError as error:
            raise self._refuse(process, error) from None

    def exchange(
        self, token: bytes, process: SimulationProcess | None, message: bytes, timeout_s: float
    ) -> bytes:
        """See `Link.exchange`."""
        pipes = self._pipes[token]
        mailboxes = pipes.mailboxes
        if mailboxes is None:
            answer = self._converse(pipes, process, message)
            return answer or self._receive(pipes, process, timeout_s)
        if len(message) > mailboxes.capacity:
            self.send(token, process, message)
            return self.receive(token, process, timeout_s)
        pipes.answered = True
        try:
            answer = mailboxes.exchange(message)
        except ValueError as error:
            raise self._refuse(process, error) from None
        return answer or self.receive(token, process, timeout_s)

    def _converse(
        self, pipes: Pipes, process: SimulationProcess | None, message: bytes
    ) -> bytes | None:
        """Send a message; return the answer, if it comes soon and as a whole."""
        if pipes.received or process is None or len(message) > WHOLE_BYTES:
            self._write(pipes, process, LENGTH.pack(len(message)) + message)
            return None
        try:
            answer: bytes | None = self._write_and_read(
                pipes.writer, pipes.reader, pipes.received, process.output_fd, message
            )
        except BrokenPipeError:
            raise self._crash(process, "before it was answered") from None
        return answer

    def gather(self, conversations: Sequence[Conversation], timeout_s: float) -> None:
        """See `Link.gather`."""
        if self._bell is None:
            return
        expected = [each for each in conversations if self._pipes[each[0]].answered]
        boxes = _addresses(self._pipes[token] for token, _process in expected)
        deadline = time.monotonic() + timeout_s
        while not self._bell.has_messages(len(boxes), boxes):
            left = deadline - time.monotonic()
            if left <= 0 or self._sleep(expected, left):
                return

    def wait(self, conversations: Sequence[Conversation], timeout_s: float) -> list[int]:
        """See `Link.wait`."""
        all_pipes = [self._pipes[token] for token, _process in conversations]
        boxes = _addresses(all_pipes)
        deadline = time.monotonic() + timeout_s
        while not (ready := [i for i, pipes in enumerate(all_pipes) if pipes.has_message()]):
            left = deadline - time.monotonic()
            if left <= 0:
                break
            if self._bell is not None and self._bell.has_messages(1, boxes):
                continue
            if ready := self._sleep(conversations, left):
                break
        return ready

    def _sleep(self, conversations: Sequence[Conversation], timeout_s: float) -> list[int]:
        """Sleep until something happens; return where pipes have messages, or their end."""
        poller = select.poll()
        for token, process in conversations:
            poller.register(self._pipes[token].reader, select.POLLIN)
            if process is not None and process.output_open:
                poller.register(process.output_fd, select.POLLIN)
        woken = {descriptor for descriptor, _event in poller.poll(timeout_s * 1000)}
        ready = []
        for place, (token, process) in enumerate(conversations):
            if process is not None and process.output_fd in woken:
                process.read_output()
            pipes = self._pipes[token]
            if pipes.reader in woken and pipes.has_news():
                ready.append(place)
        return ready

    def _receive(
        self,
        pipes: Pipes,
        process: SimulationProcess | None,
        timeout_s: float,
        deadline: float | None = None,
    ) -> bytes:
        """Wait for the next message in the pipe, `timeout_s` or until an earlier deadline."""
        try:
            return self._await(pipes, process, timeout_s, deadline or time.monotonic() + timeout_s)
        except ValueError as error:
            raise self._refuse(process, error) from None

    def _await(
        self, pipes: Pipes, process: SimulationProcess | None, timeout_s: float, deadline: float
    ) -> bytes:
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
        pipes: Pipes, process: SimulationProcess | None, ready: list[tuple[int, int]]
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

    @staticmethod
    def _refuse(process: SimulationProcess | None, error: ValueError) -> MalformedMessage:
        """Return what is wrong with a simulation that sends more than it may."""
        words = ""
        if process is not None:
            process.read_output()
            words = process.last_words()
        return MalformedMessage(f"the simulation sent what it may not: {error}", last_words=words)

    def close(self) -> None:
        """Close everything; may be called again."""
        for token in list(self._pipes):
            self.forget(token)
        if self._bell is not None:
            self._bell.close()
            self._bell = None


def _addresses(all_pipes: Iterable[Pipes]) -> list[int]:
    """Return where the mailboxes are mapped."""
    return [pipes.mailboxes.address for pipes in all_pipes if pipes.mailboxes is not None]
