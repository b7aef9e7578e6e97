# SPDX-License-Identifier: GPL-2.0-only
"""The machine of a replica: a clock that drifts and jumps, and a disk that takes time."""

from __future__ import annotations

import copy
import functools
import random
from typing import Any

from defiance_zoo.scenario.native import core
from defiance_zoo.scenario.replicas.killing import copy_disk, restore_disk, takes_effect
from defiance_zoo.scenario.replicas.stage import now

DRIFT: dict[str, tuple[Any, dict[str, Any]]] = {
    "clock_drift": (
        0.0,
        {"range": (0.0, 0.5), "help": "Maximum deviation of the rates of clocks, as a fraction."},
    ),
}
"""The parameter of clocks for every protocol: its default value, and bounds with a text."""

JUMPS: dict[str, tuple[Any, dict[str, Any]]] = {
    "clock_jump": (
        core.Time(0),
        {
            "range": (core.Time(0), core.Time("86400s")),
            "help": "Maximum error of time.time() after a jump.",
        },
    ),
}
"""The parameter of clocks for code that was patched."""

_JUMPS_PER_TICK = 0.02


class Clock:
    """The clock of a machine, which runs on while its replica has crashed.

    Attributes:
        rate: Seconds of the clock in a second.
        error: Error of the wall clock, in seconds.
    """

    def __init__(self, draws: random.Random, drift: float, jump: float) -> None:
        self.rate = 1 + drift * (2 * draws.random() - 1)
        self.error = 0.0
        self._draws, self._jump, self._phase = draws, jump, 0.0

    def pass_tick(self) -> int:
        """Let one tick of the environment pass, and return the ticks of this clock."""
        if self._jump and self._draws.random() < _JUMPS_PER_TICK:
            self.error = self._jump * (2 * self._draws.random() - 1)
        self._phase += self.rate
        ticks = int(self._phase)
        self._phase -= ticks
        return ticks

    def digest(self) -> tuple[Any, ...]:
        """Return the state that determines the future."""
        return (self.error, self._phase, getattr(self._draws, "count", 0))


class SlowDisk:
    """Lets a process wait for its disk: stands between a process and its replica.

    Code cannot stop half-way, so a call runs to its end at once, on a clock that is ahead. Until
    the disk has finished, messages, events and answers of the process wait, others see its former
    state, messages to the process wait, and the process gets neither ticks nor requests.
    """

    def __init__(self, process: Any) -> None:
        """Stand between a process and its replica."""
        self._process, self._port = process, process._port
        self._waits: list[tuple[float, Any]] = []  # ends of waits, and the disk at their beginning
        self._effects: list[tuple[float, str, tuple[Any, ...]]] = []
        self._messages: list[tuple[Any, ...]] = []
        self._former: Any = None
        self._receive = process.message
        vars(process)["_port"] = self
        for name in ("recover", "tick", "submit", "message"):
            vars(process)[name] = functools.partial(self._call, name, getattr(process, name))

    @property
    def is_busy(self) -> bool:
        """Whether the process waits; it continues at the first call after the wait."""
        return bool(self._waits)

    def wait(self, seconds: float) -> None:
        """Let the process wait for its disk, which finishes nothing before the end of the wait."""
        begin = self._waits[-1][0] if self.is_busy else now()
        self._waits.append((begin + seconds, copy_disk(self._process.disk)))

    def show(self, state: Any) -> Any:
        """Return the state that others see."""
        return self._former if self.is_busy else state

    def digest(self) -> tuple[Any, ...]:
        """Return the state that determines the future."""
        left = [end - now() for end, _ in self._waits if end > now()]
        return (left, [each[1:] for each in self._effects], self._messages)

    def crash(self) -> None:
        """Undo changes of the disk after a wait that has not ended."""
        unfinished = [image for end, image in self._waits if end > now()]
        if unfinished:
            restore_disk(self._process.disk, unfinished[0])

    def __getattr__(self, name: str) -> Any:
        """Return `send`, `note` or `answer`, which act when the disk has finished."""
        return functools.partial(self._act, name)

    def _act(self, name: str, *arguments: Any) -> None:
        if self.is_busy:
            self._effects.append((self._waits[-1][0], name, arguments))
        else:
            getattr(self._port, name)(*arguments)

    def _call(self, name: str, method: Any, *arguments: Any) -> Any:
        if self._waits and self._waits[-1][0] <= now():
            self._waits.clear()
        while self._effects and self._effects[0][0] <= now():
            _, effect, given = self._effects.pop(0)
            if takes_effect():
                getattr(self._port, effect)(*given)
        if name == "message":
            self._messages.append(arguments)
        while self._messages and not self.is_busy:
            self._run(self._receive, *self._messages.pop(0))
        if name == "message" or (name != "recover" and self.is_busy):
            return False
        return self._run(method, *arguments)

    def _run(self, method: Any, *arguments: Any) -> Any:
        self._former = copy.deepcopy(self._process.state())
        return method(*arguments)
