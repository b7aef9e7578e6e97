# SPDX-License-Identifier: GPL-2.0-only
"""Datagrams and connections of a replica for asyncio, over the messages between replicas."""

from __future__ import annotations

import errno
import os
import struct
from asyncio import events, transports
from collections.abc import Callable
from typing import Any

from defiance_zoo.scenario.replicas.replica import LONGEST_MESSAGE, Replica
from defiance_zoo.scenario.replicas.virtual_functions import address, find_host

_HEAD = struct.Struct(">BHHQQI")
"""Flags, the ports of sender and receiver, sequence number, acknowledged number, window."""

_DATAGRAM, _SYN, _FIN, _RST = 1, 2, 4, 8
_WINDOW = 1 << 16
_SEGMENT = 1400
_FIRST_RTO, _LONGEST_RTO = 0.5, 120.0
_TRIES, _OPENING_TRIES = 15, 6  # as in Linux
_FIRST_PORT, _PORTS = 32768, 28000
_LOOPBACK, _LOOP, _ANY = "127.0.0.1", -1, "0.0.0.0"
"""The loopback address, the number that stands for its user, and the address of all."""


def _error(number: int) -> OSError:
    return OSError(number, os.strerror(number))


class _Name:
    """A socket as far as programs look at it: its addresses; options have no effect."""

    def __init__(self, own: tuple[str, int], peer: tuple[str, int] | None = None) -> None:
        self.own, self.peer = own, peer
        self.family, self.proto, self._options = 2, 0, dict[Any, Any]()
        self.extra = {"sockname": own, "peername": peer, "socket": self}

    def getsockname(self) -> tuple[str, int]:
        return self.own

    def getpeername(self) -> tuple[str, int]:
        if self.peer is None:
            raise _error(errno.ENOTCONN)
        return self.peer

    def setsockopt(self, level: int, name: int, value: Any) -> None:
        """Note an option, which has no effect."""
        self._options[level, name] = value

    def getsockopt(self, level: int, name: int, *_length: int) -> Any:
        return self._options.get((level, name), 0)


