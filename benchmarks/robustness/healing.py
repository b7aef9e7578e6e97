# SPDX-License-Identifier: GPL-2.0-only
"""Play correct protocols under hard schedules, and count violations: there may be none.

    python -m benchmarks.robustness.healing [--steps N] [--seed S] [--only PROTOCOL] [--workers N]

A seed determines the parameters of eight episodes: 3 to 7 replicas, short and long timeouts, gossip
    intervals up to the maximum, Byzantine replicas, few messages per tick, delays, losses, crashes
    of all replicas. Random actions include healing, and each episode ends with healing. In some
    episodes, a replica is isolated for 10,000 to 100,000 ticks.

The exit status is 0 if no violation was found. SIGINT and SIGTERM end all processes.
"""

from __future__ import annotations

import argparse
import os
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from defiance_zoo.environments import lookup
from defiance_zoo.envs.partition.actions import HEALING
from defiance_zoo.experiments.workbench.events import EventCallback
from defiance_zoo.experiments.workbench.interruption import Aborted, Interruption
from defiance_zoo.experiments.workbench.workers import LocalWorkers
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv

RAFT_IN_PYTHON = Path(__file__).parents[2] / "examples" / "protocols" / "raft.py"
PROTOCOLS = {
    "raft": "partition_v0",
    "tendermint": "partition_tendermint_v0",
    "python": str(RAFT_IN_PYTHON),
}
STEPS, EPISODES = 100_000, 8
"""Steps of each protocol, and episodes with the same parameters."""
ISOLATED, SLOW = 0.02, 0.02
"""Shares of episodes with a long isolation, and with timeouts of thousands of ticks."""
TIMEOUTS = ("propose", "prevote", "precommit", "commit", "delta")
PATIENCE_S = 600.0
"""Isolations of 100,000 ticks are one step."""
ISOLATE = 2
"""The action that separates one replica from the others."""

Parameters = dict[str, Any]


def draw_parameters(protocol: str, rng: np.random.Generator) -> Parameters:
    """Return the parameters of an episode."""
    replicas = int(rng.integers(3, 8))
    drawn: Parameters = {
        "num_replicas": replicas,
        "max_blocks": 2 if replicas > 5 else 0,
        "ticks_between_partition": int(rng.choice([1, 3, 30])),
        "max_inactive": int(rng.choice([0, 1])),
        "crash_limit": 100,
        "num_requests": 100,
        "horizon": 40,
        "healing": "both",
        **_draw_delivery(rng),
        **_draw_timeouts(protocol, replicas, rng),
    }
    if rng.random() < ISOLATED:
        drawn |= {"ticks_between_partition": 1000, "horizon": int(10 ** rng.uniform(1, 2))}
        drawn["drop_rule"] = "every_tick"  # held messages of so many ticks would take long
    return drawn


def _draw_delivery(rng: np.random.Generator) -> Parameters:
    if rng.random() < 0.3:
        return {
            "delivery": "network",
            "max_messages_per_tick": 100,
            "link_loss": float(rng.choice([0, 0.3])),
            "link_jitter": str(rng.choice(["0ms", "100ms"])),
            "link_duplication": float(rng.choice([0, 0.2])),
        }
    return {
        "max_messages_per_tick": int(rng.choice([1, 3, 100])),
        "drop_rule": str(rng.choice(["every_tick", "first_tick", "hold"])),
        "with_delays": bool(rng.random() < 0.5),
    }


def _draw_timeouts(protocol: str, replicas: int, rng: np.random.Generator) -> Parameters:
    slow = rng.random() < SLOW
    if protocol == "tendermint":
        liars = (replicas - 1) // 3 * int(rng.random() < 0.5)
        ticks = [[3, 1, 1, 1, 1], [3, 2, 2, 1, bool(liars)], [10, 5, 5, 5, 1], [10, 5, 5, 1, 20]]
        return {
            "gossip_ticks": int(rng.choice([1000, 10_000] if slow else [1, 5, 20, 200])),
            "with_byzantine": liars > 0,
            "max_byzantine": liars,
            **{
                f"timeout_{name}": f"{20 * int(count)}ms"
                for name, count in zip(TIMEOUTS, ticks[rng.integers(len(ticks))], strict=True)
            },
        }
    election = int(rng.choice([1000, 5000] if slow else [3, 4, 16]))
    heartbeat = int(rng.integers(1, min(election, 20)))
    compaction = {"compaction": int(rng.choice([0, 2]))} if protocol == "raft" else {}
    return {"election_ticks": election, "heartbeat_ticks": heartbeat, **compaction}


