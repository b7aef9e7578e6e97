#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""check_wheel.py WHEEL: check that a wheel needs only Python, glibc, the C++ runtime and zlib.

    check_wheel.py WHEEL [LIBRARY [REQUIREMENT ...]]

Installs only the wheel into a new virtual environment, and checks the libraries of each program.
Without environment variables and without a compiler, it then plays an episode with each program,
and writes a project with the command `defiance-zoo`. With LIBRARY, `sb3`, `rllib`
or `benchmarl`, it installs the wheel with that extra alone, after the requirements, and trains for
a short time.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

# glibc, the C++ runtime and zlib, which manylinux allows for each wheel of this platform tag.
FROM_THE_SYSTEM = re.compile(
    r"(ld-linux[\w-]*|lib(c|dl|gcc_s|m|pthread|resolv|rt|stdc\+\+|util|z))\.so\.\d+"
)

EPISODES = """
import defiance_zoo

for name, access in (
    ("cart_pole_v0", "point-to-point"),
    ("cart_pole_v0", "wifi"),
    ("cart_pole_v0", "lte"),
    ("wifi_contention_v0", "in-band"),
):
    env = defiance_zoo.make(name, api="parallel", access=access, transport="udp", duration=1.0)
    env.reset(seed=0)
    steps = 0
    while env.agents:
        env.step({agent: env.action_space(agent).sample() for agent in env.agents})
        steps += 1
    env.close()
    print(f"{name}, {access}: an episode of {steps} steps")

env = defiance_zoo.make("video_streaming_v0", api="parallel", chunks=3)
env.reset(seed=0)
while env.agents:
    *_, infos = env.step(dict.fromkeys(env.agents, 0))
env.close()
print(f"video_streaming_v0, in Python: {infos['agent_0']['download_time']} s for a chunk")

from defiance_zoo.envs.tcp_congestion import traces

for trace in traces.names():
    env = defiance_zoo.make(
        "tcp_congestion_v0", api="parallel", capacity_trace=traces.path(trace), duration="1s"
    )
    env.reset(seed=0)
    while env.agents:
        *_, infos = env.step(dict.fromkeys(env.agents, 2))
    env.close()
    print(f"tcp_congestion_v0, {trace}: {infos['agent_0']['received_bytes']} bytes")
"""

OWN = """
import sys

sys.path.insert(0, "my_python_scenario")
import my_python_scenario.my_python_scenario_v0 as own

env = own.parallel_env(duration="1s")
env.reset(seed=0)
steps = 0
while env.agents:
    env.step({agent: env.action_space(agent).sample() for agent in env.agents})
    steps += 1
env.close()
print(f"a scenario in Python: an episode of {steps} steps")
"""


OTHER = {"benchmarl": "sb3", "sb3": "rllib", "rllib": "sb3"}
ALGORITHMS = {"benchmarl": "IPPO", "sb3": "PPO", "rllib": "PPO"}
DESCRIPTION = ["--env=cart_pole_v0", "--steps=600", "--evaluation-episodes=2", "--quiet"]


def install(requirements: list[str], folder: Path) -> Path:
    """Create a virtual environment, install the requirements in order, and return its Python."""
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    for requirement in requirements:
        subprocess.run([python, "-m", "pip", "install", "--quiet", requirement], check=True)
    return python


def trains(command: Path, library: str, clean: dict[str, str]) -> bool:
    """Return whether a library trains alone, and the other one is reported as missing."""
    folder = command.parents[1]
    train = [command, "train", *DESCRIPTION]
    chosen = [f"--library={library}", f"--algorithm={ALGORITHMS[library]}"]
    subprocess.run([*train, *chosen, "--out=run"], env=clean, cwd=folder, check=True)
    subprocess.run([command, "eval", "run"], env=clean, cwd=folder, check=True)
    other = [*train, f"--library={OTHER[library]}"]
    refused = subprocess.run(other, env=clean, cwd=folder, capture_output=True, text=True)
    return refused.returncode != 0 and f"defiance-zoo[{OTHER[library]}]" in refused.stderr


def refuses_the_zoo(command: Path, clean: dict[str, str]) -> bool:
    """Return whether the package refuses to write environments outside of a checkout."""
    new = [command, "new", "my_environment", "--python", "--zoo"]
    refused = subprocess.run(new, env=clean, cwd=command.parent, capture_output=True, text=True)
    return refused.returncode == 2 and "is installed without one" in " ".join(
        refused.stderr.split()
    )


def libraries(elf: Path) -> dict[str, str]:
    """Return the libraries that a program loads, at any depth, with their paths."""
    clean = {"PATH": "/usr/bin:/bin"}
    ldd = subprocess.run(["ldd", elf], env=clean, check=True, capture_output=True, text=True)
    return dict(re.findall(r"^\s*(\S+) => (.+?)(?: \(0x\w+\))?$", ldd.stdout, re.MULTILINE))


def strays(elf: Path, folder: Path) -> list[str]:
    """Return the libraries of a program that are missing or outside the environment."""
    return [
        f"{elf.name}: {name} => {where}"
        for name, where in libraries(elf).items()
        if not Path(where).resolve().is_relative_to(folder) and not FROM_THE_SYSTEM.fullmatch(name)
    ]


def main(wheel: Path, library: str | None, requirements: list[str]) -> int:
    """Check one wheel, and return the exit status."""
    extra = f"[{library}]" if library else ""
    with tempfile.TemporaryDirectory(prefix="check-wheel-") as name:
        folder = Path(name).resolve()
        python = install([*requirements, f"{wheel.resolve()}{extra}"], folder)
        native = next(folder.glob("lib/python*/site-packages/defiance_zoo/_native"))
        elves = [*(native / "lib").glob("libdefiance*.so"), *(native / "lib").glob("_*.so")]
        elves += (native / "bin").iterdir()
        problems = [stray for elf in elves for stray in strays(elf, folder)]
        if problems:
            print("not found within the wheel:", *problems, sep="\n  ", file=sys.stderr)
            return 1
        print(f"{wheel.name}: nothing else is needed by", *(elf.name for elf in elves))
        clean = {"PATH": str(folder / "bin")}
        zoo = folder / "bin" / "defiance-zoo"
        commands = (
            ["new", "my_scenario"],
            ["new", "my_python_scenario", "--python"],
            ["list"],
            ["info", "cart_pole_v0"],
        )
        run = [python, "-c", EPISODES], *([zoo, *each] for each in commands), [python, "-c", OWN]
        for command in run:
            status = subprocess.run(command, env=clean, cwd=folder).returncode
            if status:
                return status
        if not refuses_the_zoo(zoo, clean):
            return 1
        if library is not None and not trains(zoo, library, clean):
            return 1
    print(f"{wheel} works; to install it: pip install {wheel}")
    return 0


if __name__ == "__main__":
    name, *library = sys.argv[1:]
    sys.exit(main(Path(name), library[0] if library else None, library[1:]))