class Network:
    """The sockets of a process."""

    def __init__(self, process: Replica, loop: Any) -> None:
        self.process, self.loop = process, loop
        self.datagrams: dict[int, _Datagrams] = {}
        self.servers: dict[int, _Server] = {}
        self.connections: dict[tuple[int, int, int], _Connection] = {}

    def send(self, to: int, data: bytes) -> None:
        """Send a message to a replica, which may be this one; 0: no replica has the address."""
        if to in (self.process.id, _LOOP):
            self.loop.call_soon(self.receive, to, data)
        elif to:
            self.process.send(to, data)

    def find(self, host: str) -> int:
        """Return the number of the replica with an address; 0: none has it."""
        if host == _LOOPBACK:
            return _LOOP
        ids = range(1, self.process.size + 1)
        return next((id for id in ids if address(id) == host), 0)

    def address(self, number: int) -> str:
        """Return the address of a replica, or the loopback address."""
        return _LOOPBACK if number == _LOOP else address(number)

    def own_address(self, host: Any) -> str:
        """Return an address to listen on; raise OSError if another machine has it."""
        if host is not None and not isinstance(host, str):
            host = host[0] if len(host) == 1 else None
        found = find_host(self.process, host)
        if found not in (_ANY, _LOOPBACK, address(self.process.id)):
            raise _error(errno.EADDRNOTAVAIL)
        return found

    def free_port(self, port: Any, taken: Any) -> int:
        """Return a port, or a random one for 0; raise OSError if the port is taken."""
        _require_port(port or 0)
        while not port:
            drawn = _FIRST_PORT + self.process.random.randrange(_PORTS)
            port = 0 if drawn in taken else drawn
        if port in taken:
            raise _error(errno.EADDRINUSE)
        return int(port)

    def open_datagrams(self, factory: Callable[[], Any], own: Any, peer: Any) -> tuple[Any, Any]:
        """Open a port for datagrams."""
        to = (find_host(self.process, peer[0]), int(peer[1])) if peer else None
        host = _LOOPBACK if to and to[0] == _LOOPBACK else address(self.process.id) if to else _ANY
        host = self.own_address(own[0]) if own else host
        port = self.free_port(own[1] if own else 0, self.datagrams)
        protocol = factory()
        opened = self.datagrams[port] = _Datagrams(self, protocol, (host, port), to)
        self.loop.call_soon(protocol.connection_made, opened)
        return opened, protocol

    def listen(
        self, factory: Callable[[], Any], host: Any, port: Any, *, serves: bool = True
    ) -> _Server:
        """Open a port for connections."""
        host, port = self.own_address(host), self.free_port(port, self.servers)
        self.servers[port] = _Server(self, factory, (host, port), serves)
        return self.servers[port]

    def connect(
        self, factory: Callable[[], Any], host: str, port: int, from_port: int = 0
    ) -> _Connection:
        """Begin a connection to a port of a replica."""
        _require_port(port)
        own = self.free_port(from_port, {key[1] for key in self.connections})
        connection = _Connection(self, factory, (self.find(host), own, port))
        connection.transmit()
        return connection

    def receive(self, sender: int, data: bytes) -> None:
        """Take a message of a replica."""
        flags, theirs, own, number, acknowledged, window = _HEAD.unpack_from(data)
        content = data[_HEAD.size :]
        if flags & _DATAGRAM:
            if own in self.datagrams and self._reaches(sender, self.datagrams[own].own[0]):
                self.datagrams[own].receive((self.address(sender), theirs), content)
            return
        key = sender, own, theirs
        connection = self.connections.get(key)
        server = self.servers.get(own)
        begins = connection is None and flags & _SYN and not acknowledged
        if begins and server and server.is_serving() and self._reaches(sender, server.own[0]):
            connection = _Connection(self, server.factory, key, number + 1)
        if connection is not None:
            connection.receive(flags, number, acknowledged, window, content)
        elif not flags & _RST:
            self.send(sender, _HEAD.pack(_RST, own, theirs, acknowledged, number + 1, 0))

    @staticmethod
    def _reaches(sender: int, host: str) -> bool:
        """Return whether messages of a sender reach sockets with an address."""
        return host == _ANY or (host == _LOOPBACK) == (sender == _LOOP)


def _require_port(port: Any) -> None:
    if not 0 <= int(port) <= 0xFFFF:
        raise OverflowError("port must be 0-65535.")


class _Datagrams(transports.DatagramTransport):
    """An open port for datagrams."""

    def __init__(self, network: Network, protocol: Any, own: tuple[str, int], peer: Any) -> None:
        super().__init__(_Name(own, peer).extra)
        self._network, self._protocol, self.own, self._peer = network, protocol, own, peer
        self._is_closed = False

    def sendto(self, data: Any, addr: Any = None) -> None:
        host, port = (addr or self._peer)[:2]
        if len(data) > LONGEST_MESSAGE - _HEAD.size:
            self._protocol.error_received(_error(errno.EMSGSIZE))
            return
        _require_port(port)
        to = self._network.find(find_host(self._network.process, host))
        if not self._is_closed:
            head = _HEAD.pack(_DATAGRAM, self.own[1], int(port), 0, 0, 0)
            self._network.send(to, head + bytes(data))

    def receive(self, sender: tuple[str, int], data: bytes) -> None:
        if self._peer in (None, sender):
            self._network.loop.call_soon(self._protocol.datagram_received, data, sender)

    def is_closing(self) -> bool:
        return self._is_closed

    def close(self) -> None:
        if not self._is_closed:
            self._is_closed = True
            del self._network.datagrams[self.own[1]]
            self._network.loop.call_soon(self._protocol.connection_lost, None)

    abort = close


