# SPDX-License-Identifier: GPL-2.0-only
"""Which connections of a socket belong to simulations, and which of those have ended."""

from __future__ import annotations

import contextlib

import zmq
from zmq.utils.monitor import parse_monitor_message

_EVENTS = zmq.EVENT_ACCEPTED | zmq.EVENT_DISCONNECTED
_DISCONNECTED = int(zmq.EVENT_DISCONNECTED)
_ENDED = -1


class Connections:
    """Tells the end of a simulation that runs without a process of ours to look at.

    Anybody may connect to an address, say something, and leave. Only a connection that brought a
    message with a simulation's token is that simulation's, and its end the simulation's.

    Attributes:
        descriptor: Tells that something has changed since `has_ended()` looked.
    """

    def __init__(self, socket: zmq.Socket[bytes]) -> None:
        """Watch a socket that is not bound yet."""
        self._socket = socket
        self._monitor = socket.get_monitor_socket(_EVENTS)
        self.descriptor = int(self._monitor.FD)
        self._open: set[int] = set()
        self._of: dict[bytes, int] = {}

    def note(self, token: bytes, frame: zmq.Frame) -> None:
        """Note that a frame of a simulation has come."""
        descriptor = int(frame.get(zmq.SRCFD))
        if self._of.get(token) != descriptor:
            # Events of the descriptor's earlier owner were reported before: ZeroMQ reports the end
            # of a connection before it closes it, and the kernel gives no descriptor away twice.
            self._heed()
            self._of[token] = descriptor if descriptor in self._open else _ENDED

    def has_ended(self, token: bytes) -> bool:
        """Tell whether the connection of a simulation has ended that it has spoken through."""
        self._heed()
        return self._of.get(token) == _ENDED

    def forget(self, token: bytes) -> None:
        """Forget a simulation."""
        self._of.pop(token, None)

    def _heed(self) -> None:
        """Take all that ZeroMQ has reported."""
        with contextlib.suppress(zmq.Again):
            while True:
                event = parse_monitor_message(self._monitor.recv_multipart(zmq.DONTWAIT))
                descriptor = event["value"]
                if event["event"] != _DISCONNECTED:
                    self._open.add(descriptor)
                    continue
                self._open.discard(descriptor)
                for token, own in self._of.items():
                    if own == descriptor:
                        self._of[token] = _ENDED

    def close(self) -> None:
        """Watch no more."""
        self._socket.disable_monitor()
        self._monitor.close(linger=0)
