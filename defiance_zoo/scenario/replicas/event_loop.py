# SPDX-License-Identifier: GPL-2.0-only
"""An event loop for asyncio on the clock and the network of a replica."""

from __future__ import annotations

import asyncio
import itertools
from asyncio import base_events, events
from collections.abc import Callable
from typing import Any

from defiance_zoo.scenario.replicas.replica import Replica, Running, refuse
from defiance_zoo.scenario.replicas.sockets import Network
from defiance_zoo.scenario.replicas.virtual_functions import find_host, uptime, wait

_REFUSED = {
    **dict.fromkeys(("run_in_executor", "set_default_executor"), "runs a function in a thread"),
    **dict.fromkeys(("subprocess_shell", "subprocess_exec"), "starts a process"),
    **dict.fromkeys(("create_unix_connection", "create_unix_server"), "opens a socket for files"),
    **dict.fromkeys(("add_reader", "add_writer", "sock_recv", "sock_recv_into"), "uses a socket"),
    **dict.fromkeys(("sock_sendall", "sock_connect", "sock_accept", "sendfile"), "uses a socket"),
    **dict.fromkeys(("connect_read_pipe", "connect_write_pipe"), "uses a pipe"),
    **dict.fromkeys(("start_tls", "connect_accepted_socket"), "uses TLS or an accepted socket"),
}
"""Methods of event loops that a simulation cannot have, and what they do."""


_numbers = itertools.count(1)


class _Task(asyncio.Task[Any]):
    """A task whose hash does not depend on its address, so that sets have the same order."""

    _number = 0

    def __hash__(self) -> int:
        self._number = self._number or next(_numbers)
        return self._number


class _EventLoop(base_events.BaseEventLoop):
    """The event loop of a process: its timers follow virtual time, its sockets are simulated."""

    _advances = False

    def __init__(self, process: Replica) -> None:
        super().__init__()
        self.process, self.network = process, Network(process, self)
        self.requests: set[Any] = set()  # tasks, which a loop itself holds only weakly
        self.errors: list[Exception] = []  # which asyncio only logs
        self._selector = self  # whose select() waits for timers, but for no sockets
        self.set_task_factory(lambda loop, code, **more: _Task(code, loop=loop, **more))

    def advance(self) -> None:
        """Run everything that is ready, or due by now."""
        loop: Any = self  # whose attributes are private, and the same since Python 3.4
        before = events._get_running_loop()
        events._set_running_loop(self)
        self._advances = True
        try:
            while not self.process.waits_for_disk and (
                loop._ready or (loop._scheduled and loop._scheduled[0]._when <= self.time())
            ):
                loop._run_once()
        finally:
            self._advances = False
            events._set_running_loop(before)

    def is_running(self) -> bool:
        return self._advances or super().is_running()

    def select(self, timeout: float | None) -> list[Any]:
        """Advance the clock of the replica in `asyncio.run()`; `advance()` waits for nothing."""
        if timeout != 0 and not self._advances and Running.process is not None:
            wait(Running.process, timeout)
        return []

    def time(self) -> float:
        return uptime(Running.process or self.process)

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        if isinstance(context.get("exception"), Exception):
            self.errors.append(context["exception"])
        super().call_exception_handler(context)

    def _process_events(self, _events: Any) -> None:
        pass

    def _write_to_self(self) -> None:
        pass

    def add_signal_handler(self, sig: int, callback: Any, *args: Any) -> None:  # type: ignore[override]
        """Do nothing: replicas receive no signals."""

    def remove_signal_handler(self, sig: int) -> bool:
        return False

    async def getaddrinfo(self, host: Any, port: Any, **more: Any) -> Any:
        import socket

        return socket.getaddrinfo(host, port, **more)

    async def create_datagram_endpoint(  # type: ignore[override]
        self, factory: Callable[[], Any], local_addr: Any = None, remote_addr: Any = None, **_: Any
    ) -> Any:
        return self.network.open_datagrams(factory, local_addr, remote_addr)

    async def create_server(  # type: ignore[override]
        self, factory: Callable[[], Any], host: Any = None, port: Any = None, **more: Any
    ) -> Any:
        _require_plain(more)
        return self.network.listen(factory, host, port, serves=more.get("start_serving", True))

    async def create_connection(  # type: ignore[override]
        self, factory: Callable[[], Any], host: Any = None, port: Any = None, **more: Any
    ) -> Any:
        _require_plain(more)
        local = more.get("local_addr")
        from_port = int(local[1]) if local else 0
        to = find_host(self.process, host)
        connection = self.network.connect(factory, to, int(port), from_port)
        try:
            await connection.opened
        except asyncio.CancelledError:
            connection.abort()
            raise
        return connection, connection.get_protocol()


def _refusing(name: str) -> Callable[..., Any]:
    return lambda _loop, *_given, **_more: refuse(f"{_REFUSED[name]} (loop.{name}())")


for _name in _REFUSED:
    setattr(_EventLoop, _name, _refusing(_name))


def _require_plain(options: dict[str, Any]) -> None:
    for name in ("ssl", "sock"):
        if options.get(name):
            refuse(f"opens a connection with {name}=, which a simulation does not have")


def make_loop(original: Callable[[], Any]) -> Callable[[], Any]:
    """Return a function that makes the event loop of the running replica, or a real one."""
    return lambda: original() if Running.process is None else _EventLoop(Running.process)
