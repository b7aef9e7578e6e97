# SPDX-License-Identifier: GPL-2.0-only
"""Feed readers of foreign bytes in both languages with mutated inputs: `make fuzz`.

`python tests/fuzz/run.py <seconds> <seed> <folder of the sanitized build>`
"""

from __future__ import annotations

import hashlib
import os
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
CORPUS = HERE / "corpus"
FOLDER = HERE.parent.parent / "build" / "fuzz"
CRASHES = FOLDER / "crashes"
IN_CXX = ("containers", "mailbox", "pipe", "policies", "replies", "rows", "zmtp")
IN_PYTHON = ("conversation", "description", "pipes", "spaces", "together")
FILES = "files"
"""The target of file readers, which make their corpus of folders themselves."""
PATIENCE_S = 60.0
LENGTH_BYTES = 8


@dataclass(frozen=True)
class Job:
    """A target, and how long to feed it."""

    target: str
    seconds: float
    seed: str
    build: Path

    def run(self) -> str | None:
        """Return the fault, or None."""
        file = FOLDER / f"{self.target}.last"
        if self.target == FILES:
            command = [*self._program(), str(self.seconds), self.seed]
        else:
            inputs = sorted(map(str, (CORPUS / self.target).iterdir()))
            words = [self.target, str(self.seconds), self.seed, str(file)]
            command = [*self._program(), *words, *inputs]
        try:
            done = subprocess.run(
                command,
                env=os.environ | self._variables(),
                timeout=self.seconds + PATIENCE_S,
                capture_output=True,
                text=True,
                errors="replace",
                check=False,
            )
        except subprocess.TimeoutExpired:
            return self._report(file, "it did not come to an end")
        if done.returncode:
            return self._report(file, done.stderr)
        print(f"{self.target}: {done.stdout.strip()} inputs", flush=True)
        return None

    def _program(self) -> list[str]:
        if self.target in IN_CXX:
            return [str(self.build / "cpp" / "fuzz" / "defiance-fuzz")]
        script = "files.py" if self.target == FILES else "fuzz.py"
        return [sys.executable, str(HERE / script)]

    def _variables(self) -> dict[str, str]:
        """Return the environment variables for a target that uses an extension module."""
        if self.target != "together":
            return {}
        asan = subprocess.run(
            ["g++", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True
        )
        return {
            "LD_PRELOAD": asan.stdout.strip(),
            "ASAN_OPTIONS": "detect_leaks=0",  # Python does not free its static objects at the end
            "FUZZ_NATIVE": str(_extensions(self.build)),
        }

    def _report(self, file: Path, words: str) -> str:
        """Keep the last input, and return its fault."""
        if self.target == FILES:  # the fuzzer prints the file, and the seed reproduces it
            return f"{words}\n{FILES}: seed {self.seed}"
        CRASHES.mkdir(parents=True, exist_ok=True)
        kept = file.read_bytes()
        data = kept[LENGTH_BYTES:][: int.from_bytes(kept[:LENGTH_BYTES], sys.byteorder)]
        path = CRASHES / f"{self.target}-{hashlib.sha256(data).hexdigest()[:12]}"
        path.write_bytes(data)
        variables = [f"{k}={v}" for k, v in self._variables().items()]
        again = shlex.join(
            [*variables, *self._program(), self.target, "0", "0", str(FOLDER / "again"), str(path)]
        )
        return f"{words}\n{self.target}: the input is kept as {path}; once more:\n  {again}"


def _extensions(build: Path) -> Path:
    """Return a folder in which Python finds the extension modules of a build."""
    folder = build / "fuzz-native"
    (folder / "lib").mkdir(parents=True, exist_ok=True)
    for module in (build / "cpp").glob("_*.abi3.so"):
        link = folder / "lib" / module.name
        link.unlink(missing_ok=True)
        link.symlink_to(module)
    return folder


def main() -> None:
    seconds, seed, build = float(sys.argv[1]), sys.argv[2], Path(sys.argv[3]).resolve()
    FOLDER.mkdir(parents=True, exist_ok=True)
    targets = [*IN_CXX, *IN_PYTHON, FILES]
    workers = min(os.cpu_count() or 1, len(targets))
    share = seconds * workers / len(targets)
    jobs = [Job(target, share, seed, build) for target in targets]
    with ThreadPoolExecutor(workers) as pool:
        faults = [fault for fault in pool.map(Job.run, jobs) if fault is not None]
    if faults:
        sys.exit("\n\n".join([*faults, f"faults: {len(faults)}; their inputs are in {CRASHES}"]))


if __name__ == "__main__":
    main()
