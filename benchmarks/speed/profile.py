# SPDX-License-Identifier: GPL-2.0-only
"""The time of a step by library, and Python's share, in both processes, by `perf`.

    python -m benchmarks.speed.profile [--seconds S] [--out FOLDER]

Both processes share one core, over the local link, so their samples together are the whole time.
The bare exchange reports the shares of libraries. Environments that are written in Python report
the share of the interpreter and its modules, in the simulation and in the stepping process. The
program needs Linux's `perf`, and the right to use it.
"""

from __future__ import annotations

import argparse
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.measuring.processes import only_simulation
from benchmarks.measuring.programs import EXCHANGE
from benchmarks.measuring.result_files import RESULTS, save
from benchmarks.measuring.situations import ONE_CORE
from benchmarks.measuring.timing import Results
from benchmarks.speed.resets import cold_times
from defiance_zoo.environments import EnvironmentSpec, lookup
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv

LOCAL = ONE_CORE[1]
LEAST_SHARE = 0.01
PYTHON = "python|cpython|abi3"
"""Pattern of the files of the interpreter and its modules."""
WRITTEN_IN_PYTHON = {
    "video_streaming_v0": {"chunks": 1000},
    "cell_sleep_v0": {"duration": "1h"},
    "multi_access_v0": {"duration": "1h"},
}
"""Environments of the zoo, with parameters of long episodes."""


def record(
    spec: EnvironmentSpec, arguments: dict[str, Any], warmup: int, seconds: float, data: Path
) -> float:
    """Step under perf, for a while or until the episode ends; return microseconds per step."""
    with LOCAL.placed():
        env = GymnasiumEnv(spec, **arguments, **LOCAL.arguments)
        env.action_space.seed(1)
        env.reset(seed=1)
        action = env.action_space.sample()
        for _ in range(warmup):
            env.step(action)
        pids = f"{Path('/proc/self').resolve().name},{only_simulation().pid}"
        perf = subprocess.Popen(["perf", "record", "-q", "-o", data, "-p", pids])
        began, steps = time.perf_counter(), 0
        ended = False
        while not ended and time.perf_counter() - began < seconds:
            *_, terminated, truncated, _ = env.step(action)
            ended = terminated or truncated
            steps += 1
        took = time.perf_counter() - began
        perf.terminate()
        perf.wait()
        env.close()
    return took / steps * 1e6


def find_shares(data: Path) -> Iterator[tuple[str, str, float]]:
    """Yield a process's command, a file of its code, and that file's share of samples."""
    report = subprocess.run(
        ["perf", "report", "-i", data, "--stdio", "--sort=comm,dso", "-g", "none", "-t", ";"],
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ).stdout
    for line in report.splitlines():
        if not line.startswith("#") and line.count(";") == 2:
            share, process, library = (field.strip() for field in line.split(";"))
            yield process, library, float(share.rstrip("%")) / 100


def profile_exchange(seconds: float, data: Path) -> Results:
    """Return the share of each process's libraries, except for shares below a percent."""
    step_us = record(EXCHANGE, {"duration": "3600s"}, 2000, seconds, data)
    return {
        f"{'simulation' if process == 'exchange' else 'Python'}, {library}": {
            "step_share": share,
            "step_us": share * step_us,
        }
        for process, library, share in find_shares(data)
        if share >= LEAST_SHARE
    }


def profile_zoo(name: str, seconds: float, data: Path) -> Results:
    """Return Python's share in an environment's steps and first reset."""
    spec = lookup(name)
    step_us = record(spec, WRITTEN_IN_PYTHON[name], 10, seconds, data)
    shares = [each for _, library, each in find_shares(data) if re.search(PYTHON, library)]
    first = statistics.median(cold_times(spec, 5, {"link": "local"}))
    return {name: {"step_us": step_us, "interpreter_share": sum(shares), "first_ms": 1e3 * first}}


def main() -> None:
    """Profile, print, save."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--out", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    if shutil.which("perf") is None:
        sys.exit("there is no perf; Debian has it in linux-perf")
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "perf.data"
        results = profile_exchange(arguments.seconds, data)
        for name in WRITTEN_IN_PYTHON:
            results |= profile_zoo(name, 4 * arguments.seconds, data)
    save("profile", "python -m benchmarks.speed.profile", results, arguments.out)


if __name__ == "__main__":
    main()
