# SPDX-License-Identifier: GPL-2.0-only
"""The cost of RLlib's runners while simulations wait: steps per second without learning.

    python -m benchmarks.learning.runners [--quick] [--out FOLDER]

Each runner is a process with one simulation, which sleeps before each step as in
`benchmarks.speed.drivers`. Actions are random, so no network is evaluated.
"""

from __future__ import annotations

import time

import torch
from ray.rllib.algorithms.algorithm import Algorithm
from ray.rllib.algorithms.ppo import PPOConfig

from benchmarks.measuring.command import local_ray, read_arguments
from benchmarks.measuring.registered_programs import NAME
from benchmarks.measuring.result_files import save
from benchmarks.measuring.timing import Effort, Figures, Results
from defiance_zoo.wrappers.rllib import RLlibEnv

COUNTS = (2, 4, 8)
WAITS_MS = (1, 5, 20)
SECONDS = 3.0


def sample(algorithm: Algorithm, steps: int) -> None:
    """Let each runner take a number of steps, and fetch them."""
    group = algorithm.env_runner_group
    assert group is not None  # training algorithms have one
    group.foreach_env_runner(
        lambda runner: runner.sample(num_timesteps=steps, random_actions=True),
        local_env_runner=False,
    )


def play(count: int, wait_ms: int, seconds: float) -> Figures:
    """Sample for some time with a number of runners; return steps per second."""
    arguments = {"name": NAME, "link": "local", "duration": "3600s", "wait": wait_ms / 1000}
    algorithm: Algorithm = (
        PPOConfig()
        .environment(RLlibEnv, env_config=arguments)
        .multi_agent(policies={"shared"}, policy_mapping_fn=lambda *_, **__: "shared")
        .env_runners(num_env_runners=count)
        .build_algo()
    )
    steps = max(1, round(seconds * 1000 / wait_ms / 6))
    try:
        sample(algorithm, steps)
        done, began = 0, time.perf_counter()
        while time.perf_counter() < began + seconds:
            sample(algorithm, steps)
            done += count * steps
        rate = done / (time.perf_counter() - began)
    finally:
        algorithm.stop()
    ideal = count * 1000 / wait_ms
    return {"steps_per_s": rate, "ideal_per_s": ideal, "of_ideal_share": rate / ideal}


def measure(effort: Effort) -> Results:
    """Measure each number of runners with each wait."""
    return {
        f"RLlib's runners, {wait_ms} ms, {count} simulations": play(
            count, wait_ms, 0.5 if effort.quick else SECONDS
        )
        for wait_ms in (WAITS_MS if not effort.quick else WAITS_MS[:1])
        for count in (COUNTS if not effort.quick else COUNTS[:1])
    }


def main() -> None:
    """Measure, print, save."""
    arguments = read_arguments(__doc__)
    torch.set_num_threads(1)
    with local_ray(max(COUNTS) + 1):
        results = measure(Effort(arguments.quick))
    print("saved as", save("runners", "make bench-training", results, arguments.out))


if __name__ == "__main__":
    main()
