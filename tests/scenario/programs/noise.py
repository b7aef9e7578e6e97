# SPDX-License-Identifier: GPL-2.0-only
"""Observes random numbers, hashes and thread counts of Python."""

import random
from pathlib import Path

import helping
import numpy as np

import defiance_zoo.scenario as sc

sim = sc.Simulation("noise", duration="1s")
sim.parameter("numbers", True, help="Whether random numbers are observed; if not, the process.")


@sim.episode
def build(p):
    (node,) = sc.nodes(1)
    agent = sc.Agent(
        node, sc.Box(-1e18, 1e18, (5,), "float64"), sc.Discrete(2), StepInterval="0.1s"
    )
    draw = sc.random_variable(Min=0, Max=1)
    names = list({"alpha", "beta", "gamma", "delta", "epsilon"})

    @agent.observe
    def look():
        if not p.numbers:
            threads = sum(1 for _ in Path("/proc/self/task").iterdir())
            order = int("".join(str(len(name)) for name in names))
            return [threads, order, hash("episode") % 2**40, helping.ANSWER, 0]
        return [random.random(), np.random.random(), draw(), random.random(), np.random.random()]
