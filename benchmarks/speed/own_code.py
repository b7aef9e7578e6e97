# SPDX-License-Identifier: GPL-2.0-only
"""How much of a simulation is this project's code, by `valgrind --tool=callgrind`.

    python -m benchmarks.speed.own_code [--only NAME] [--quick] [--out FOLDER]

Counted are the instructions of `Simulator::Run()` in scenarios that a built-in policy plays: about
the same in each run, whatever else the machine does. Takes two minutes. Needs valgrind, and a build
with line numbers, as this one has.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.measuring.report import RESULTS, save
from benchmarks.measuring.timing import Figures, Results
from benchmarks.speed.callgrind import Function, Profile, attribute, read_profile
from defiance_zoo.bridge.simulation import describe
from defiance_zoo.environments import lookup

SUBJECTS: dict[str, tuple[str, dict[str, Any], int]] = {
    "wifi_contention_v0, one agent": (
        "wifi_contention_v0",
        {"stations": 15, "duration": 0.1},
        3,
    ),
    "wifi_contention_v0, 15 agents": (
        "wifi_contention_v0",
        {"stations": 15, "placement": "local", "duration": 0.1},
        3,
    ),
    "tcp_congestion_v0, 8 agents": ("tcp_congestion_v0", {"flows": 8, "duration": 2.0}, 2),
}
"""Environment, its parameters, and the action of the constant policy."""

QUICK = {"duration": 0.02}
COUNTED = "ns3::Simulator::Run()"
NS3 = "libns3"
NOT_OURS, INCLUDED = ("/usr/include/", "???"), "/ns3/include/"
"""Where the source files of templates and inline functions are that others have written."""
ENVIRONMENT, LIBRARY, REST = "the environment", "this library", "ns-3"


def count(program: Path, arguments: list[str], action: int, folder: Path) -> Profile:
    """Run a scenario program under callgrind, and return what was counted."""
    out = folder / "callgrind.out"
    command = [
        "valgrind",
        "--tool=callgrind",
        f"--callgrind-out-file={out}",
        "--collect-atstart=no",
        f"--toggle-collect={COUNTED}",
        str(program),
        *arguments,
        "--policy=constant",
        f"--action={action}",
    ]
    # Functions are found before, not by a first call that would seem to be one of the loader.
    environment = {**os.environ, "LD_BIND_NOW": "1"}
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment)
    if done.returncode:
        sys.exit(done.stderr[-2000:])
    return read_profile(out.read_text().splitlines())


def shares(profile: Profile, program: Path) -> dict[str, Figures]:
    """Return percent of all instructions by whose they are.

    What serves anybody, such as memory of libc, is on the account of who calls it; so are templates
    and inline functions of C++ and ns-3, wherever they have been compiled. What is called of ns-3's
    libraries is ns-3's: that is what is simulated.
    """

    def owner_of(function: Function) -> str | None:
        path, file = Path(function.object), profile.files.get(function, "")
        if path.name.startswith(NS3):
            return REST
        if program.parents[1] not in path.parents or file.startswith(NOT_OURS) or INCLUDED in file:
            return None
        return ENVIRONMENT if path == program else LIBRARY

    owners = {function: owner_of(function) for function in profile.functions()}
    total = sum(profile.itself.values())
    percent = {}
    for row in (ENVIRONMENT, LIBRARY):
        account = attribute(
            profile,
            {function: float(owner == row) for function, owner in owners.items() if owner},
        )
        mine = sum(number * account[function] for function, number in profile.itself.items())
        percent[row] = 100 * mine / total
    percent[REST] = 100 - sum(percent.values())
    return {row: {"instructions_percent": value} for row, value in percent.items()}


def measure(only: str | None, *, quick: bool) -> Results:
    """Count each subject, or one."""
    results: Results = {}
    for name, (environment, parameters, action) in SUBJECTS.items():
        if only not in (None, name):
            continue
        given = {**parameters, **(QUICK if quick else {})}
        program = lookup(environment).scenario.locate(given).resolve()
        with tempfile.TemporaryDirectory() as folder:
            arguments = describe(program).to_arguments(given)
            profile = count(program, arguments, action, Path(folder))
        for row, figures in shares(profile, program).items():
            results[f"{name}: {row}"] = figures
    return results


def main() -> None:
    """Count, print, save."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", choices=SUBJECTS)
    parser.add_argument("--quick", action="store_true", help="hardly measure, to try the command")
    parser.add_argument("--out", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    if shutil.which("valgrind") is None:
        sys.exit("there is no valgrind; Debian has it in the package of that name")
    results = measure(arguments.only, quick=arguments.quick)
    for case, figures in results.items():
        print(f"{case}: {figures['instructions_percent']:.2f} %")
    save("own_code", "python -m benchmarks.speed.own_code", results, arguments.out)


if __name__ == "__main__":
    main()
