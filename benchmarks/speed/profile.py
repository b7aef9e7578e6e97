# SPDX-License-Identifier: GPL-2.0-only
"""The time of a step by library, by `perf`: shares of both processes.

    python -m benchmarks.speed.profile [--seconds S] [--out FOLDER]

Both processes share one core, over the local link, so their samples together are the whole time.
Needs Linux's `perf`, and the right to use it.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.measuring.processes import only_simulation
from benchmarks.measuring.programs import EXCHANGE
from benchmarks.measuring.result_files import RESULTS, save
from benchmarks.measuring.situations import ONE_CORE
from benchmarks.measuring.timing import Results
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv

LOCAL = ONE_CORE[1]
LEAST_SHARE = 0.01


def record(seconds: float, data: Path) -> float:
    """Step for a while under perf, and return the microseconds of a step."""
    with LOCAL.placed():
        env = GymnasiumEnv(EXCHANGE, duration=3600.0, **LOCAL.arguments)
        env.reset(seed=1)
        for _ in range(2000):
            env.step(3)
        pids = f"{Path('/proc/self').resolve().name},{only_simulation().pid}"
        perf = subprocess.Popen(["perf", "record", "-q", "-o", data, "-p", pids])
        began, steps = time.perf_counter(), 0
        while time.perf_counter() - began < seconds:
            env.step(3)
            steps += 1
        took = time.perf_counter() - began
        perf.terminate()
        perf.wait()
        env.close()
    return took / steps * 1e6


def shares(data: Path) -> Results:
    """Return the share of each process's libraries; what is below a percent is left out."""
    report = subprocess.run(
        ["perf", "report", "-i", data, "--stdio", "--sort=comm,dso", "-g", "none", "-t", ";"],
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ).stdout
    results: Results = {}
    for line in report.splitlines():
        if line.startswith("#") or line.count(";") != 2:
            continue
        share, process, library = (field.strip() for field in line.split(";"))
        side = "simulation" if process == "exchange" else "Python"
        if float(share.rstrip("%")) / 100 >= LEAST_SHARE:
            results[f"{side}, {library}"] = {"step_share": float(share.rstrip("%")) / 100}
    return results


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
        step_us = record(arguments.seconds, data)
        results = shares(data)
    for figures in results.values():
        figures["step_us"] = figures["step_share"] * step_us
    save("profile", "python -m benchmarks.speed.profile", results, arguments.out)


if __name__ == "__main__":
    main()
