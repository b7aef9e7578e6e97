# SPDX-License-Identifier: GPL-2.0-only
"""Interruption of work by signals.

A signal ends work at once, wherever it is. Only work whose result would be lost or incomplete
delays the signal, in a block `held()`. So new work obeys signals without further code.
"""

from __future__ import annotations

import _thread
import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType
from typing import Any

from defiance_zoo.experiments.workbench.events import EventCallback

SIGNALS = (signal.SIGINT, signal.SIGTERM)

PATIENCE_S = 10.0
"""The time for which `held()` delays a signal, in seconds; clusters kill after 30 s or more."""


_SOON_S = 0.01
"""The time after which a lost signal is sent again, in seconds."""


_STOPPING = b"\nstopping after this rollout; Ctrl-C again ends without saving\n"


class Aborted(KeyboardInterrupt):
    """A signal has ended the work; what is saved stays, for the command that continues it."""

    def __init__(self, number: int, saved: str = "") -> None:
        super().__init__(f"{signal.Signals(number).name}{saved and f': {saved}'}")
        self.signal = number


@contextlib.contextmanager
def unmasked() -> Iterator[None]:
    """Raise an interruption again if an error of the following cleanup has replaced it."""
    try:
        yield
    except Exception as error:
        behind: BaseException | None = error
        while behind is not None:
            behind = behind.__cause__ or behind.__context__
            if isinstance(behind, KeyboardInterrupt):
                raise behind from None
        raise


class Interruption:
    """Lets SIGINT and SIGTERM raise `Aborted`, at once or at the end of a block `held()`.

    It has no effect outside the main thread, because other threads get no signals.

    Attributes:
        signal: The number of the first signal; None before a signal.
        repeated: Whether another signal has followed, or a block did not end in time.
    """

    def __init__(self) -> None:
        self.signal: int | None = None
        self.repeated = False
        self._held, self._patience_s = False, 0.0
        self._over: _thread.LockType | None = None
        self._before: dict[int, Any] = {}
        self._hook: Any = None

    def __enter__(self) -> Interruption:
        if threading.current_thread() is threading.main_thread():
            self._before = {each: signal.getsignal(each) for each in SIGNALS}
            self._hook, sys.unraisablehook = sys.unraisablehook, self._note_lost
        self.arm()
        return self

    def __exit__(self, *_error: object) -> None:
        if self._before:
            sys.unraisablehook = self._hook
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def arm(self) -> None:
        """Install the signal handlers again; a library such as Ray may have replaced them."""
        for number in self._before:
            signal.signal(number, self._handle)

    @contextlib.contextmanager
    def held(self, patience_s: float = PATIENCE_S) -> Iterator[None]:
        """Delay the first signal until the end of a block, which must not be left half-way.

        If the block lasts `patience_s` longer, the signal ends it, as a second signal does.
        """
        self._held, self._patience_s = True, patience_s
        try:
            yield
        finally:
            self._held = False
            if self._over is not None:
                self._over.release()
                self._over = None
        if self.signal is not None:
            raise Aborted(self.signal)

    def _note_lost(self, lost: Any) -> None:
        """Send a signal again whose exception Python has ignored, in a finalizer or a callback."""
        if not isinstance(lost.exc_value, Aborted):
            self._hook(lost)
            return
        self.signal, never = None, _thread.allocate_lock()
        never.acquire()
        main = threading.get_ident()
        _thread.start_new_thread(_limit, (never, _SOON_S, main, lost.exc_value.signal))

    def _handle(self, number: int, _frame: FrameType | None) -> None:
        self.repeated = self.signal is not None
        self.signal = self.signal or number
        if self.repeated or not self._held:
            raise Aborted(number)
        if number == signal.SIGINT and sys.stderr.isatty():
            os.write(sys.stderr.fileno(), _STOPPING)  # streams may be in use
        main, self._over = threading.get_ident(), _thread.allocate_lock()
        self._over.acquire()
        # `threading` would wait for a lock that the interrupted code may hold.
        _thread.start_new_thread(_limit, (self._over, self._patience_s, main, number))


def _limit(over: _thread.LockType, patience_s: float, thread: int, number: int) -> None:
    if not over.acquire(timeout=patience_s):
        signal.pthread_kill(thread, number)


@contextlib.contextmanager
def stopped_at_once(report: EventCallback, **known: Any) -> Iterator[Interruption]:
    """Run a block, and report the signal that ends it."""
    with Interruption() as interruption:
        try:
            with unmasked():
                yield interruption
        except Aborted as aborted:
            report({"event": "interrupted", "signal": aborted.signal, **known})
            raise