def play(protocol: str, first_seed: int, steps: int) -> Counter[str]:
    """Play random episodes, and count steps, healing phases and violations."""
    found: Counter[str] = Counter()
    seed = first_seed
    while found["steps"] < steps:
        parameters = draw_parameters(protocol, np.random.default_rng(seed))
        spec = lookup(PROTOCOLS[protocol])
        with closing(
            GymnasiumEnv(spec, link="local", infos="hashes", timeout=PATIENCE_S, **parameters)
        ) as env:
            isolates = parameters["ticks_between_partition"] == 1000
            for _ in range(1 if isolates else EPISODES):
                if play_episode(env, seed, isolates, found):
                    print(protocol, parameters, flush=True)
                found["episodes"] += 1
                found["isolations"] += isolates
                seed += 1
    return found


def play_episode(env: GymnasiumEnv, seed: int, isolates: bool, found: Counter[str]) -> bool:
    """Play an episode with random actions, or isolate a replica; return whether it is violated."""
    rng = np.random.default_rng(seed)
    observation, info = env.reset(seed=seed)
    ended, first = False, ISOLATE
    while not ended:
        legal = np.flatnonzero(observation["action_mask"])
        kept = first if first in legal else legal[0]
        action = int(kept if isolates else rng.choice(legal))
        first = 0
        observation, _, terminated, truncated, info = env.step(action)
        found["steps"] += 1
        found["phases"] += info[HEALING] > 0
        found["healed ticks"] += info[HEALING]
        found["longest phase"] = max(found["longest phase"], info[HEALING])
        if info["violations"]:
            found["violations"] += 1
            print(f"seed {seed}: {info['violations']}", flush=True)
        ended = terminated or truncated
    return bool(info["violations"])


@dataclass(frozen=True)
class Play:
    """A job of `play()`."""

    protocol: str
    first_seed: int
    steps: int

    def run(self, report: EventCallback) -> dict[str, Any]:
        """Play, and return the counts."""
        return play(self.protocol, self.first_seed, self.steps)

    def portable(self) -> Play:
        """Return this job, which needs no files."""
        return self


def share(workers: LocalWorkers, jobs: list[Play]) -> Counter[str]:
    """Play with several processes, and add up the counts."""
    total = Counter({"violations": 0})
    longest = 0
    for done in workers.run(enumerate(jobs), lambda event: None):
        if done.result is None:
            raise RuntimeError(f"{jobs[done.name]}: {done.error}: {done.message}")
        longest = max(longest, done.result["longest phase"])
        total.update(done.result)
    total["longest phase"] = longest
    return total


def main() -> None:
    """Play, and print the counts."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--steps", type=int, default=STEPS, help="of each protocol")
    parser.add_argument("--seed", type=int, default=0, help="of the first episode")
    parser.add_argument("--only", action="append", choices=PROTOCOLS, help="one protocol")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    arguments = parser.parse_args()
    violations = 0
    steps = -(-arguments.steps // arguments.workers)
    seeds = [arguments.seed + worker * 10_000_000 for worker in range(arguments.workers)]
    try:
        with Interruption(), closing(LocalWorkers(arguments.workers)) as workers:
            for protocol in arguments.only or PROTOCOLS:
                found = share(workers, [Play(protocol, seed, steps) for seed in seeds])
                counts = ", ".join(f"{name} {count:,}" for name, count in found.items())
                print(f"{protocol}: {counts}", flush=True)
                violations += found["violations"]
    except Aborted as aborted:
        raise SystemExit(128 + aborted.signal) from None
    raise SystemExit(violations > 0)


if __name__ == "__main__":
    main()
