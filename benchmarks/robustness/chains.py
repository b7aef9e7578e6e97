# SPDX-License-Identifier: GPL-2.0-only
"""Stop commands at random moments, continue them, and compare their results.

    python -m benchmarks.robustness.chains [--chains N] [--seed S] [--work WORK...] [--out FOLDER]

A chain starts a command, stops it up to three times, and each time continues it with the same
    command (`resume`, if a run or a population exists). Then its results must equal those of the
    uninterrupted command, except for times. A stop is SIGKILL, SIGTERM, SIGINT, SIGSTOP followed by
    SIGCONT, or a full disk. After each stop the program also counts

- commands that do not end although they have not computed for a minute, or have computed twenty
    times as long as the uninterrupted one; or that end with another status than the stop's;
- tracebacks in the output of commands that were not killed;
- processes that outlive their command by ten seconds.

The folders are on a small tmpfs in a mount namespace. The exit status is 0 if no fault was counted.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import yaml

from benchmarks.measuring.result_files import RESULTS, save

SIZE = "256m"
"""Size of the tmpfs."""

PATIENCE_S = 60.0
IDLE_S = 0.1
"""Less CPU time than this in PATIENCE_S is none."""
LINGER_S = 10.0
STOPS = ("kill", "terminate", "interrupt", "pause", "full disk")
FAULTS = ("different results", "hangs", "wrong status", "tracebacks", "processes left")
_NAMESPACE = "DEFIANCE_CHAINS_NAMESPACE"
_IGNORED = (
    "second",
    "time",
    "duration",
    "digest",
    "machine",
    "memory",
    "speed",
    "share",
    "simulated_s_per_s",
)
"""Parts of the names of values that depend on time or on the place of files."""

CART = {"env": "cart_pole_v0", "parameters": {"duration": "300ms"}}
PPO = {"hyperparameters": {"n_steps": 32, "batch_size": 32, "n_epochs": 2}, "simulations": 1}
RECORD = ("--episodes", "20", "--record", "OUT", "--json", "--out", "FILE")
EVALUATION = {"every": 256, "episodes": 3}


@dataclass(frozen=True)
class Work:
    """A command under test.

    Attributes:
        description: The contents of its file.
        command: Its arguments; FILE and OUT are replaced.
        again: Arguments of the command that continues it, if that differs.
        results: Patterns of the files that must be equal.
    """

    description: dict[str, Any]
    command: tuple[str, ...]
    results: tuple[str, ...]
    again: tuple[str, ...] = ()


WORK = {
    "train": Work(
        {**CART, **PPO, "steps": 1024, "checkpoint_every": 256, "evaluation": EVALUATION},
        ("train", "FILE", "--out", "OUT", "--overwrite"),
        ("metrics.csv", "evaluation.json"),
        ("resume", "OUT"),
    ),
    "tune": Work(
        {
            **CART,
            **PPO,
            "steps": 512,
            "evaluation": EVALUATION,
            "tuning": {
                "space": {
                    "hyperparameters": {
                        "learning_rate": {"type": "float", "low": 1e-4, "high": 1e-2, "log": True}
                    }
                },
                "trials": 4,
                "seeds": 2,
                "startup_trials": 1,
            },
        },
        ("tune", "FILE", "--out", "OUT"),
        ("trials.csv", "best.yaml"),
    ),
    "study": Work(
        {
            **CART,
            "policies": {
                "random": {"baseline": "random"},
                "PPO": {"train": {**CART, **PPO, "steps": 512, "evaluation": EVALUATION}},
            },
            "grid": {"delay": ["0ms", "30ms"]},
            "episodes": 3,
        },
        ("study", "FILE", "--out", "OUT", "--workers", "2"),
        ("*.csv",),
    ),
    "population": Work(
        {
            "env": "channel_rps_v0",
            "payoff": "per_decision",
            "best_response": {"library": "sb3", **PPO},
            "stop": {"steps": 256},
            "generations": 2,
            "episodes": 2,
        },
        ("population", "train", "FILE", "--out", "OUT", "--workers", "1", "--overwrite"),
        ("payoffs.json", "metrics.csv", "generations/*.json"),
        ("population", "resume", "OUT", "--workers", "1"),
    ),
    "comparison": Work(
        {
            "systems": {"Raft": {"parameters": {"horizon": 10}}},
            "policies": {
                "Random": {"explorer": "random"},
                "BonusMax": {"explorer": "bonus_max"},
            },
            "seeds": 2,
            "steps": 60,
            "points": 2,
        },
        ("partition", "compare", "FILE", "--out", "OUT", "--workers", "2"),
        ("*.csv",),
    ),
    "record": Work(
        {},
        ("eval", "cart_pole_v0", "-p", "duration=300ms", "--policy", "random", *RECORD),
        ("../mine.yaml", "*/episode.json"),
    ),
}


def _start(arguments: Iterable[str], folder: Path) -> subprocess.Popen[bytes]:
    places = {"FILE": str(folder / "mine.yaml"), "OUT": str(folder / "out")}
    with (folder / "output").open("wb") as output:
        return subprocess.Popen(
            [sys.executable, "-m", "defiance_zoo", *(places.get(a, a) for a in arguments)],
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
            cwd=folder,
        )


def _prepare(folder: Path, work: Work) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    (folder / "mine.yaml").write_text(yaml.safe_dump(work.description, sort_keys=False))


def _next_command(folder: Path, work: Work) -> tuple[str, ...]:
    marks = ("config.yaml", "population.yaml")
    is_there = any((folder / "out" / mark).is_file() for mark in marks)
    return work.again if work.again and is_there else work.command


def results(folder: Path, work: Work) -> dict[str, Any]:
    """Return the contents of a work's results, without times."""
    found: dict[str, Any] = {}
    for pattern in work.results:
        for path in sorted((folder / "out").glob(pattern)):
            name = str(path.relative_to(folder / "out"))
            if path.suffix == ".csv":
                with path.open() as file:
                    found[name] = [_timeless(row) for row in csv.DictReader(file)]
            elif path.suffix == ".json" or pattern.startswith(".."):
                found[name] = _timeless(json.loads(path.read_text()))
            else:
                found[name] = path.read_text()
    if work is WORK["record"]:  # incomplete episodes stay, and are marked
        episodes = [each for name, each in found.items() if "episode.json" in name]
        whole = {json.dumps(each["seed"]): each for each in episodes if each.get("end") is not None}
        found = {"../mine.yaml": found.get("../mine.yaml"), "seeds": sorted(whole)}
    return found


