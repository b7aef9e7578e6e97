# SPDX-License-Identifier: GPL-2.0-only
"""The same scenarios without Python: their built-in policy decides."""

from __future__ import annotations

import os
import subprocess
import time
from typing import Any

from defiance_zoo.environments import EnvironmentSpec
from defiance_zoo.simulation import describe
from defiance_zoo.simulation.seeding import rng_seed


def seconds_per_decision(
    spec: EnvironmentSpec,
    parameters: dict[str, Any],
    *,
    decisions: int,
    step_s: float,
    policy: tuple[str, ...] = (),
) -> float:
    """Return wall seconds a decision, without what starting and building take.

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

    def run(duration_s: float) -> float:
        arguments = describe(program).to_arguments({**parameters, "duration": duration_s})
        began = time.perf_counter()
        subprocess.run(
            [program, *arguments, *policy],
            check=True,
            stdout=subprocess.DEVNULL,
            env=environment,
        )
        return time.perf_counter() - began

    return (run((decisions + 1) * step_s) - run(step_s)) / decisions
