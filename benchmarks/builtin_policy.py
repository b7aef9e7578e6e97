# SPDX-License-Identifier: GPL-2.0-only
"""The same scenarios without Python: their built-in policy decides."""

from __future__ import annotations

import os
import resource
import subprocess
import time
from typing import Any, NamedTuple

from defiance_zoo.environments import EnvironmentSpec
from defiance_zoo.simulation import describe
from defiance_zoo.simulation.seeding import rng_seed

STARTS = 3
"""How often a program is started to see how long that takes."""


class Seconds(NamedTuple):
    """What a decision takes.

    Attributes:
        wall: Seconds by the clock on the wall.
        cpu: Seconds of CPU time of all processes that take part.
        python: Of these, those of this process.
    """

    wall: float
    cpu: float
    python: float = 0.0


def seconds_per_decision(
    spec: EnvironmentSpec,
    parameters: dict[str, Any],
    *,
    decisions: int,
    step_s: float,
    policy: tuple[str, ...] = (),
) -> Seconds:
    """Return the seconds of a decision, without what starting and building take.

    Args:
        spec: What to simulate; it has the parameter `duration`.
        parameters: The others.
        decisions: How many.
        step_s: Simulated seconds from one to the next.
        policy: Arguments that choose the built-in policy.
    """
    program = spec.scenario.locate(parameters)
    # The episode that reset(seed=1) gives.
    environment = {**os.environ, "NS_GLOBAL_VALUE": f"RngSeed={rng_seed(1)};RngRun=1"}

    def run(duration_s: float) -> Seconds:
        arguments = describe(program).to_arguments({**parameters, "duration": duration_s})
        began = time.perf_counter(), _children_cpu_s()
        subprocess.run(
            [program, *arguments, *policy],
            check=True,
            stdout=subprocess.DEVNULL,
            env=environment,
        )
        return Seconds(time.perf_counter() - began[0], _children_cpu_s() - began[1])

    # A start that something else held up would be longer than all decisions of a short episode.
    beginnings = [run(step_s) for _ in range(STARTS)]
    whole = run((decisions + 1) * step_s)
    wall = whole.wall - min(beginning.wall for beginning in beginnings)
    cpu = whole.cpu - min(beginning.cpu for beginning in beginnings)
    return Seconds(wall / decisions, cpu / decisions)


def _children_cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