class _Server(events.AbstractServer):
    """An open port for connections."""

    def __init__(
        self, network: Network, factory: Callable[[], Any], own: tuple[str, int], serves: bool
    ) -> None:
        self._network, self.factory, self.own, self._serves = network, factory, own, serves
        self.sockets: tuple[_Name, ...] = (_Name(own),)
        self._closed = network.loop.create_future()

    def close(self) -> None:
        if not self._closed.done():
            del self._network.servers[self.own[1]]
            self.sockets = ()
            self._closed.set_result(None)

    def get_loop(self) -> Any:
        return self._network.loop

    def is_serving(self) -> bool:
        return self._serves and not self._closed.done()

    async def start_serving(self) -> None:
        self._serves = True

    async def serve_forever(self) -> None:
        await self.start_serving()
        try:
            await self._network.loop.create_future()
        finally:
            self.close()

    async def wait_closed(self) -> None:
        await self._closed


_FlowControl: Any = transports._FlowControlMixin


class _Connection(_FlowControl):  # type: ignore[misc]
    """One end of a connection: TCP with retransmissions, windows and slow start.

    Sequence numbers count bytes; the begin (SYN) and the end (FIN) count as one byte each.
    """

    def __init__(
        self, network: Network, factory: Any, key: tuple[int, int, int], expected: int = 0
    ) -> None:
        own = network.address(_LOOP if key[0] == _LOOP else network.process.id), key[1]
        super().__init__(_Name(own, (network.address(key[0]), key[2])).extra, network.loop)
        self._network, self._factory, self._key = network, factory, key
        self._protocol: Any = None
        self.opened = network.loop.create_future()
        network.connections[key] = self
        self._first = network.process.random.getrandbits(32) + 1
        self._acknowledged = self._next = self._first
        self._data = bytearray()  # the last written bytes, which are not acknowledged
        self._written = self._first + 1  # the number after them
        self._ends = self._is_closing = self._is_over = self._is_lost = False
        self._peer_window, self._congestion_window = _WINDOW, 4 * _SEGMENT
        self._expected, self._ahead = expected, dict[int, bytes]()
        self._held, self._is_paused = bytearray(), False
        self._peer_ended = self._has_ended_reading = False
        self._timer: Any = None
        self._tries, self._rto = 0, _FIRST_RTO

    def write(self, data: Any) -> None:
        if self._ends and not self._is_closing:
            raise RuntimeError("Cannot call write() after write_eof()")
        if self._ends or self._is_over:
            return
        self._data += data
        self._written += len(data)
        self.transmit()
        self._maybe_pause_protocol()

    def get_write_buffer_size(self) -> int:
        return len(self._data)

    def can_write_eof(self) -> bool:
        return True

    def write_eof(self) -> None:
        if not self._ends:
            self._ends = True
            self.transmit()

    def close(self) -> None:
        if not self._is_closing:
            self._is_closing = True
            self.write_eof()
            self._lose_when_sent()

    def abort(self) -> None:
        """Close at once: as in Linux, a reset only if bytes were not read.

        The bytes that a kernel would hold are still sent.
        """
        if self._is_over or self._protocol is None or self._held:
            self._reset()
            return
        unsent = max(0, self._written - self._acknowledged - _WINDOW)
        if unsent and not self._ends:
            del self._data[-unsent:]
            self._written -= unsent
        self._is_closing = True
        self.write_eof()
        self._lose(None)

    def _reset(self) -> None:
        if not self._is_over:
            self._send(_RST, self._next)
            self._end(None)

    def is_reading(self) -> bool:
        return not (self._is_paused or self.is_closing())

    def is_closing(self) -> bool:
        return self._is_closing or self._is_over

    def pause_reading(self) -> None:
        self._is_paused = True

    def resume_reading(self) -> None:
        if self._is_paused and not self._is_over:
            self._is_paused = False
            self._deliver()
            self._send(0, self._next)

    def get_protocol(self) -> Any:
        return self._protocol

    def set_protocol(self, protocol: Any) -> None:
        self._protocol = protocol

    def _send(self, flags: int, number: int, content: bytes = b"") -> None:
        window = max(0, _WINDOW - len(self._held))
        head = _HEAD.pack(flags, self._key[1], self._key[2], number, self._expected, window)
        self._network.send(self._key[0], head + content)

    @property
    def _end_number(self) -> int:
        return self._written + self._ends

    def transmit(self) -> None:
        if self._next == self._first:
            self._send(_SYN, self._first)
            self._next = self._first + 1
        limit = self._acknowledged + min(self._peer_window, self._congestion_window)
        end = self._written
        while self._protocol is not None and self._next < min(limit, end):
            at = self._next - end + len(self._data)
            part = bytes(self._data[at : at + min(_SEGMENT, limit - self._next)])
            self._send(0, self._next, part)
            self._next = self._next + len(part)
        if self._protocol is not None and self._ends and self._next == end:
            self._send(_FIN, end)
            self._next = end + 1
        if self._timer is None and self._acknowledged < self._end_number and not self._is_over:
            self._timer = self._loop.call_later(self._rto, self._retransmit)

    def _retransmit(self) -> None:
        self._timer, self._tries = None, self._tries + 1
        if self._tries > (_OPENING_TRIES if self._protocol is None else _TRIES):
            self._end(_error(errno.ETIMEDOUT))
            return
        self._rto = min(2 * self._rto, _LONGEST_RTO)
        self._next, self._congestion_window = self._acknowledged, _SEGMENT
        self._peer_window = max(1, self._peer_window)  # a probe of a closed window
        self.transmit()

    def receive(self, flags: int, number: int, acknowledged: int, window: int, data: bytes) -> None:
        if flags & _RST:
            if number == self._expected or (not self._expected and acknowledged == self._first + 1):
                refused = self._protocol is None
                self._end(_error(errno.ECONNREFUSED if refused else errno.ECONNRESET))
            return
        if flags & _SYN and not self._expected:
            self._expected = number + 1
        if self._first < acknowledged <= self._end_number:
            self._take_acknowledgement(acknowledged, window)
        if self._is_over:
            return
        if flags & _SYN:
            self._send(0 if acknowledged else _SYN, self._next if acknowledged else self._first)
            return
        if data and self._is_closing:
            self._reset()  # nobody will read the bytes
            return
        if data or flags & _FIN:
            if self._expected <= number <= self._expected + _WINDOW:
                self._ahead[number] = data
            while self._expected in self._ahead:
                part = self._ahead.pop(self._expected)
                self._held += part
                self._peer_ended |= not part
                self._expected += len(part) or 1
            self._send(0, self._next)
            self._deliver()
            self._lose_when_sent()

    def _take_acknowledgement(self, acknowledged: int, window: int) -> None:
        self._peer_window = window
        if acknowledged > self._acknowledged:
            unread = max(0, self._written - acknowledged)
            del self._data[: len(self._data) - unread]
            self._acknowledged, self._tries, self._rto = acknowledged, 0, _FIRST_RTO
            self._next = max(self._next, acknowledged)
            self._congestion_window = min(self._congestion_window + _SEGMENT, 4 * _WINDOW)
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
        if self._protocol is None:
            self._protocol = self._factory()
            self._protocol.connection_made(self)
            if not self.opened.done():
                self.opened.set_result(None)
        self.transmit()
        self._maybe_resume_protocol()
        self._lose_when_sent()

    def _deliver(self) -> None:
        if self._is_paused or self._is_lost or self._protocol is None:
            return
        if self._held:
            data, self._held = bytes(self._held), bytearray()
            self._loop.call_soon(self._protocol.data_received, data)
        if self._peer_ended and not self._has_ended_reading:
            self._has_ended_reading = True
            self._loop.call_soon(self._end_reading)

    def _end_reading(self) -> None:
        if not self._is_lost and not self._protocol.eof_received():
            self.close()

    def _lose_when_sent(self) -> None:
        if self._is_closing and self._next >= self._end_number:
            self._lose(None)
            if self._peer_ended and self._acknowledged == self._end_number:
                self._end(None)

    def _lose(self, error: Exception | None) -> None:
        if not self._is_lost and self._protocol is not None:
            self._is_lost = True
            self._loop.call_soon(self._protocol.connection_lost, error)

    def _end(self, error: Exception | None) -> None:
        self._is_over = True
        self._network.connections.pop(self._key, None)
        if self._timer is not None:
            self._timer.cancel()
        if self._protocol is None and not self.opened.done():
            self.opened.set_exception(error or ConnectionAbortedError())
        self._lose(error)
