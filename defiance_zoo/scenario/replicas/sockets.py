# SPDX-License-Identifier: GPL-2.0-only
"""Sockets of a replica, without blocking calls, over the messages between replicas."""

from __future__ import annotations

import errno
import select
import socket
from collections import deque
from collections.abc import Callable
from typing import Any, NoReturn

from defiance_zoo.scenario.replicas.files import error
from defiance_zoo.scenario.replicas.replica import (
    LONGEST_MESSAGE,
    Replica,
    Running,
    refuse,
    refusing,
)
from defiance_zoo.scenario.replicas.tcp import DATAGRAM, HEAD, LOOP, RST, SYN, Connection
from defiance_zoo.scenario.replicas.virtual_files import Put
from defiance_zoo.scenario.replicas.virtual_functions import Replace, address, host_name

_FIRST_PORT, _PORTS = 32768, 28000
_FIRST_NUMBER = 1 << 20
"""The number of a replica's first socket, which no file of the machine has."""

_LOOPBACK, _ANY = "127.0.0.1", "0.0.0.0"
_Original: Any = socket.socket


def find_host(process: Replica, host: Any) -> str:
    """Return the address of a replica, by its name or address."""
    name = host.decode() if isinstance(host, bytes) else host
    if name in (None, "", "::"):
        return _ANY
    if name in ("localhost", "::1"):
        return _LOOPBACK
    for id in range(1, process.size + 1):
        if name in (host_name(id), address(id)):
            return address(id)
    try:
        socket.inet_aton(name)
    except OSError:
        raise socket.gaierror(socket.EAI_NONAME, f"no replica has the name {name!r}") from None
    return str(name)


class Network:
    """The kernel of a replica: its sockets, ports and connections."""

    def __init__(self, process: Replica, loop: Any) -> None:
        self.process, self.loop = process, loop
        self.sockets: dict[int, _VirtualSocket] = {}
        self.connections: dict[tuple[int, int, int], Connection] = {}
        self._bound: dict[tuple[int, str, int], _VirtualSocket] = {}
        self._opened = 0

    def add(self, opened: _VirtualSocket) -> int:
        """Return the number of a new socket."""
        self._opened += 1
        self.sockets[_FIRST_NUMBER + self._opened] = opened
        return _FIRST_NUMBER + self._opened

    def remove(self, closed: _VirtualSocket) -> None:
        """Forget a socket, and free its port."""
        del self.sockets[closed.number]
        self.loop._transports.pop(closed.number, None)
        if closed.bound_to:
            del self._bound[closed.bound_to]

    def bind(self, unbound: _VirtualSocket, host: Any, port: Any) -> tuple[str, int]:
        """Give a socket an address, with a random port for 0; raise OSError if it is taken."""
        found, port = find_host(self.process, host), int(port)
        if found not in (_ANY, _LOOPBACK, address(self.process.id)):
            raise error(errno.EADDRNOTAVAIL)
        if not 0 <= port <= 0xFFFF:
            raise OverflowError("bind(): port must be 0-65535.")
        if port and self._is_taken(unbound.type, found, port):
            raise error(errno.EADDRINUSE)
        used = {key[1] for key in self.connections}
        while not port:
            drawn = _FIRST_PORT + self.process.random.randrange(_PORTS)
            port = 0 if drawn in used or self._is_taken(unbound.type, found, drawn) else drawn
        unbound.bound_to = unbound.type, found, port
        self._bound[unbound.bound_to] = unbound
        return found, port

    def _is_taken(self, kind: int, host: str, port: int) -> bool:
        return any(
            (kind, port) == (each[0], each[2]) and (host == each[1] or _ANY in (host, each[1]))
            for each in self._bound
        )

    def find(self, host: str) -> int:
        """Return the number of the replica with an address; 0: none has it."""
        if host == _LOOPBACK:
            return LOOP
        ids = range(1, self.process.size + 1)
        return next((id for id in ids if address(id) == host), 0)

    def address(self, number: int) -> str:
        """Return the address of a replica, or the loopback address."""
        return _LOOPBACK if number == LOOP else address(number)

    def own_address(self, other: int) -> str:
        """Return the address by which a replica reaches this one."""
        return self.address(other if other == LOOP else self.process.id)

    def send(self, to: int, data: bytes) -> None:
        """Send a message to a replica, which may be this one; 0: no replica has the address."""
        if to in (self.process.id, LOOP):
            self.loop.call_soon(self.receive, to, data)
        elif to:
            Replica.send(self.process, to, data)  # the program may have its own send()

    def receive(self, sender: int, data: bytes) -> None:
        """Take a message of a replica."""
        flags, theirs, own, number, acknowledged, window = HEAD.unpack_from(data)
        content = data[HEAD.size :]
        if flags & DATAGRAM:
            found = self._find_bound(socket.SOCK_DGRAM, sender, own)
            name = self.address(sender), theirs
            if found is not None and found.peer in (None, name):
                found.queue.append((content, name))
            return
        key = sender, own, theirs
        connection = self.connections.get(key)
        if connection is None and flags & SYN and not acknowledged:
            listener = self._find_bound(socket.SOCK_STREAM, sender, own)
            if listener is not None and listener.backlog:
                if len(listener.queue) > listener.backlog:
                    return  # as in Linux
                Connection(self, key, listener.offer, number + 1)
                return
        if connection is not None:
            connection.receive(flags, number, acknowledged, window, content)
        elif not flags & RST:
            self.send(sender, HEAD.pack(RST, own, theirs, acknowledged, number + 1, 0))

    def _find_bound(self, kind: int, sender: int, port: int) -> _VirtualSocket | None:
        """Return the socket that messages of a sender to a port reach."""
        exact = self._bound.get((kind, self.own_address(sender), port))
        return exact or self._bound.get((kind, _ANY, port))


