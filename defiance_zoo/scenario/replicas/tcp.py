# SPDX-License-Identifier: GPL-2.0-only
"""Connections of a replica, as its kernel sees them: a small TCP over messages of replicas."""

from __future__ import annotations

import errno
import struct
from typing import Any

from defiance_zoo.scenario.replicas.files import error

HEAD = struct.Struct(">BHHQQI")
"""Flags, the ports of sender and receiver, sequence number, acknowledged number, window."""

DATAGRAM, SYN, FIN, RST = 1, 2, 4, 8
LOOP = -1
"""The number that stands for the user of the loopback address."""

_BUFFER = 1 << 16
"""Bytes that wait in a socket: unread ones, and written ones that are not acknowledged."""

_SEGMENT = 1400
_FIRST_RTO, _LONGEST_RTO = 0.5, 120.0
_TRIES, _OPENING_TRIES = 15, 6  # as in Linux


class Connection:
    """One end of a connection: TCP with retransmissions, windows and slow start.

    Sequence numbers count bytes; the begin (SYN) and the end (FIN) count as one byte each.

    Attributes:
        key: The number of the other replica, the own port, and the other port.
        is_open: Whether the other end has answered.
        is_over: Whether nothing is sent or received any more.
        error: Number of the error that the next call raises, or 0.
    """

    def __init__(
        self, network: Any, key: tuple[int, int, int], listener: Any = None, expected: int = 0
    ) -> None:
        self._network, self.key, self._listener = network, key, listener
        self.is_open = self.is_over = False
        self.error = 0
        network.connections[key] = self
        self._first: int = network.process.random.getrandbits(32) + 1
        self._acknowledged = self._next = self._first
        self._data = bytearray()  # the last written bytes, which are not acknowledged
        self._written: int = self._first + 1  # the number after them
        self._ends = self._reads_end = self._is_closed = False
        self._peer_window, self._congestion_window = _BUFFER, 4 * _SEGMENT
        self._expected, self._ahead = expected, dict[int, bytes]()
        self._held, self._peer_ended = bytearray(), False
        self._timer: Any = None
        self._tries, self._rto = 0, _FIRST_RTO
        self._transmit()

    @property
    def is_readable(self) -> bool:
        """Whether recv() returns or raises at once."""
        return bool(self._held or self.error or self._peer_ended or self._reads_end or self.is_over)

    @property
    def is_writable(self) -> bool:
        """Whether a third of the buffer is free, as in Linux, or send() raises at once."""
        has_room = self.is_open and 3 * len(self._data) <= 2 * _BUFFER
        return has_room or bool(self.error or self._ends or self.is_over)

    def take_error(self) -> int:
        """Return the number of the error, once."""
        number, self.error = self.error, 0
        return number

    def send(self, data: Any) -> int:
        """Take bytes to send; return their number, 0 if there is no room."""
        if self.error:
            raise error(self.take_error())
        if self._ends or self.is_over:
            raise error(errno.EPIPE)
        room = _BUFFER - len(self._data) if self.is_open else 0
        part = bytes(memoryview(data).cast("B")[:room])
        self._data += part
        self._written += len(part)
        self._transmit()
        return len(part)

    def recv(self, count: int) -> bytes:
        """Return received bytes, and none at the end; only if it is readable."""
        if not self._held:
            if self.error:
                raise error(self.take_error())
            return b""
        part = bytes(self._held[:count])
        was_short = 2 * len(self._held) >= _BUFFER
        del self._held[:count]
        if was_short and not self.is_over:
            self._send(0, self._next)  # the window opens
        return part

    def shut_down(self, *, reads: bool = False, writes: bool = True) -> None:
        """Wait for no further bytes, and send nothing after those that were written."""
        self._reads_end |= reads
        if writes and not self._ends and not self.is_over:
            self._ends = True
            self._transmit()

    def close(self, *, resets: bool) -> None:
        """End the connection for its user: by a reset if bytes were not read, as Linux does."""
        if self._held or resets or not self.is_open:
            self.reset()
        else:
            self._is_closed = True
            self.shut_down()
            self._finish()

    def reset(self) -> None:
        """End the connection at once."""
        if not self.is_over:
            self._send(RST, self._next)
        self._end(0)

    def _send(self, flags: int, number: int, content: bytes = b"") -> None:
        window = max(0, _BUFFER - len(self._held))
        head = HEAD.pack(flags, self.key[1], self.key[2], number, self._expected, window)
        self._network.send(self.key[0], head + content)

    @property
    def _end_number(self) -> int:
        return self._written + self._ends

    def _transmit(self) -> None:
        if self._next == self._first:
            self._send(SYN, self._first)
            self._next = self._first + 1
        limit = self._acknowledged + min(self._peer_window, self._congestion_window)
        end = self._written
        while self.is_open and self._next < min(limit, end):
            at = self._next - end + len(self._data)
            part = bytes(self._data[at : at + min(_SEGMENT, limit - self._next)])
            self._send(0, self._next, part)
            self._next = self._next + len(part)
        if self.is_open and self._ends and self._next == end:
            self._send(FIN, end)
            self._next = end + 1
        if self._timer is None and self._acknowledged < self._end_number and not self.is_over:
            self._timer = self._network.loop.call_later(self._rto, self._retransmit)

    def _retransmit(self) -> None:
        self._timer, self._tries = None, self._tries + 1
        if self._tries > (_TRIES if self.is_open else _OPENING_TRIES):
            self._end(errno.ETIMEDOUT)
            return
        self._rto = min(2 * self._rto, _LONGEST_RTO)
        self._next, self._congestion_window = self._acknowledged, _SEGMENT
        self._peer_window = max(1, self._peer_window)  # a probe of a closed window
        self._transmit()

    def receive(self, flags: int, number: int, acknowledged: int, window: int, data: bytes) -> None:
        """Take a segment of the other end."""
        if flags & RST:
            if number == self._expected or (not self._expected and acknowledged == self._first + 1):
                number = errno.EPIPE if self._peer_ended else errno.ECONNRESET  # as in Linux
                self._end(number if self.is_open else errno.ECONNREFUSED)
            elif self._expected < number <= self._expected + _BUFFER:
                self._send(0, self._next)  # bytes before are lost: the answer is the right reset
            return
        if flags & SYN and not self._expected:
            self._expected = number + 1
        if self._first < acknowledged <= self._end_number:
            self._take_acknowledgement(acknowledged, window)
        if self.is_over:
            return
        if flags & SYN:
            self._send(0 if acknowledged else SYN, self._next if acknowledged else self._first)
            return
        if data and self._is_closed and number + len(data) > self._expected:
            self.reset()  # nobody will read the new bytes
            return
        if data or flags & FIN:
            if self._expected <= number <= self._expected + _BUFFER:
                self._ahead[number] = data
            while self._expected in self._ahead:
                part = self._ahead.pop(self._expected)
                self._held += part
                self._peer_ended |= not part
                self._expected += len(part) or 1
            self._send(0, self._next)
            self._finish()

    def _take_acknowledgement(self, acknowledged: int, window: int) -> None:
        self._peer_window = window
        if acknowledged > self._acknowledged:
            unread = max(0, self._written - acknowledged)
            del self._data[: len(self._data) - unread]
            self._acknowledged, self._tries, self._rto = acknowledged, 0, _FIRST_RTO
            self._next = max(self._next, acknowledged)
            self._congestion_window = min(self._congestion_window + _SEGMENT, 4 * _BUFFER)
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
        if not self.is_open:
            self.is_open = True
            if self._listener is not None and not self._listener(self):
                self.reset()
                return
        self._transmit()
        self._finish()

    def _finish(self) -> None:
        is_sent = self._acknowledged == self._end_number
        if self._is_closed and self._peer_ended and is_sent:
            self._end(0)

    def _end(self, number: int) -> None:
        if self.is_over:
            return
        self.is_over, self.error = True, number
        del self._network.connections[self.key]
        if self._timer is not None:
            self._timer.cancel()
