# SPDX-License-Identifier: GPL-2.0-only
"""The size of the product by room: `make count` prints it, and a test keeps it from growing.

Lines are neither blank nor comments. Tests, fuzzers and generated code are left out.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIMITS = Path(__file__).with_name("sizes.txt")
"""The table that the product may not exceed, by `make count`; a commit that raises a number says
why."""

_SUFFIXES = {".py", ".cc", ".h"}
_LEFT_OUT = {"test", "tests", "fuzz", "_native", "_proto"}
_STEP = """
import sys
import defiance_zoo
env = defiance_zoo.make("cart_pole_v0", api="parallel", link="local")
env.reset(seed=1)
files, counts = [], []
def note(frame, event, _argument):
    if event == "call" and "/defiance_zoo/" in frame.f_code.co_filename:
        files.append(frame.f_code.co_filename)
for number in range(12):  # the first steps teach the form of messages; some wait for their answer
    files.clear()
    actions = dict.fromkeys(env.agents, number % 2)
    sys.setprofile(note)
    env.step(actions)
    sys.setprofile(None)
    counts.append((len(files), len(set(files))))
env.close()
print(sum(name.split(".")[0] == "defiance_zoo" for name in sys.modules), *min(counts))
"""


def measure_rooms(root: Path) -> dict[str, tuple[int, int]]:
    """Return the lines and the files of each room."""
    lines: Counter[str] = Counter()
    files: Counter[str] = Counter()
    for top in ("defiance_zoo", "wrappers", "envs", "cpp"):
        for path in (root / top).rglob("*"):
            parts = path.relative_to(root).parts
            if path.suffix not in _SUFFIXES or path.is_symlink() or _LEFT_OUT & set(parts):
                continue
            depth = 3 if parts[0] == "cpp" or parts[1] == "experiments" else 2
            room = "/".join(parts[: min(depth, len(parts) - 1)])
            text = path.read_text().splitlines()
            stripped = (line.strip() for line in text)
            lines[room] += sum(
                not line.startswith(("//", "#", "*", "/*")) for line in stripped if line
            )
            files[room] += 1
    return {room: (lines[room], files[room]) for room in sorted(lines)}


def measure_step() -> tuple[int, int, int]:
    """Count a parallel step of one agent over the local link, after `make()` and `reset()`.

    Returns:
        Loaded modules of the package; its functions that the step calls; their files.
    """
    program = [sys.executable, "-c", _STEP]
    output = subprocess.run(program, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    modules, calls, files = map(int, output.split())
    return modules, calls, files


def write_table(sizes: dict[str, tuple[int, int]]) -> str:
    """Return a line for each room: lines, files, name."""
    whole = sum(each[0] for each in sizes.values()), sum(each[1] for each in sizes.values())
    rows = [*sizes.items(), ("total", whole)]
    return "".join(f"{lines:7} {files:5} {room}\n" for room, (lines, files) in rows)


def read_table(text: str) -> dict[str, tuple[int, int]]:
    """Return the sizes that `write_table()` has written."""
    rows = [line.split(maxsplit=2) for line in text.splitlines()]
    return {room: (int(lines), int(files)) for lines, files, room in rows if room != "total"}


if __name__ == "__main__":
    print(write_table(measure_rooms(Path(sys.argv[1]).resolve())), end="")
