# SPDX-License-Identifier: GPL-2.0-only
"""The connections of a socket that belong to simulations, and their ends."""

from __future__ import annotations

import contextlib

import zmq
from zmq.utils.monitor import parse_monitor_message

_EVENTS = zmq.EVENT_ACCEPTED | zmq.EVENT_DISCONNECTED
_DISCONNECTED = int(zmq.EVENT_DISCONNECTED)
_ENDED = -1


class Connections:
    """Detects the end of a simulation that this process did not start.

    Any program may connect to an address, send a message, and disconnect. A connection belongs to a
    simulation if it carried a message with the simulation's token; its end is the simulation's end.

    Attributes:
        descriptor: Descriptor that is readable after a change since the last `has_ended()`.
    """

    def __init__(self, socket: zmq.Socket[bytes]) -> None:
        """Watch a socket that is not bound yet."""
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
        """Stop watching."""
        self._socket.disable_monitor()
        self._monitor.close(linger=0)
