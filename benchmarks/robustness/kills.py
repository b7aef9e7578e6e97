# SPDX-License-Identifier: GPL-2.0-only
"""Kill processes at random moments, with all interfaces and links, and check the errors.

    python -m benchmarks.robustness.kills [--kills N] [--seed S] [--out FOLDER]

While an environment plays, resets, takes snapshots and returns to them, a thread kills one of its
    processes after a random time: a simulation, a snapshot or a fork server. In one of fifty cases,
    the thread stops the process instead of killing it; a timeout detects that. The program counts

- errors that do not derive from `DefianceZooError`;
- failed resets: two in a row are a fault, because nothing is killed after the first;
- leaks after closing an environment: descriptors, threads, directories and processes.

The exit status is 0 if no fault was counted.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import random
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil

from benchmarks.measuring.processes import fork_servers, simulations
from benchmarks.measuring.result_files import RESULTS, save
from defiance_zoo.environments import lookup
from defiance_zoo.errors import DefianceZooError, SnapshotError
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv

SPEC = lookup("cart_pole_v0")
LINKS: dict[str, dict[str, Any]] = {
    "zmq": {"link": "zmq"},
    "local": {"link": "local"},
    "spin": {"link": "local", "spin_us": 50},
}
LONGEST_S = 0.1
"""Maximum time from the beginning of a turn to the kill, in seconds."""

TIMEOUT_S = 3.0
"""Timeout of simulations, sufficient to prepare a fork server on a busy machine."""

STOPS = 50
"""Of this number of processes, one is stopped instead of killed."""

SERVERS = 0.3
"""Share of kills that hit fork servers; the others hit simulations and snapshots."""

SIGNALS = (signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM)
COUNTED = (
    "untyped errors",
    "failed second resets",
    "descriptors",
    "threads",
    "directories",
    "processes",
)


class Player:
    """An environment with one of the interfaces, played at random."""

    def __init__(self, interface: str, link: dict[str, Any], rng: random.Random) -> None:
        """Make the environment; the first simulation reports its spaces."""
        self._rng, self._snapshots = rng, interface in ("aec", "parallel", "gymnasium")
        self._interface, self._kept = interface, None
        arguments = {**link, "timeout": TIMEOUT_S}
        makers = {
            "aec": lambda: SPEC.raw_env(**arguments),
            "parallel": lambda: SPEC.parallel_env(**arguments),
            "gymnasium": lambda: GymnasiumEnv(SPEC, **arguments),
            "vector": lambda: SPEC.vector_env(3, **arguments),
            "vector of many agents": lambda: SPEC.multi_agent_vector_env(2, carts=2, **arguments),
        }
        self.env: Any = makers[interface]()

    def reset(self) -> None:
        """Begin an episode."""
        self.env.reset(seed=self._rng.randrange(1000))

    def turn(self) -> None:
        """Act once, or reset, or use a snapshot."""
        chance = self._rng.random()
        if chance < 0.05:
            self.reset()
        elif chance < 0.1 and self._snapshots:
            self._use_snapshot()
        else:
            self._act()

    def _use_snapshot(self) -> None:
        kept, self._kept = self._kept, None
        if kept is None:
            self._kept = self.env.snapshot()
            return
        with kept:
            self.env.restore(kept)

    def _act(self) -> None:
        env = self.env
        if self._interface == "aec":
            if not env.agents:
                self.reset()
            agent = env.agent_selection
            over = env.terminations[agent] or env.truncations[agent]
            env.step(None if over else env.action_space(agent).sample())
        elif self._interface == "parallel":
            if not env.agents:
                self.reset()
            env.step({agent: env.action_space(agent).sample() for agent in env.agents})
        elif self._interface == "gymnasium":
            _, _, terminated, truncated, _ = env.step(env.action_space.sample())
            if terminated or truncated:
                self.reset()
        else:
            env.step(env.action_space.sample())


class Striker:
    """Kills one process at a random moment, and remembers all processes that it saw."""

    def __init__(self, rng: random.Random) -> None:
        """Begin without processes."""
        self._rng = rng
        self.seen: set[psutil.Process] = set()
        self.struck: Counter[str] = Counter()

    @contextlib.contextmanager
    def about_to_strike(self) -> Iterator[threading.Event]:
        """Kill a process during the context, in another thread; then set the event."""
        over = threading.Event()
        delay_s, choice = self._rng.uniform(0, LONGEST_S), self._rng.random()
        number = self._rng.choice(SIGNALS)
        if self._rng.randrange(STOPS) == 0:
            number = signal.SIGSTOP
        thread = threading.Thread(target=self._strike, args=(over, delay_s, choice, number))
        thread.start()
        try:
            yield over
        finally:
            thread.join()

    def _strike(
        self, over: threading.Event, delay_s: float, choice: float, number: signal.Signals
    ) -> None:
        try:
            time.sleep(delay_s)
            deadline = time.monotonic() + 1
            while not self._hit(choice, number) and time.monotonic() < deadline:
                pass
        finally:
            over.set()

    def _hit(self, choice: float, number: signal.Signals) -> bool:
        with contextlib.suppress(psutil.Error):
            kinds = {"fork server": fork_servers(), "simulation": list(simulations())}
            self.seen.update(*kinds.values())
            kind = "fork server" if choice < SERVERS or not kinds["simulation"] else "simulation"
            if victims := sorted(kinds[kind], key=lambda each: each.pid):
                victims[int(choice * 1000) % len(victims)].send_signal(number)
                self.struck["stopped" if number == signal.SIGSTOP else kind] += 1
                return True
        return False

    def left(self) -> int:
        """Return the number of remembered processes that have not ended."""
        _, alive = psutil.wait_procs(self.seen, timeout=5)
        return sum(1 for each in alive if _status(each) != psutil.STATUS_ZOMBIE)


def _status(process: psutil.Process) -> str:
    try:
        return str(process.status())
    except psutil.NoSuchProcess:
        return str(psutil.STATUS_ZOMBIE)


def _resources() -> dict[str, int]:
    gc.collect()
    python = psutil.Process()
    return {
        "descriptors": python.num_fds(),
        "threads": python.num_threads(),
        "directories": len(list(Path(tempfile.gettempdir()).glob("defiance-*"))),
    }


def _turn_until_struck(player: Player, striker: Striker, reported: Counter[str]) -> None:
    """Play until a process has been killed, and then for some further turns."""
    with striker.about_to_strike() as over:
        while not over.is_set():
            _attempt(player, reported)
    for _ in range(5):
        _attempt(player, reported)
    failures = 0
    while not _succeeds(player.reset, reported) and failures < 3:
        failures += 1
    reported["failed first resets"] += min(failures, 1)
    reported["failed second resets"] += max(failures - 1, 0)


def _attempt(player: Player, reported: Counter[str]) -> None:
    if not _succeeds(player.turn, reported):
        _succeeds(player.reset, reported)


def _succeeds(do: Any, reported: Counter[str]) -> bool:
    try:
        do()
    except SnapshotError:
        reported["snapshots lost"] += 1
        return True  # the episode continues, or the next step reports its end
    except DefianceZooError as error:
        reported[type(error).__name__] += 1
    except Exception:  # the failure under test
        reported["untyped errors"] += 1
        traceback.print_exc()
    else:
        return True
    return False


def soak(interface: str, link: str, kills: int, rng: random.Random) -> dict[str, Any]:
    """Kill several times while one environment plays; return the counts."""
    before = _resources()
    reported: Counter[str] = Counter()
    striker = Striker(rng)
    player = Player(interface, LINKS[link], rng)
    while not _succeeds(player.reset, reported):
        pass
    for _ in range(kills):
        _turn_until_struck(player, striker, reported)
    player.env.close()
    del player
    after = _resources()
    left = {name: after[name] - before[name] for name in before}
    struck = sum(striker.struck.values())
    counted = {"kills": struck, **dict.fromkeys(COUNTED[:2], 0), **reported, **left}
    return {**counted, "processes": striker.left(), "struck": dict(striker.struck)}


def is_sound(result: dict[str, Any]) -> bool:
    """Return whether no fault was counted."""
    return all(result[name] <= 0 for name in COUNTED)


def _soak_all(kills: int, rng: random.Random) -> dict[str, Any]:
    interfaces = ("aec", "parallel", "gymnasium", "vector", "vector of many agents")
    pairs = [(interface, link) for interface in interfaces for link in LINKS]
    each = max(1, -(-kills // len(pairs)))
    results: dict[str, Any] = {}
    for interface, link in pairs:
        soak(interface, link, 1, rng)  # loads modules once
        began = time.perf_counter()
        result = results[f"{interface}, {link}"] = soak(interface, link, each, rng)
        result["sound"] = is_sound(result)
        seconds = time.perf_counter() - began
        print(f"{interface}, {link}, {seconds:.0f} s: {result}", flush=True)
    return results


def main() -> None:
    """Kill, judge, save."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kills", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tempfile.tempdir = folder  # a private place for directories
        results = _soak_all(arguments.kills, random.Random(arguments.seed))
    print("saved as", save("kills", "make soak", results, arguments.out, seed=arguments.seed))
    sys.exit(not all(result["sound"] for result in results.values()))


if __name__ == "__main__":
    main()
