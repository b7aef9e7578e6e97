# SPDX-License-Identifier: GPL-2.0-only
"""The link over ZeroMQ: one ROUTER socket for any number of simulations."""

from __future__ import annotations

import contextlib
import struct
from collections import deque
from collections.abc import Sequence
from typing import Any

import zmq

from defiance_zoo.bridge.process.simulation_process import (
    DRAIN_AFTER_EXIT_S,
    SimulationProcess,
    crash,
    silence,
)
from defiance_zoo.bridge.system.directories import PrivateDirectory
from defiance_zoo.bridge.system.fork_safety import not_for_forks
from defiance_zoo.bridge.system.resources import require_descriptors, require_threads
from defiance_zoo.bridge.system.running_time import running_time, slice_ms
from defiance_zoo.bridge.transport.step_link import Conversation, StepLink
from defiance_zoo.bridge.transport.zmq_endpoint import Endpoint
from defiance_zoo.errors import SimulationCrashed

_EVENTS = zmq.EVENT_ACCEPTED | zmq.EVENT_DISCONNECTED
_DISCONNECTED = int(zmq.EVENT_DISCONNECTED)
_EVENT = struct.Struct("=Hi")
"""Kind and descriptor, see zmq_socket_monitor(3). zmq.utils.monitor would load asyncio."""
_ENDED = -1


class Connections:
    """Detects the end of a simulation that this process did not start.

    Any program may connect to an address, send a message, and disconnect. A connection belongs to a
    simulation if it carried a message with the simulation's token; its end is the simulation's end.
    """

    def __init__(self, socket: zmq.Socket[bytes]) -> None:
        self._socket = socket
        self._monitor = socket.get_monitor_socket(_EVENTS)
        self.descriptor = int(self._monitor.FD)
        self._open: set[int] = set()
        self._of: dict[bytes, int] = {}

    def note(self, token: bytes, frame: zmq.Frame) -> None:
        """Note the connection of a frame of a simulation."""
        descriptor = int(frame.get(zmq.SRCFD))
        if self._of.get(token) != descriptor:
            # Events of an earlier connection with this descriptor came before: ZeroMQ reports the
            # end of a connection before it closes the descriptor.
            self._heed()
            self._of[token] = descriptor if descriptor in self._open else _ENDED

    def has_ended(self, token: bytes) -> bool:
        """Return whether the connection of a simulation's messages has ended."""
        self._heed()
        return self._of.get(token) == _ENDED

    def forget(self, token: bytes) -> None:
        """Forget a simulation."""
        self._of.pop(token, None)

    def _heed(self) -> None:
        """Take all events that ZeroMQ has reported."""
        with contextlib.suppress(zmq.Again):
            while True:
                kind, descriptor = _EVENT.unpack(self._monitor.recv_multipart(zmq.DONTWAIT)[0])
                if kind != _DISCONNECTED:
                    self._open.add(descriptor)
                    continue
                self._open.discard(descriptor)
                for token, own in self._of.items():
                    if own == descriptor:
                        self._of[token] = _ENDED

    def close(self) -> None:
        """Stop watching."""
        self._socket.disable_monitor()
        self._monitor.close(linger=0)


_DRAIN_AFTER_CRASH_S = 0.05
_SOON_MS = 20
_DESCRIPTORS = 12
"""Descriptors of a context, a socket, a monitor and the first connection, with a reserve."""
_THREADS = 2
"""Threads of a context: one carries messages, and one closes sockets."""
_START_DESCRIPTORS = 18
"""Descriptors that the start of a simulation and its fork server may open."""
# As plain numbers: combining flags of an enumeration takes as long as sending a frame.
_IN = int(zmq.POLLIN)
_MORE = int(zmq.SNDMORE)
_DONT_WAIT = int(zmq.DONTWAIT)