def _timeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            name: _timeless(each)
            for name, each in value.items()
            if not any(part in name for part in _IGNORED)
        }
    return [_timeless(each) for each in value] if isinstance(value, list) else value


class Chain:
    """One command that is stopped and continued until it ends by itself."""

    def __init__(self, folder: Path, work: Work, took_s: float, rng: random.Random) -> None:
        """Take an empty folder.

        Args:
            folder: The folder.
            work: The command.
            took_s: The duration of the uninterrupted command, in seconds.
            rng: Source of moments and kinds of stops.
        """
        self._folder, self._work, self._took_s, self._rng = folder, work, took_s, rng
        self.counts: Counter[str] = Counter()
        self.notes: list[str] = []

    def run(self) -> None:
        """Stop and continue the command, then let it end."""
        for _ in range(self._rng.randint(1, 3)):
            if self._stop_once():
                break
        process = _start(_next_command(self._folder, self._work), self._folder)
        self._await(process)
        said = (self._folder / "output").read_text(errors="replace")
        if process.returncode and "choose a later stop" not in said:
            self._fault("wrong status", f"{process.returncode} at the end: {said[-2000:]}")

    def _stop_once(self) -> bool:
        """Start the command and stop it; return whether it ended before."""
        process = _start(_next_command(self._folder, self._work), self._folder)
        kind, moment_s = self._rng.choice(STOPS), self._rng.uniform(0, 1.1 * self._took_s)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(moment_s)
            return True
        family = self._family(process)
        self.counts[kind] += 1
        ballast = self._folder.parent / "ballast"
        match kind:
            case "kill":
                process.kill()
            case "terminate":
                process.terminate()
            case "interrupt":
                process.send_signal(signal.SIGINT)
            case "pause":
                process.send_signal(signal.SIGSTOP)
                time.sleep(self._rng.uniform(0, 2))
                process.send_signal(signal.SIGCONT)
            case _:
                _fill(ballast)
        self._await(process)
        ballast.unlink(missing_ok=True)
        self._judge(kind, process.returncode, family, moment_s)
        return False

    def _judge(self, kind: str, status: int, family: list[psutil.Process], moment_s: float) -> None:
        if status < 0 and kind != "kill":  # before Python has begun, as a shell reports it
            status = 128 - status
        allowed = {
            "kill": (-signal.SIGKILL,),
            "terminate": (128 + signal.SIGTERM, 0),
            "interrupt": (128 + signal.SIGINT, 0),
            "pause": (0,),
            "full disk": (0, 1, 2),
        }
        said = (self._folder / "output").read_text(errors="replace")
        where = f"{kind} after {moment_s:.2f} s: status {status}: {said[-2000:]}"
        if status not in allowed[kind] and "choose a later stop" not in said:
            self._fault("wrong status", where)
        if kind != "kill" and "Traceback" in said:
            self._fault("tracebacks", where)
        left = psutil.wait_procs(family, LINGER_S)[1]
        if left:
            self._fault("processes left", f"{where}: {left}")
            for each in left:
                each.kill()

    def _family(self, process: subprocess.Popen[bytes]) -> list[psutil.Process]:
        with contextlib.suppress(psutil.NoSuchProcess):
            return psutil.Process(process.pid).children(recursive=True)
        return []

    def _await(self, process: subprocess.Popen[bytes]) -> None:
        """Wait while the command's processes compute, however slow the machine is."""
        computed_s = 0.0
        while computed_s < PATIENCE_S + 20 * self._took_s:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(PATIENCE_S)
                return
            before_s, computed_s = computed_s, self._computed_s(process)
            if computed_s < before_s + IDLE_S:
                break
        self._fault("hangs", (self._folder / "output").read_text(errors="replace")[-2000:])
        process.kill()
        process.wait()

    def _computed_s(self, process: subprocess.Popen[bytes]) -> float:
        """Return the CPU seconds of the command, its processes, and what it has waited for."""
        total_s = 0.0
        for each in [psutil.Process(process.pid), *self._family(process)]:
            with contextlib.suppress(psutil.NoSuchProcess):
                total_s += sum(each.cpu_times()[:4])
        return total_s

    def _fault(self, name: str, note: str) -> None:
        self.counts[name] += 1
        self.notes.append(f"{name}: {note}")


