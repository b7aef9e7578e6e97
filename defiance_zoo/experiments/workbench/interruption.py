# SPDX-License-Identifier: GPL-2.0-only
"""Signals that ask a run to stop."""

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
    """A signal came that nothing waits for: a second one, or after the training.

    Attributes:
        signal: The number of the signal.
    """

    def __init__(self, number: int) -> None:
        super().__init__()
        self.signal = number


class Interruption:
    """Remembers the first SIGINT or SIGTERM; the second one raises `Aborted`.

    In threads other than the main one, which get no signals, it does nothing.

    Attributes:
        signal: The number of the signal that came; None as long as none has.
    """

    def __init__(self) -> None:
        self.signal: int | None = None
        self._at_once = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Interruption:
        """Take over the signals."""
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
        """Give them back."""
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def arm(self) -> None:
        """Take over the signals again; a library may have done so meanwhile, as Ray does."""
        for number in self._before:
            signal.signal(number, self._handle)

    def stop_at_once(self) -> None:
        """From now on, let the first signal raise `Aborted`, too."""
        self._at_once = True

    @contextlib.contextmanager
    def at_once(self) -> Iterator[None]:
        """Let the first signal end some work that keeps what it has finished.

        The signal's number is then in `signal`. No signal may have come before.
        """
        before = self._at_once
        self._at_once = True
        try:
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
    """Do something that a signal ends at once, which is reported.

    Args:
        report: Called with the events `interrupted`.
        known: Further facts of its report.

    Raises:
        Aborted: SIGINT or SIGTERM came.
    """
    with Interruption() as interruption:
        interruption.stop_at_once()
        try:
            yield interruption
        except Aborted as aborted:
            report({"event": "interrupted", "signal": aborted.signal, **known})
            raise
