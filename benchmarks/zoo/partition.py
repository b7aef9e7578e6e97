# SPDX-License-Identifier: GPL-2.0-only
"""Requirements of partition_v0: clean protocols, legal masks, commits, distinct states, speed.

    python -m benchmarks.zoo.partition [--quick] [--steps N] [--only PART] [--out FOLDER]

It runs random tests of 25 steps, including crashes, on all cores, and then measures the speed of
steps on one core. Each protocol has a million steps, and another million in episodes that are
healed at their end. That takes an hour and a half on two cores. Omitted parts keep their figures.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measuring.result_files import RESULTS, load, save
from benchmarks.measuring.situations import Situation
from benchmarks.measuring.timing import Effort, Figures, Results
from benchmarks.zoo.partition_rules import expected_mask
from defiance_zoo.bridge.simulation import describe
from defiance_zoo.environments import EnvironmentSpec
from defiance_zoo.envs import partition_v0
from defiance_zoo.envs.partition.states import read_replicas
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv

SPECS = {"raft": partition_v0.SPEC, "tendermint": partition_v0.TENDERMINT_SPEC}
FAULTLESS_HORIZON = {"raft": 40, "tendermint": 100}
"""Number of steps in which all requests can be committed."""
STEPS, MASKED_STEPS, FAULTLESS_EPISODES, PAIRS = 1_000_000, 100_000, 1000, 10_000
TIMED_EPISODES, KEPT_STEPS = 200, 300
SHORT = {
    "raft": {"painter": "state,term", "election_ticks": 4, "heartbeat_ticks": 2, "horizon": 8},
    "tendermint": {"painter": "step", "timeout_commit": "20ms", "horizon": 8},
}
"""Parameters of episodes in which different histories lead to the same state."""

Choose = Callable[[Any], int]


def allowed(rng: np.random.Generator) -> Choose:
    """Return a policy that chooses any allowed action."""
    return lambda observation: int(rng.choice(np.flatnonzero(observation["action_mask"])))


def play(env: GymnasiumEnv, seed: int, choose: Choose) -> Iterator[tuple[dict[str, Any], int]]:
    """Play an episode; yield each info with the preceding action, which is -1 at the beginning."""
    observation, info = env.reset(seed=seed)
    yield info, -1
    ended = False
    while not ended:
        action = choose(observation)
        observation, _, terminated, truncated, info = env.step(action)
        yield info, action
        ended = terminated or truncated


# ---------------------------------------------------------------------- guarantees


def clean(protocol: str, first_seed: int, steps: int, **arguments: Any) -> Figures:
    """Play random episodes, and count faults."""
    env = GymnasiumEnv(SPECS[protocol], link="local", infos="hashes", **arguments)
    found = {"steps": 0, "episodes": 0, "violations": 0, "warnings": 0}
    while found["steps"] < steps:
        seed = first_seed + found["episodes"]
        for info, action in play(env, seed, allowed(np.random.default_rng(seed))):
            found["steps"] += action >= 0
            found["warnings"] += bool(info["warnings"])
            if info["violations"]:
                found["violations"] += 1
                print(f"{protocol}, seed {seed}: {info['violations']}", flush=True)
        found["episodes"] += 1
    env.close()
    return {name: float(count) for name, count in found.items()}


def healed(protocol: str, first_seed: int, steps: int) -> Figures:
    """Play random episodes that are healed at their end, and count faults."""
    counts = clean(protocol, first_seed, steps, healing="at_end")
    return {f"healed_{name}": count for name, count in counts.items()}


def masks(protocol: str, first_seed: int, steps: int) -> Figures:
    """Compare each mask with the rules, and take any allowed action."""
    liars = int(protocol == "tendermint")
    env = GymnasiumEnv(
        SPECS[protocol],
        link="local",
        horizon=500,
        with_byzantine=bool(liars),
        max_byzantine=liars,
    )
    most = SPECS[protocol].scenario.defaults.get("max_inactive", 1)
    compared = faults = 0
    for seed in range(first_seed, first_seed + steps):
        for info, _ in play(env, seed, allowed(np.random.default_rng(seed))):
            expected = expected_mask(info, max_inactive=most, max_byzantine=liars)
            faults += info["action_mask"].tolist() != expected
            compared += 1
        if compared >= steps:
            break
    env.close()
    return {"masks": float(compared), "wrong_masks": float(faults)}


def commits(protocol: str, first_seed: int, episodes: int) -> Figures:
    """Submit all requests without faults, and count episodes in which all replicas commit them."""
    env = GymnasiumEnv(SPECS[protocol], link="local", horizon=FAULTLESS_HORIZON[protocol])
    committed = 0
    for seed in range(first_seed, first_seed + episodes):
        *_, (info, _) = play(env, seed, _request)
        logs = [
            [entry.request for entry in each.committed if entry.request]
            for each in read_replicas(info)
        ]
        count = len(logs[0])
        committed += (
            info["pending_requests"] == 0
            and all(log == list(range(1, count + 1)) for log in logs)
            and count == {"raft": 5, "tendermint": 20}[protocol]
        )
    env.close()
    return {"faultless_episodes": float(episodes), "committed": float(committed)}


def _request(observation: Any) -> int:
    """Submit a request, the last action, or do nothing."""
    mask = observation["action_mask"]
    return len(mask) - 1 if mask[-1] else 0


def states(protocol: str, first_seed: int, pairs: int) -> Figures:
    """Continue after different histories with equal concrete states; compare the next states."""
    env = GymnasiumEnv(SPECS[protocol], link="local", infos="hashes", **SHORT[protocol])
    after: dict[tuple[str, int], tuple[str, set[tuple[int, ...]]]] = {}
    compared = faults = 0
    for number in range(first_seed, first_seed + 1000 * pairs):
        history: tuple[int, ...] = ()
        state = ""
        for info, action in play(env, 1, allowed(np.random.default_rng(number))):
            if action >= 0:
                came = info["concrete_hash"]
                known, histories = after.setdefault((state, action), (came, {history}))
                if history not in histories:
                    histories.add(history)
                    compared += 1
                    faults += known != came
                history = (*history, action)
            state = info["concrete_hash"]
        if compared >= pairs:
            break
    env.close()
    return {"pairs": float(compared), "different": float(faults)}


PARTS: dict[str, tuple[Callable[[str, int, int], Figures], int, int]] = {
    "clean": (clean, STEPS, 500),
    "healed": (healed, STEPS, 500),
    "masks": (masks, MASKED_STEPS, 200),
    "commits": (commits, FAULTLESS_EPISODES, 2),
    "states": (states, PAIRS, 20),
}
"""The checks, with their numbers of repetitions in full and in quick runs."""


def share(part: str, protocol: str, count: int) -> Figures:
    """Check a part with a process for each core, and add up the counts."""
    function, cores = PARTS[part][0], os.cpu_count() or 1
    jobs = [(protocol, core * 10_000_000, -(-count // cores)) for core in range(cores)]
    began = time.perf_counter()
    with multiprocessing.get_context("spawn").Pool(cores) as pool:
        found = pool.starmap(function, jobs)
    figures = {name: sum(each[name] for each in found) for name in found[0]}
    if part == "clean":
        minutes = (time.perf_counter() - began) / 60
        figures["minutes_of_10000_episodes"] = minutes * 10_000 / figures["episodes"]
    return figures


# ---------------------------------------------------------------------- speed


def speed(protocol: str, effort: Effort) -> Figures:
    """Return steps per second on one core, and those of the same scenario without Python."""
    spec, episodes = SPECS[protocol], effort.of(TIMED_EPISODES, 2)
    with Situation("local", "one core").placed():
        per_s, with_resets_per_s = timed(spec, episodes)
        return {
            "per_s": per_s,
            "hashes_per_s": timed(spec, episodes, infos="hashes")[0],
            "with_resets_per_s": with_resets_per_s,
            "keep_per_s": timed(spec, effort.of(5, 1), keeps=True, horizon=KEPT_STEPS)[0],
            "floor_keep_per_s": without_python(spec, effort.of(5, 1)),
        }


def timed(
    spec: EnvironmentSpec, episodes: int, *, keeps: bool = False, **arguments: Any
) -> tuple[float, float]:
    """Return steps per second, without and with the time of `reset()`."""
    env = GymnasiumEnv(spec, link="local", **arguments)
    choose = (lambda _: 0) if keeps else allowed(np.random.default_rng(1))
    env.reset(seed=0)
    steps, stepping, resetting = 0, 0.0, 0.0
    for seed in range(episodes):
        began = time.perf_counter()
        observation, _ = env.reset(seed=seed)
        resetting += time.perf_counter() - began
        ended = False
        while not ended:
            action = choose(observation)
            began = time.perf_counter()
            observation, _, terminated, truncated, _ = env.step(action)
            stepping += time.perf_counter() - began
            steps += 1
            ended = terminated or truncated
    env.close()
    return steps / stepping, steps / (stepping + resetting)


def without_python(spec: EnvironmentSpec, episodes: int) -> float:
    """Return steps per second of the program alone, with a policy that keeps the partition."""
    program = spec.scenario.locate()

    def run(horizon: int) -> float:
        parameters = {**spec.scenario.defaults, "horizon": horizon}
        arguments = describe(program).to_arguments(parameters)
        command = [program, *arguments, "--policy=constant", "--action=0"]
        began = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return time.perf_counter() - began

    busy = sum(run(KEPT_STEPS + 1) - run(1) for _ in range(episodes))
    return KEPT_STEPS * episodes / busy


# ---------------------------------------------------------------------- the command


def kept(folder: Path) -> Results:
    """Return the existing figures."""
    if not (folder / "partition.json").is_file():
        return {}
    known: Results = load("partition", folder)["results"]
    return known


def measure(effort: Effort, steps: int, only: list[str], known: Results) -> Results:
    """Check parts of each protocol; other parts keep their figures."""
    speeds = {each: speed(each, effort) if "speed" in only else {} for each in SPECS}
    results: Results = {}
    for protocol, spec in SPECS.items():
        replicas = spec.scenario.defaults.get("num_replicas", 3)
        name = f"{protocol}, {replicas} replicas"
        figures = results[name] = {**known.get(name, {}), **speeds[protocol]}
        for part, (_, full, quick) in PARTS.items():
            if part in only:
                count = effort.of(steps if part in ("clean", "healed") else full, quick)
                figures |= share(part, protocol, count)
        print(protocol, ", ".join(f"{name} {value:,.6g}" for name, value in figures.items()))
    return results


def main() -> None:
    """Measure, print, save."""
    parts = [*PARTS, "speed"]
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="measure briefly, to try the command")
    parser.add_argument("--steps", type=int, default=STEPS, help="random ones of each protocol")
    parser.add_argument("--only", action="append", choices=parts, help="one part")
    parser.add_argument("--out", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    effort = Effort(quick=arguments.quick)
    known = kept(arguments.out) if arguments.only else {}
    results = measure(effort, arguments.steps, arguments.only or parts, known)
    save("partition", "make partition", results, arguments.out)


if __name__ == "__main__":
    main()
