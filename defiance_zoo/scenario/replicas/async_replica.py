# SPDX-License-Identifier: GPL-2.0-only
"""A replica that is a program for asyncio."""

from __future__ import annotations

import asyncio
import hashlib
from typing import Any

from defiance_zoo.scenario.code_uses import locate
from defiance_zoo.scenario.replicas.replica import Disk, Replica, extend
from defiance_zoo.scenario.replicas.stage import misuse, warn_of_exception
from defiance_zoo.scenario.replicas.virtual_functions import address
from defiance_zoo.scenario.replicas.virtual_library import exchange, import_again, install

# Crashed processes, as the end of their coroutines would run `finally` and `except` blocks.
_ended: list[Replica] = []


class AsyncReplica(Replica):
    """One process that runs `main()` with asyncio. A subclass defines `main()` and `state()`.

    A crash stops the event loop at any `await`: memory is lost, and the disk remains. Each start
    imports the libraries of `patched()` again, so that each process has separate modules: import
    them in `main()`.

    Attributes:
        loop: The event loop.
        crash_on_errors: Whether exceptions that asyncio only logs, such as those of tasks and
            callbacks, are crashes, too. Otherwise, they cause a warning.
    """

    loop: Any
    crash_on_errors = False
    _main: Any = None
    _modules: dict[str, Any]
    _history: Any
    _loaded: AsyncReplica | None = None
    """The process whose libraries are loaded, the same for all processes."""

    def __init_subclass__(cls, **more: Any) -> None:
        """Make the world of the replicas virtual."""
        super().__init_subclass__(**more)
        install()

    async def main(self) -> None:
        """Run the program; its tasks continue when it returns."""
        raise NotImplementedError

    async def request(self, request: int) -> None:
        """Handle a request of a client, as a task; an exception is a crash."""

    def address(self, id: int) -> str:
        """Return the address of a replica; its name is "replica" and its number."""
        return address(id)

    def recover(self, disk: Disk) -> None:
        self.loop, self._history = asyncio.new_event_loop(), hashlib.blake2b(digest_size=16)
        before, AsyncReplica._loaded = AsyncReplica._loaded, self
        self._modules = import_again(before._modules if before else {})
        self._main = self._begin(self.main)
        self._advance("start")

    def tick(self, now: float) -> None:
        """Run timers that are due, and tasks that are ready."""
        self._advance(now)

    def submit(self, request: int) -> bool:
        """Start a task for a request of a client."""
        self.loop.requests.append(self._begin(self.request, request))
        self._advance(request)
        return True

    def message(self, sender: int, data: bytes) -> None:
        """Pass a message on to the sockets."""
        self._enter()
        self.loop.network.receive(sender, data)
        self._advance(sender, data)

    def forget(self) -> None:
        """Keep the memory of a crashed process out of reach."""
        _ended.append(self)

    def _begin(self, method: Any, *given: int) -> Any:
        """Return a task for a method."""
        code = method(*given)
        if not asyncio.iscoroutine(code):
            misuse(f"{locate(method)}{method.__name__}() returns {code!r}: write async def")
        return self.loop.create_task(code)

    def _enter(self) -> None:
        before, AsyncReplica._loaded = AsyncReplica._loaded, self
        if before is not self:
            exchange(before._modules if before else {}, self._modules)

    def _advance(self, *what: Any) -> None:
        self._history.update(repr((self.loop.time(), what)).encode())
        self._enter()
        self.loop.advance()
        if self._main.done():
            self._main.result()
        for each in [each for each in self.loop.requests if each.done()]:
            self.loop.requests.remove(each)
            if not each.cancelled():
                each.result()
        unseen = [each._exception for each in self.loop.ended if each._log_traceback]
        self.loop.ended.clear()  # asyncio logs exceptions of the tasks that nobody holds
        if self.crash_on_errors and self.loop.errors:
            raise self.loop.errors[0]
        for error in (*unseen, *self.loop.errors):
            warn_of_exception(error)
        self.loop.errors.clear()

    def _snapshot(self) -> Any:
        """Return the state; everything that a process has received determines its memory."""
        return extend(super()._snapshot(), self._history.hexdigest() if self._main else "")