def _fill(ballast: Path) -> None:
    """Fill the disk to its last byte."""
    with contextlib.suppress(OSError), ballast.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(2**16))


def _run_all(
    names: list[str], chains: int, rng: random.Random, scratch: Path, note: Callable[[str], None]
) -> dict[str, Counter[str]]:
    whole, took_s = {}, {}
    for name in names:
        _prepare(scratch / "whole", WORK[name])
        began = time.monotonic()
        process = _start(WORK[name].command, scratch / "whole")
        if process.wait():
            sys.exit(f"{name}: {(scratch / 'whole' / 'output').read_text()}")
        took_s[name] = time.monotonic() - began
        whole[name] = results(scratch / "whole", WORK[name])
        note(f"{name} takes {took_s[name]:.1f} s")
    counts: dict[str, Counter[str]] = {name: Counter() for name in names}
    for number in range(chains):
        name = names[number % len(names)]
        folder = scratch / "chain"
        _prepare(folder, WORK[name])
        chain = Chain(folder, WORK[name], took_s[name], rng)
        chain.run()
        found = results(folder, WORK[name])
        if found != whole[name]:
            chain.counts["different results"] += 1
            for part in {**whole[name], **found}:
                if whole[name].get(part) != found.get(part):
                    pair = f"{whole[name].get(part)}\n{found.get(part)}"
                    chain.notes.append(f"different results: {part}\n{pair}")
        counts[name] += Counter({"chains": 1, **chain.counts})
        note(f"chain {number}, {name}: {dict(chain.counts)}")
        for each in chain.notes:
            note(each)
    return counts


def main() -> None:
    """Run chains, judge, save."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--chains", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work", nargs="+", choices=WORK, default=list(WORK))
    parser.add_argument("--out", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    if _NAMESPACE not in os.environ:
        rights = [] if os.geteuid() == 0 else ["--map-root-user"]
        words = ["unshare", *rights, "--mount", *sys.orig_argv]
        os.execvpe(words[0], words, {**os.environ, _NAMESPACE: "1"})
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", folder], check=True)
        try:
            counts = _run_all(
                arguments.work,
                arguments.chains,
                random.Random(arguments.seed),
                Path(folder),
                lambda text: print(text, flush=True),
            )
        finally:
            subprocess.run(["umount", "--lazy", folder], check=True)
    found = {
        name: {**each, "sound": not any(each[fault] for fault in FAULTS)}
        for name, each in counts.items()
    }
    print("saved as", save("chains", "make chains", found, arguments.out, seed=arguments.seed))
    sys.exit(not all(each["sound"] for each in found.values()))


if __name__ == "__main__":
    main()