class Socket(_Original):  # type: ignore[misc]
    """A socket; a simulated one if an asynchronous replica runs."""

    def __new__(cls, *_given: Any, **_more: Any) -> Any:
        is_virtual = cls is Socket and hasattr(getattr(Running.process, "loop", None), "network")
        return super().__new__(_VirtualSocket if is_virtual else cls)


Socket.__module__, Socket.__name__, Socket.__qualname__ = "socket", *["socket"] * 2


class _VirtualSocket(Socket):
    """A socket of a replica. A call that would wait is refused, as only an event loop can.

    Attributes:
        number: Its number in place of a file descriptor.
        own, peer: Its own address, and that of the other end.
        bound_to: Its kind, address and port among the bound sockets.
        connection: Its connection, if it has one.
        queue: Received datagrams, or connections that nobody has accepted.
        backlog: Maximum number of such connections; 0: it does not listen.
    """

    family: Any = None  # in place of properties of the base
    type: Any = None
    proto: Any = None

    def __init__(
        self, family: int = -1, type: int = -1, proto: int = -1, fileno: Any = None
    ) -> None:
        kind = (socket.SOCK_STREAM if type == -1 else type) & 0xF
        families = (-1, socket.AF_INET, socket.AF_INET6)
        kinds = (socket.SOCK_STREAM, socket.SOCK_DGRAM)
        if fileno is not None or family not in families or kind not in kinds:
            refuse("opens a socket that is neither for TCP nor for UDP")
        self.family, self.type = socket.AF_INET, socket.SocketKind(kind)
        self.proto = max(proto, 0)
        self._io_refs, self._closed = 0, False
        self._network: Network = Running.process.loop.network  # type: ignore[union-attr]
        self.number = self._network.add(self)
        self.own: tuple[str, int] = (_ANY, 0)
        self.peer: tuple[str, int] | None = None
        self.bound_to: tuple[int, str, int] | None = None
        self.connection: Connection | None = None
        self.queue: deque[Any] = deque()
        self.backlog = 0
        self._connects = False  # and no call has learned that it has succeeded
        self._timeout: float | None = socket.getdefaulttimeout()
        self._options: dict[tuple[int, int], Any] = {}

    @property
    def ready(self) -> int:
        """The events of `poll()` that have happened; none if the socket is closed."""
        made = self.connection
        can_read = bool(self.queue) or (made is not None and made.is_readable)
        can_write = made.is_writable if made else self.type == socket.SOCK_DGRAM
        events = can_read * select.POLLIN | can_write * select.POLLOUT
        return 0 if self._closed else events

    def offer(self, connection: Connection) -> bool:
        """Take a new connection; return whether the socket listens."""
        self.queue.append(connection)
        return self.backlog > 0

    def fileno(self) -> int:
        return -1 if self._closed else self.number

    def settimeout(self, value: float | None) -> None:
        self._timeout = value

    def gettimeout(self) -> float | None:
        return self._timeout

    def setblocking(self, flag: bool) -> None:
        self._timeout = None if flag else 0.0

    def getblocking(self) -> bool:
        return self._timeout != 0

    def get_inheritable(self) -> bool:
        return False

    def set_inheritable(self, inheritable: bool) -> None:
        """Do nothing: replicas start no programs."""

    def setsockopt(self, level: int, name: int, value: Any, *_length: int) -> None:
        """Note an option; only SO_LINGER has an effect."""
        if level == socket.IPPROTO_IP and name == socket.IP_ADD_MEMBERSHIP:
            refuse("joins a multicast group, which the network does not have")
        self._options[level, name] = value

    def getsockopt(self, level: int, name: int, *length: int) -> Any:
        if (level, name) == (socket.SOL_SOCKET, socket.SO_ERROR):
            return self.connection.take_error() if self.connection else 0
        if (level, name) == (socket.SOL_SOCKET, socket.SO_TYPE):
            return int(self.type)
        return self._options.get((level, name), bytes(*length) if length else 0)

    def getsockname(self) -> tuple[str, int]:
        return self.own

    def getpeername(self) -> tuple[str, int]:
        if self.peer is None or not self._is_connected():
            raise error(errno.ENOTCONN)
        return self.peer

    def bind(self, address: Any) -> None:
        if self.own[1]:
            raise error(errno.EINVAL)
        self.own = self._network.bind(self, *address[:2])

    def listen(self, backlog: int = 128) -> None:
        if self.connection is not None and not self.connection.is_over:
            raise error(errno.EINVAL)
        if not self.own[1]:
            self.bind((_ANY, 0))
        self.backlog = max(1, backlog)

    def accept(self) -> tuple[Any, Any]:
        if not self.backlog:
            raise error(errno.EINVAL)
        if not self.queue:
            self._wait()
        accepted = _VirtualSocket(self.family, self.type, self.proto)
        accepted.connection = made = self.queue.popleft()
        accepted.own = self._network.own_address(made.key[0]), made.key[1]
        accepted.peer = self._network.address(made.key[0]), made.key[2]
        return accepted, accepted.peer

    def connect(self, address: Any) -> None:
        host, port = find_host(self._network.process, address[0]), int(address[1])
        if not 0 <= port <= 0xFFFF:
            raise OverflowError("connect(): port must be 0-65535.")
        if self._has_connected():
            return
        host = _LOOPBACK if host == _ANY else host
        to = self._network.find(host)
        if not self.own[1]:
            self.bind((self._network.own_address(to), 0))
        self.own, self.peer = (self._network.own_address(to), self.own[1]), (host, port)
        if self.type == socket.SOCK_DGRAM:
            return
        key = to, self.own[1], port
        if key in self._network.connections:
            raise error(errno.EADDRNOTAVAIL)
        self.connection = Connection(self._network, key)
        self._wait(errno.EINPROGRESS)

    def _has_connected(self) -> bool:
        """Return whether an attempt has succeeded, once; raise OSError in any other known state."""
        made = self.connection
        if made is not None and made.error:
            raise error(made.take_error())
        is_begun = made is not None and not made.is_over
        if made is not None and is_begun and not made.is_open:
            raise error(errno.EALREADY)
        if self.backlog or (is_begun and not self._connects):
            raise error(errno.EISCONN)
        self._connects = not is_begun
        return is_begun

    def connect_ex(self, address: Any) -> int:
        try:
            self.connect(address)
        except OSError as failed:
            return failed.errno or 0
        return 0

    def send(self, data: Any, _flags: int = 0) -> int:
        if self.type == socket.SOCK_DGRAM:
            if self.peer is None:
                raise error(errno.EDESTADDRREQ)
            return self.sendto(data, self.peer)
        made = self._require_connection(errno.EPIPE)
        return made.send(data) or (len(data) and self._wait())

    def sendmsg(self, buffers: Any, *_more: Any) -> int:
        return self.send(b"".join(buffers))

    def sendto(self, data: Any, *flags_and_address: Any) -> int:
        if self.type == socket.SOCK_STREAM:
            return self.send(data)
        host, port = flags_and_address[-1][:2]
        if len(data) > LONGEST_MESSAGE - HEAD.size:
            raise error(errno.EMSGSIZE)
        if not 0 <= int(port) <= 0xFFFF:
            raise OverflowError("sendto(): port must be 0-65535.")
        found = find_host(self._network.process, host)
        to = self._network.find(_LOOPBACK if found == _ANY else found)
        if not self.own[1]:
            self.bind((_ANY, 0))
        head = HEAD.pack(DATAGRAM, self.own[1], int(port), 0, 0, 0)
        self._network.send(to, head + bytes(data))
        return len(data)

    def recv(self, count: int, flags: int = 0) -> bytes:
        return self.recvfrom(count, flags)[0]

    def recvfrom(self, count: int, flags: int = 0) -> tuple[bytes, Any]:
        if flags:
            refuse("receives with flags, which simulated sockets lack")
        if self.type == socket.SOCK_DGRAM:
            if not self.queue:
                self._wait()
            data, sender = self.queue.popleft()
            return data[:count], sender
        made = self._require_connection()
        if not made.is_readable:
            self._wait()
        return made.recv(count), None

    def recv_into(self, buffer: Any, nbytes: int = 0, flags: int = 0) -> int:
        return self.recvfrom_into(buffer, nbytes, flags)[0]

    def recvfrom_into(self, buffer: Any, nbytes: int = 0, flags: int = 0) -> tuple[int, Any]:
        view = memoryview(buffer).cast("B")
        data, sender = self.recvfrom(nbytes or len(view), flags)
        view[: len(data)] = data
        return len(data), sender

    def shutdown(self, how: int) -> None:
        made, reads = self.connection, how != socket.SHUT_WR
        if self.backlog:
            self._listen_no_more(reads)
        elif made is None or not self._is_connected():
            raise error(errno.ENOTCONN)
        else:
            made.shut_down(reads=reads, writes=how != socket.SHUT_RD)

    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        self._network.remove(self)
        if self.connection is not None:
            linger = self._options.get((socket.SOL_SOCKET, socket.SO_LINGER), b"")
            self.connection.close(resets=linger[:1] == b"\1" and not any(linger[4:]))
        self._listen_no_more(self.backlog > 0)

    def _listen_no_more(self, ends: bool) -> None:
        """Refuse further connections, and reset those that nobody has accepted."""
        while ends and self.queue:
            self.queue.popleft().reset()
        self.backlog *= not ends

    def _is_connected(self) -> bool:
        made = self.connection
        return self.type == socket.SOCK_DGRAM or bool(made and made.is_open and not made.is_over)

    def _require_connection(self, number: int = errno.ENOTCONN) -> Connection:
        if self.connection is None:
            raise error(number)
        return self.connection

    def _wait(self, number: int = errno.EAGAIN) -> NoReturn:
        if self._timeout == 0:
            raise error(number)
        refuse("waits for a socket without asyncio")


