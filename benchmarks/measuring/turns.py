# SPDX-License-Identifier: GPL-2.0-only
"""Runs that alternate, so that other load on the machine slows all of them equally."""

from __future__ import annotations

import contextlib
import itertools
import math
import multiprocessing
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, Protocol

from benchmarks.measuring.builtin_policy import Seconds
from benchmarks.measuring.processes import cpu_s, only_simulation
from benchmarks.measuring.situations import on_cores
from defiance_zoo.environments import EnvironmentSpec
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv

TURN_S = 0.2
MARGIN = 20
"""Additional steps of episodes: users of LTE need 16 steps of 0.1 s before their first decision."""


class Run(Protocol):
    """A measured sequence of decisions, in parts."""

    def run_for(self, seconds: float) -> bool:
        """Decide for some time, or to the end; return whether the end was reached."""

    def finish(self) -> Seconds:
        """Decide to the end, and return the seconds per decision."""


@dataclass(frozen=True)
class Episode:
    """The steps of a measured episode.

    Attributes:
        spec: The environment.
        arguments: Arguments of the environment.
        step_s: Simulated seconds between two decisions.
        decisions: Number of measured decisions.
        actions: Actions, used in turns; other actions would cause other traffic and costs.
    """

    spec: EnvironmentSpec
    arguments: dict[str, Any]
    step_s: float
    decisions: int
    actions: tuple[int, ...]


class Attached:
    """A `Run` of Python in one episode, which begins at the first decision.

    Attributes:
        times: Durations of its steps in seconds.
    """

    def __init__(self, episode: Episode) -> None:
        """Begin the episode."""
        duration = (episode.decisions + MARGIN) * episode.step_s
        self._decisions, self._actions = episode.decisions, itertools.cycle(episode.actions)
        self._env = GymnasiumEnv(episode.spec, **episode.arguments, duration=f"{duration}s")
        self._env.reset(seed=1)
        self._simulation = only_simulation()
        self.times: list[float] = []
        self._python_s = 0.0
        self._begun_s = cpu_s(self._simulation)

    def run_for(self, seconds: float) -> bool:
        """See `Run`."""
        python, now = time.process_time(), time.perf_counter()
        end = now + seconds
        while len(self.times) < self._decisions and now < end:
            self._step()
            before, now = now, time.perf_counter()
            self.times.append(now - before)
        self._python_s += time.process_time() - python
        return len(self.times) == self._decisions

    def _step(self) -> None:
        self._env.step(next(self._actions))

    def finish(self) -> Seconds:
        """See `Run`."""
        self.run_for(math.inf)
        simulated_s = cpu_s(self._simulation) - self._begun_s
        self._env.close()
        whole = sum(self.times), self._python_s + simulated_s, self._python_s
        return Seconds(*(each / self._decisions for each in whole))


class Elsewhere:
    """A `Run` in a separate process, which stays on one core with its children."""

    def __init__(self, start: Callable[[], Run], core: int) -> None:
        """Start a process; `start` must be picklable."""
        context = multiprocessing.get_context("spawn")
        self._turns, theirs = context.Pipe()
        self._process = context.Process(target=_play, args=(start, core, theirs), daemon=True)
        self._process.start()
        theirs.close()  # the pipe has to end with the process
        self._turns.recv()

    def run_for(self, seconds: float) -> bool:
        """See `Run`."""
        self._turns.send(seconds)
        over: bool = self._turns.recv()
        return over

    def finish(self) -> Seconds:
        """See `Run`."""
        self._turns.send(None)
        seconds: Seconds = self._turns.recv()
        self._process.join()
        return seconds


def _play(start: Callable[[], Run], core: int, turns: Connection) -> None:
    """Run a part for each message, and end after the message None."""
    with on_cores({core}), contextlib.suppress(EOFError):
        run = start()
        turns.send(None)
        while (seconds := turns.recv()) is not None:
            turns.send(run.run_for(seconds))
        turns.send(run.finish())


def in_turns(runs: Sequence[Run]) -> list[Seconds]:
    """Return the seconds per decision of each run."""
    over = False
    while not over:
        for run in runs:
            over |= run.run_for(TURN_S)
    return [run.finish() for run in runs]


def speed_up(start: Callable[[int], Run], cores: Sequence[int]) -> float:
    """Return the speedup of parallel runs over one run.

    Args:
        start: Starts a run on a core.
        cores: Cores, one for each run.
    """
    alone, together = start(cores[0]), [start(core) for core in cores]
    with ThreadPoolExecutor(len(cores)) as threads:

        def all_at_once() -> bool:
            return all(list(threads.map(lambda run: run.run_for(TURN_S), together)))

        while not (alone.run_for(TURN_S) & all_at_once()):
            pass
    one = alone.finish().wall
    return one * sum(1 / run.finish().wall for run in together)
