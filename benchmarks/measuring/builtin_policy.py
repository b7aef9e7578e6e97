# SPDX-License-Identifier: GPL-2.0-only
"""Scenarios without Python, in which a built-in policy decides."""

from __future__ import annotations

import ctypes
import math
import os
import select
import signal
import subprocess
import time
from typing import Any, NamedTuple

from defiance_zoo.bridge.process.programs import allocator_variables, start_words
from defiance_zoo.bridge.simulation import describe
from defiance_zoo.bridge.simulation.seeding import rng_seed
from defiance_zoo.environments import EnvironmentSpec

Policy = tuple[str, ...]

STARTS = 3
"""Number of starts in a measurement of a program's start."""


class Seconds(NamedTuple):
    """The time of a decision.

    Attributes:
        wall: Seconds of wall time.
        cpu: CPU seconds of all participating processes.
        python: The part of these CPU seconds that this process takes.
    """

    wall: float
    cpu: float
    python: float = 0.0


_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None, use_errno=True)


def _die_with_parent() -> None:
    """Make the kernel kill this process when its parent ends, even if this process is stopped."""
    if _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL):
        raise OSError(ctypes.get_errno(), "prctl")


class BuiltInRun:
    """A program with a built-in policy, which runs only while this process waits for it.

    Attributes:
        pid: Process id.
    """

    def __init__(self, spec: EnvironmentSpec, arguments: dict[str, Any], policy: Policy) -> None:
        """Start the program, and stop it at once.

        Args:
            spec: Environment to simulate.
            arguments: All parameters.
            policy: Arguments that select the built-in policy.
        """
        given = {**spec.scenario.defaults, **arguments}
        program = spec.scenario.locate(given)
        # The episode of reset(seed=1).
        environment = {
            **os.environ,
            **allocator_variables(program),
            "NS_GLOBAL_VALUE": f"RngSeed={rng_seed(1)};RngRun=1",
        }
        self._process = subprocess.Popen(
            [*start_words(program), *describe(program).to_arguments(given), *policy],
            stdout=subprocess.DEVNULL,
            env=environment,
            preexec_fn=_die_with_parent,
        )
        self.pid = self._process.pid
        self._ended = os.pidfd_open(self.pid)
        self._send(signal.SIGSTOP)
        self._wall_s = 0.0

    def run_for(self, seconds: float = math.inf) -> bool:
        """Run for some time, or to the end; return whether the end was reached."""
        poller = select.poll()
        poller.register(self._ended, select.POLLIN)
        began = time.perf_counter()
        self._send(signal.SIGCONT)
        over = bool(poller.poll(None if seconds == math.inf else seconds * 1e3))
        if not over:
            self._send(signal.SIGSTOP)
        self._wall_s += time.perf_counter() - began
        return over

    def _send(self, number: signal.Signals) -> None:
        """Send a signal; `Popen.send_signal` would take the exit status away from `wait4`."""
        signal.pidfd_send_signal(self._ended, number)

    def finish(self) -> Seconds:
        """Run to the end, and return the time in which the program was not stopped."""
        self.run_for()
        _, status, used = os.wait4(self.pid, 0)
        self._process.returncode = os.waitstatus_to_exitcode(status)
        os.close(self._ended)
        if self._process.returncode:
            raise subprocess.CalledProcessError(self._process.returncode, self._process.args)
        return Seconds(self._wall_s, used.ru_utime + used.ru_stime)


class Floor:
    """Decisions of a built-in policy, without the time for starting and building."""

    def __init__(
        self,
        spec: EnvironmentSpec,
        parameters: dict[str, Any],
        *,
        decisions: int,
        step_s: float,
        policy: Policy = (),
    ) -> None:
        """Measure the start, start the program, and stop it.

        Args:
            spec: Environment to simulate, with the parameter `duration`.
            parameters: Other parameters.
            decisions: Number of decisions.
            step_s: Simulated seconds between two decisions.
            policy: Arguments that select the built-in policy.
        """
        self._decisions = decisions

        def start(duration_s: float) -> BuiltInRun:
            return BuiltInRun(spec, {**parameters, "duration": f"{duration_s}s"}, policy)

        # A delay at the start would exceed all decisions of a short episode.
        beginnings = [start(step_s).finish() for _ in range(STARTS)]
        self._start_wall_s = min(beginning.wall for beginning in beginnings)
        self._start_cpu_s = min(beginning.cpu for beginning in beginnings)
        self._run = start((decisions + 1) * step_s)

    def run_for(self, seconds: float) -> bool:
        """Run for some time, or to the end; return whether the end was reached."""
        return self._run.run_for(seconds)

    def finish(self) -> Seconds:
        """Run to the end, and return the seconds per decision."""
        whole = self._run.finish()
        return Seconds(
            (whole.wall - self._start_wall_s) / self._decisions,
            (whole.cpu - self._start_cpu_s) / self._decisions,
        )
