#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""check_wheel.py WHEEL: see that a wheel needs nothing but Python, glibc, the C++ runtime and zlib.

Installs the wheel alone into a new virtual environment, looks at where the library and each program
find what they need, and with neither environment variables nor a compiler in reach plays an
episode with each program and writes a project with the command `defiance-zoo`.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

# glibc, the C++ runtime and zlib: what manylinux grants to each wheel of this platform tag.
FROM_THE_SYSTEM = re.compile(
    r"(ld-linux[\w-]*|lib(c|dl|gcc_s|m|pthread|resolv|rt|stdc\+\+|util|z))\.so\.\d+"
)

EPISODES = """
import defiance_zoo

for access in ("point-to-point", "wifi", "lte"):
    env = defiance_zoo.make("cart_pole_v0", api="parallel", access=access, transport="udp")
    env.reset(seed=0)
    steps = 0
    while env.agents:
        env.step({agent: env.action_space(agent).sample() for agent in env.agents})
        steps += 1
    env.close()
    print(f"cart_pole_v0, {access}: an episode of {steps} steps")
"""


def install(wheel: Path, folder: Path) -> Path:
    """Create a virtual environment that holds the wheel and what it declares; return its Python."""
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", wheel], check=True)
    return python


def libraries(elf: Path) -> dict[str, str]:
    """Return what a program loads, at any depth, and where the loader finds it."""
    clean = {"PATH": "/usr/bin:/bin"}
    ldd = subprocess.run(["ldd", elf], env=clean, check=True, capture_output=True, text=True)
    return dict(re.findall(r"^\s*(\S+) => (.+?)(?: \(0x\w+\))?$", ldd.stdout, re.MULTILINE))


def strays(elf: Path, folder: Path) -> list[str]:
    """Return what a program finds outside the environment, or not at all."""
    return [
        f"{elf.name}: {name} => {where}"
        for name, where in libraries(elf).items()
        if not Path(where).resolve().is_relative_to(folder) and not FROM_THE_SYSTEM.fullmatch(name)
    ]


def main(wheel: Path) -> int:
    """Check one wheel, and return the exit status."""
    with tempfile.TemporaryDirectory(prefix="check-wheel-") as name:
        folder = Path(name).resolve()
        python = install(wheel.resolve(), folder)
        native = next(folder.glob("lib/python*/site-packages/defiance_zoo/_native"))
        elves = [native / "lib" / "libdefiance.so", *(native / "bin").iterdir()]
        problems = [stray for elf in elves for stray in strays(elf, folder)]
        if problems:
            print("not found within the wheel:", *problems, sep="\n  ", file=sys.stderr)
            return 1
        print(f"{wheel.name}: nothing else is needed by", *(elf.name for elf in elves))
        clean = {"PATH": str(folder / "bin")}
        new = [folder / "bin" / "defiance-zoo", "new", "my_scenario"]
        for command in ([python, "-c", EPISODES], new):
            status = subprocess.run(command, env=clean, cwd=folder).returncode
            if status:
                return status
        return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
