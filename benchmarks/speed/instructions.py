# SPDX-License-Identifier: GPL-2.0-only
"""Each environment's instructions by purpose, measured by `valgrind --tool=callgrind`.

    python -m benchmarks.speed.instructions [--only NAME] [--quick] [--out FOLDER]

The command counts the instructions of `Simulator::Run()` with built-in policies. Counts are nearly
equal in each run, independent of other load. The command takes five minutes. It needs valgrind and
a build with line numbers (CMAKE_ARGS=-DCMAKE_BUILD_TYPE=RelWithDebInfo).
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from benchmarks.measuring.result_files import RESULTS, save
from benchmarks.measuring.timing import Figures, Results
from benchmarks.measuring.workloads import WORKLOADS, Workload
from benchmarks.speed.callgrind import Function, Profile, attribute, read_profile
from defiance_zoo.bridge.process.programs import allocator_variables

PART, QUICK = 0.1, 0.02
"""The part of a workload's episode that is counted."""
COUNTED = "ns3::Simulator::Run()"
NOT_OURS, INCLUDED = ("/usr/include/", "???"), "/ns3/include/"
"""Folders of other projects' sources with templates and inline functions."""
ENVIRONMENT, LIBRARY, REST = "the environment", "this library", "ns-3: others"
MEMORY, GENERAL = "memory", "C and C++ libraries"
MODULES = {
    "ns-3: events and objects": ("core",),
    "ns-3: packets and queues": ("network", "traffic-control", "point-to-point", "csma"),
    "ns-3: TCP/IP": ("internet", "applications"),
    "ns-3: Wi-Fi": ("wifi",),
    "ns-3: LTE": ("lte",),
    "ns-3: radio channels": ("spectrum", "propagation", "antenna", "mobility", "buildings"),
}
"""Modules of ns-3 by row."""
ROWS = (ENVIRONMENT, LIBRARY, *MODULES, REST, MEMORY, GENERAL)
ALLOCATES = ("malloc", "free", "realloc", "operator new", "operator delete")
"""Name prefixes of C and C++ library functions that handle memory."""


def count(workload: Workload, part: float, folder: Path) -> Profile:
    """Run a workload under callgrind, and return the counts."""
    out = folder / "callgrind.out"
    program = workload.locate()
    command = [
        "valgrind",
        "--tool=callgrind",
        f"--callgrind-out-file={out}",
        "--collect-atstart=no",
        f"--toggle-collect={COUNTED}",
        str(program),
        *workload.arguments(part),
    ]
    environment = {**os.environ, **allocator_variables(program)}
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment)
    if done.returncode:
        sys.exit(done.stderr[-2000:])
    return read_profile(out.read_text().splitlines())


def row_of(function: Function) -> str:
    """Return the row of a function of another project."""
    name = Path(function.object).name
    if name.startswith("libns3"):
        module = name.split("-", 1)[-1].removesuffix(".so")
        return next((row for row, modules in MODULES.items() if module in modules), REST)
    if name.startswith("libjemalloc") or function.name.startswith(ALLOCATES):
        return MEMORY
    return GENERAL


def shares(profile: Profile, program: Path) -> Figures:
    """Return the percentage of all instructions by purpose.

    Instructions of the C and C++ libraries, including memory, belong to this project where this
    project is the caller. The same holds for templates and inline functions of C++ and ns-3,
    wherever they have been compiled. Functions of ns-3 that this project calls belong to ns-3.
    """

    def owner_of(function: Function) -> str | None:
        path, file = Path(function.object), profile.files.get(function, "")
        if path.name.startswith("libns3"):
            return REST
        if program.parents[1] not in path.parents or file.startswith(NOT_OURS) or INCLUDED in file:
            return None
        return None if row_of(function) == MEMORY else ENVIRONMENT if path == program else LIBRARY

    owners = {function: owner_of(function) for function in profile.functions()}
    accounts = {
        row: attribute(
            profile,
            {function: float(owner == row) for function, owner in owners.items() if owner},
        )
        for row in (ENVIRONMENT, LIBRARY)
    }
    total = sum(profile.itself.values())
    percent: defaultdict[str, float] = defaultdict(float)
    for function, number in profile.itself.items():
        rest = 1.0
        for row, account in accounts.items():
            percent[row] += 100 * number * account[function] / total
            rest -= account[function]
        percent[row_of(function)] += 100 * number * rest / total
    return {row: round(percent[row], 2) for row in ROWS}


def measure(only: str | None, *, quick: bool) -> Results:
    """Count each workload, or one."""
    results: Results = {}
    for name, workload in WORKLOADS.items():
        if only not in (None, name):
            continue
        with tempfile.TemporaryDirectory() as folder:
            profile = count(workload, QUICK if quick else PART, Path(folder))
        results[name] = shares(profile, workload.locate())
        print(name, {row: round(value, 1) for row, value in results[name].items()}, flush=True)
    return results


def main() -> None:
    """Count, print, save."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", choices=WORKLOADS)
    parser.add_argument("--quick", action="store_true", help="measure briefly, to try the command")
    parser.add_argument("--out", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    if shutil.which("valgrind") is None:
        sys.exit("there is no valgrind; Debian has it in the package of that name")
    results = measure(arguments.only, quick=arguments.quick)
    save("instructions", "python -m benchmarks.speed.instructions", results, arguments.out)


if __name__ == "__main__":
    main()