class ZmqLink(StepLink):
    """A bound socket; tokens identify simulations."""

    def __init__(self, endpoint: Endpoint, *, watch_disconnects: bool = False) -> None:
        self._directory: PrivateDirectory | None = None
        self._mail: dict[bytes, deque[bytes]] = {}
        self._awaited: set[bytes] = set()
        self._heard = False  # whether the last message came after output, for which programs wait
        require_descriptors(_DESCRIPTORS)  # without them libzmq ends this process
        require_threads(_THREADS)  # or without threads
        self._context = zmq.Context()
        self._socket = self._context.socket(zmq.ROUTER)
        self._connections = Connections(self._socket) if watch_disconnects else None
        self.server_key = endpoint.curve.public.decode() if endpoint.curve is not None else ""
        self._owned = True
        not_for_forks(self)
        try:
            self._bind(endpoint)
        except BaseException:
            self.close()
            raise

    def disown(self) -> None:
        """See `ProcessBound`; libzmq detects the fork, and does nothing."""
        self._owned = False

    def _bind(self, endpoint: Endpoint) -> None:
        self._socket.linger = 0
        self._socket.rcvtimeo = _SOON_MS
        self._socket.router_mandatory = True  # sending to a disconnected peer is an error
        self._socket.router_handover = True  # a reconnection by hand replaces the connection
        self._socket.sndhwm = self._socket.rcvhwm = 0  # lockstep bounds the messages in flight
        private = ""
        if endpoint.address is None:
            self._directory = PrivateDirectory()
            private = f"ipc://{self._directory.path}/link"
        endpoint.bind(self._socket, private)
        self.address = bytes(self._socket.getsockopt(zmq.LAST_ENDPOINT)).decode().rstrip("\0")

    def open(self, token: bytes) -> None:
        self._awaited.add(token)
        require_descriptors(_START_DESCRIPTORS + len(self._awaited))
        self._mail[token] = deque()

    def forget(self, token: bytes) -> None:
        self._mail.pop(token, None)
        if self._connections is not None:
            self._connections.forget(token)
        self._awaited.discard(token)

    def send(self, token: bytes, process: SimulationProcess | None, message: bytes) -> None:
        try:
            self._socket.send(token, _DONT_WAIT | _MORE)
            self._socket.send(message, _DONT_WAIT)
        except zmq.ZMQError as error:
            otherwise = f"broke its connection ({error})"
            raise crash(process, "before it was answered", otherwise=otherwise) from None

    def receive(self, token: bytes, process: SimulationProcess | None, timeout_s: float) -> bytes:
        mail = self._mail[token]
        self._awaited.discard(token)
        deadline = running_time() + timeout_s
        heard, self._heard = self._heard, False
        if not heard:
            self._take_soon(mail)
        while not mail:
            left = deadline - running_time()
            if self._connections is not None and self._connections.has_ended(token):
                self._drain(token, _DRAIN_AFTER_CRASH_S)
                if mail:
                    break
                raise SimulationCrashed("the attached simulation broke its connection")
            ready = self._poll([] if process is None else [process], left)
            if process is not None and process.exit_fd in ready and not mail:
                orderly = process.ended_orderly()
                self._drain(token, DRAIN_AFTER_EXIT_S if orderly else _DRAIN_AFTER_CRASH_S)
                if not mail:
                    raise crash(process, "before its next message")
            if left <= 0 and not mail:
                raise silence(process, f"no message within {timeout_s:g} s")
        return mail.popleft()

    def wait(self, conversations: Sequence[Conversation], timeout_s: float) -> list[int]:
        deadline = running_time() + timeout_s
        while not (ready := [i for i, (token, _) in enumerate(conversations) if self._mail[token]]):
            left = deadline - running_time()
            if left <= 0:
                break
            ended = self._poll([process for _, process in conversations if process], left)
            if ended:
                return [
                    i
                    for i, (token, process) in enumerate(conversations)
                    if self._mail[token] or (process is not None and process.exit_fd in ended)
                ]
        return ready

    def _poll(self, processes: Sequence[SimulationProcess], left_s: float) -> set[Any]:
        """Wait for an event, take a message, and return the exit descriptors of ended processes.

        The outputs of processes are read: a process whose output is full waits. `zmq.Poller` takes
        as long as the rest of an exchange.
        """
        watched: list[tuple[Any, int]] = [(self._socket, _IN)]
        for process in processes:
            watched.append((process.exit_fd, _IN))
            if process.output_open:
                watched.append((process.output_fd, _IN))
        if self._connections is not None:
            watched.append((self._connections.descriptor, _IN))
        ready = {each for each, _event in zmq.zmq_poll(watched, slice_ms(left_s))}
        for process in processes:
            if process.output_fd in ready:
                process.read_output()
                self._heard = True
        if self._socket in ready:
            self._take()
        return ready & {process.exit_fd for process in processes}

    def _take_soon(self, mail: deque[bytes]) -> None:
        """Take messages until there is one of a simulation, each within a short time.

        Only the socket is waited for. This suffices for most messages, and costs least.
        """
        with contextlib.suppress(zmq.Again):
            for _ in self._mail:  # a peer that sends endlessly must not block the time limit
                if mail:
                    break
                self._take()

    def _take(self) -> None:
        """Take a message that has arrived; messages of forgotten simulations are dropped."""
        socket = self._socket
        token = socket.recv()
        frame = socket.recv(copy=False)
        message = self._join(frame) if frame.more else frame.bytes
        mail = self._mail.get(token)
        if mail is not None:
            mail.append(message)
            if self._connections is not None:
                self._connections.note(token, frame)

    def _join(self, frame: zmq.Frame) -> bytes:
        """Join the frames of an invalid message, so that no parser accepts them."""
        message = b"\0" + frame.bytes
        while frame.more:  # the frames of a message arrive together
            frame = self._socket.recv(copy=False)
            message += frame.bytes
        return message

    def _drain(self, token: bytes, drain_s: float) -> None:
        """Take the last messages of a simulation that has ended; they may still be on their way."""
        deadline = running_time() + drain_s
        while (left := deadline - running_time()) > 0 and not self._mail[token]:
            if self._socket.poll(slice_ms(left)):
                self._take()

    def close(self) -> None:
        """Close the socket, its threads and its directory; may be called again."""
        if not self._owned:
            return
        if self._connections is not None:
            self._connections.close()
            self._connections = None
        self._socket.close(linger=0)
        self._context.term()
        if self._directory is not None:
            self._directory.close()
            self._directory = None