def _while_open(call: Callable[..., Any]) -> Callable[..., Any]:
    def check(opened: _VirtualSocket, *given: Any, **more: Any) -> Any:
        if opened._closed:
            raise error(errno.EBADF)
        return call(opened, *given, **more)

    return check


_OPEN = ("accept", "bind", "connect", "getpeername", "getsockname", "getsockopt", "listen")
for _name in (*_OPEN, "recvfrom", "send", "sendto", "setsockopt", "shutdown"):
    setattr(_VirtualSocket, _name, _while_open(getattr(_VirtualSocket, _name)))


_REAL = ("detach", "dup", "ioctl", "makefile", "recvmsg", "recvmsg_into", "sendall", "sendfile")
for _name in _REAL:
    setattr(_VirtualSocket, _name, refusing(f"calls socket.{_name}(), which is real"))


def replace_functions(module: Any, put: Put, replace: Replace) -> None:
    """Replace functions of the module `socket`."""
    find_addresses = module.getaddrinfo  # which asks nobody about an address in digits

    def get_addresses(process: Replica, host: Any, *port: Any, **more: Any) -> Any:
        return find_addresses(find_host(process, host), *port, **more)

    put(module, "gethostname", lambda process: host_name(process.id))
    put(module, "getfqdn", lambda process, name="": name or host_name(process.id))
    put(module, "getaddrinfo", get_addresses)
    put(module, "gethostbyname", find_host)
    replace(module, "socket", Socket)
