# SPDX-License-Identifier: GPL-2.0-only
"""Interruption of work by signals."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType, TracebackType
from typing import Any

from defiance_zoo.experiments.workbench.events import EventCallback

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Aborted(KeyboardInterrupt):
    """A signal has ended the work; the command or function that continues it keeps what is saved.

    Attributes:
        signal: The number of the signal.
    """

    def __init__(self, number: int, saved: str = "") -> None:
        """Name the signal.

        Args:
            number: Number of the signal.
            saved: How to continue.
        """
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
    """Stores the first SIGINT or SIGTERM; the second one raises `Aborted`.

    It has no effect outside the main thread, because other threads get no signals.

    Attributes:
        signal: The number of the signal; None before a signal.
    """

    def __init__(self) -> None:
        self.signal: int | None = None
        self._at_once = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Interruption:
        """Install the signal handlers."""
        if threading.current_thread() is threading.main_thread():
            self._before = {each: signal.getsignal(each) for each in SIGNALS}
        self.arm()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Restore the previous signal handlers."""
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def arm(self) -> None:
        """Install the signal handlers again; a library such as Ray may have replaced them."""
        for number in self._before:
            signal.signal(number, self._handle)

    def stop_at_once(self) -> None:
        """Let the first signal raise `Aborted` as well, from now on."""
        self._at_once = True

    @contextlib.contextmanager
    def at_once(self) -> Iterator[None]:
        """Let the first signal end work that keeps its finished parts.

        The signal's number is then in `signal`. No signal may have arrived before.
        """
        before = self._at_once
        self._at_once = True
        try:
            with unmasked():
                yield
        except Aborted as aborted:
            self.signal = aborted.signal
        finally:
            self._at_once = before

    def _handle(self, number: int, _frame: FrameType | None) -> None:
        if self._at_once or self.signal is not None:
            raise Aborted(number)
        self.signal = number


@contextlib.contextmanager
def stopped_at_once(report: EventCallback, **known: Any) -> Iterator[Interruption]:
    """Run a block that a signal ends at once, with a report.

    Args:
        report: Called with the event `interrupted`.
        known: Further facts of the event.

    Raises:
        Aborted: SIGINT or SIGTERM arrived.
    """
    with Interruption() as interruption:
        interruption.stop_at_once()
        try:
            with unmasked():
                yield interruption
        except Aborted as aborted:
            report({"event": "interrupted", "signal": aborted.signal, **known})
            raise
