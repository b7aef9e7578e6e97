# SPDX-License-Identifier: GPL-2.0-only
"""CPU time and memory of simulations by allocator.

A built-in policy plays the same episode with each allocator, in turns. Memory is the proportional
set size, after some decisions, of simulations that one process forked.
"""

from __future__ import annotations

import multiprocessing
import os
import subprocess
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np

from benchmarks.measuring.processes import fork_servers, simulations
from benchmarks.measuring.timing import Effort, Figures, Results
from benchmarks.measuring.workloads import WORKLOADS, Workload
from defiance_zoo.bridge.process.programs import ALLOCATORS, VARIABLE, allocator_variables
from defiance_zoo.environments import lookup

FORKED: dict[str, dict[str, Any]] = {
    "cart_pole_v0": {},
    "handover_v0": {"users": 1},
    "wifi_contention_v0": {"stations": 15},
}
"""Parameters of the environments whose memory is measured."""
STEPS = 20


def cpu_s(workload: Workload, allocator: str, part: float) -> float:
    """Play an episode, and return its seconds of CPU time in user mode."""
    program = workload.locate()
    command = [str(program), *workload.arguments(part)]
    environment = {**os.environ, **allocator_variables(program, allocator)}
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return usage.ru_utime


def in_turns(workload: Workload, effort: Effort) -> Figures:
    """Return the median time with the system's allocator, and other allocators' ratios to it."""
    part = 0.02 if effort.quick else 1.0
    times = [[cpu_s(workload, each, part) for each in ALLOCATORS] for _ in range(effort.of(3, 1))]
    jemalloc, glibc, system = np.array(times).T
    return {
        "system_cpu_s": float(np.median(system)),
        "jemalloc_ratio": float(np.median(jemalloc / system)),
        "glibc_ratio": float(np.median(glibc / system)),
    }


def memory_mb(environment: str, number: int, allocator: str) -> float:
    """Return megabytes of simulations and their fork server."""
    os.environ[VARIABLE] = allocator
    envs = lookup(environment).vector_env(number, **FORKED[environment])
    envs.reset(seed=1)
    for _ in range(STEPS):
        envs.step(envs.action_space.sample())
    processes = [*simulations(), *fork_servers()]
    total = sum(process.memory_full_info().pss for process in processes)
    envs.close()
    return total / 1e6


def of_many(environment: str, number: int) -> Figures:
    """Return the memory of simulations with the system's allocator and with jemalloc."""
    context = multiprocessing.get_context("spawn")
    found: Figures = {}
    for allocator in ("system", "jemalloc"):
        with ProcessPoolExecutor(1, mp_context=context) as alone:
            found[f"{allocator}_mb"] = alone.submit(
                memory_mb, environment, number, allocator
            ).result()
    return {**found, "memory_ratio": found["jemalloc_mb"] / found["system_mb"]}


def measure(effort: Effort) -> Results:
    """Measure the time of each workload, and the memory of some environments."""
    results = {name: in_turns(workload, effort) for name, workload in WORKLOADS.items()}
    number = effort.of(64, 2)
    for environment in FORKED:
        results[f"{number} simulations of {environment}"] = of_many(environment, number)
    return results
