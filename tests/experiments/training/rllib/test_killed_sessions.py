# SPDX-License-Identifier: GPL-2.0-only
"""A process that is killed leaves no process of the Ray that it has started."""

from __future__ import annotations

import subprocess
import sys

import psutil
import pytest
from programs import Program

SESSION = """
import signal
from defiance_zoo.experiments.training.rllib.algorithms import ray_session
with ray_session(None, 1):
    print(flush=True)
    signal.pause()
"""
AGENTS = {"ray::DashboardAgent", "ray::RuntimeEnvAgent"}


@pytest.mark.thorough
def test_rays_processes_end_with_the_process_that_started_ray() -> None:
    """Its agents would wait a minute for a server that has ended."""
    with Program([sys.executable, "-c", SESSION], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        children: list[psutil.Process] = []
        while not {each.name() for each in children} >= AGENTS:
            children = psutil.Process(process.pid).children(recursive=True)
        process.kill()
    assert psutil.wait_procs(children, timeout=20)[1] == []
