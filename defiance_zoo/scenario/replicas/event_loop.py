# SPDX-License-Identifier: GPL-2.0-only
"""An event loop for asyncio on the clock and the network of a replica."""

from __future__ import annotations

import asyncio
import itertools
import selectors
from asyncio import events, selector_events
from collections.abc import Callable
from typing import Any

from defiance_zoo.scenario.replicas.replica import Replica, Running, refuse, refusing
from defiance_zoo.scenario.replicas.sockets import Network
from defiance_zoo.scenario.replicas.virtual_functions import uptime

_REFUSED = {
    **dict.fromkeys(("run_in_executor", "set_default_executor"), "runs a function in a thread"),
    **dict.fromkeys(("subprocess_shell", "subprocess_exec"), "starts a process"),
    **dict.fromkeys(("create_unix_connection", "create_unix_server"), "opens a socket for files"),
    **dict.fromkeys(("connect_read_pipe", "connect_write_pipe"), "uses a pipe"),
    "start_tls": "uses TLS",
}
"""Methods of event loops that a simulation cannot have, and what they do."""


_numbers = itertools.count(1)


class _Task(asyncio.Task[Any]):
    """A task whose hash does not depend on its address, so that sets have the same order."""

    _number = 0

    def __init__(self, code: Any, *, loop: Any, **more: Any) -> None:
        super().__init__(code, loop=loop, **more)
        self.add_done_callback(loop.ended.append)

    def __hash__(self) -> int:
        self._number = self._number or next(_numbers)
        return self._number


class _Selector(selectors.PollSelector):
    """The selector of a loop, for which no time passes while it advances."""

    def __init__(self, loop: _EventLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[Any]:
        return super().select(0 if self._loop.advances else timeout)


class _EventLoop(selector_events.BaseSelectorEventLoop):
    """The event loop of a process: its timers follow virtual time, its sockets are simulated.

    Attributes:
        process: The process.
        network: The sockets of the process.
        requests: Tasks of requests that have not ended.
        errors: Exceptions that asyncio only logs.
        ended: Tasks that have ended since they were looked at.
        advances: Whether it runs for a tick or a message.
    """

    advances = False

    def __init__(self, process: Replica) -> None:
        self.process, self.network = process, Network(process, self)
        self.requests, self.errors, self.ended = list[Any](), list[Exception](), list[Any]()
        super().__init__(_Selector(self))
        self._transports = dict[int, Any]()  # no collection of garbage closes a socket
        self.set_task_factory(lambda loop, code, **more: _Task(code, loop=loop, **more))

    def advance(self) -> None:
        """Run everything that is ready, or due by now."""
        loop: Any = self  # whose attributes are private, and the same since Python 3.4
        before = events._get_running_loop()
        events._set_running_loop(self)
        self.advances = True
        try:
            while not self.process.waits_for_disk and (
                loop._ready
                or (loop._scheduled and loop._scheduled[0]._when <= self.time())
                or loop._selector.select(0)
            ):
                loop._run_once()
                if loop._stopping:
                    raise RuntimeError("Event loop stopped before Future completed.")
        finally:
            self.advances = False
            events._set_running_loop(before)

    def is_running(self) -> bool:
        return self.advances or super().is_running()

    def time(self) -> float:
        return uptime(Running.process or self.process)

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        if isinstance(context.get("exception"), Exception):
            self.errors.append(context["exception"])
        super().call_exception_handler(context)

    def _make_self_pipe(self) -> None:
        """Do nothing: no other thread wakes the loop."""
        self._csock = None

    def _close_self_pipe(self) -> None:
        pass

    def add_signal_handler(self, sig: int, callback: Any, *args: Any) -> None:  # type: ignore[override]
        """Do nothing: replicas receive no signals."""

    def remove_signal_handler(self, sig: int) -> bool:
        return False

    async def getaddrinfo(self, host: Any, port: Any, **more: Any) -> Any:
        import socket

        return socket.getaddrinfo(host, port, **more)


for _name, _what in _REFUSED.items():
    setattr(_EventLoop, _name, refusing(f"{_what} (loop.{_name}())"))


def _without_tls(name: str) -> Callable[..., Any]:
    original = getattr(selector_events.BaseSelectorEventLoop, name)

    def open_plainly(loop: Any, *given: Any, ssl: Any = None, **more: Any) -> Any:
        if ssl:
            refuse(f"uses TLS (loop.{name}())")
        return original(loop, *given, **more)

    return open_plainly


for _name in ("create_connection", "create_server", "connect_accepted_socket"):
    setattr(_EventLoop, _name, _without_tls(_name))


def make_loop(original: Callable[[], Any]) -> Callable[[], Any]:
    """Return a function that makes the event loop of the running replica, or a real one."""
    return lambda: original() if Running.process is None else _EventLoop(Running.process)
