# SPDX-License-Identifier: GPL-2.0-only
"""Environment steps per second while a library trains, over the number of simulations.

    python -m benchmarks.learning.training [--quick] [--out FOLDER]

Each decision costs ns-3 some hundred microseconds. With uneven costs, one in ten episodes costs
twenty times as much; with stragglers, it costs a hundred times as much. The network is tiny; other
settings are each library's defaults. One run measures all parts, one after the other.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import psutil
import torch
from ray.rllib.algorithms.algorithm import Algorithm
from ray.rllib.algorithms.appo import APPOConfig
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import SubprocVecEnv, VecEnv

from benchmarks.measuring.command import local_ray, read_arguments
from benchmarks.measuring.programs import EXCHANGE
from benchmarks.measuring.registered_programs import NAME
from benchmarks.measuring.result_files import save
from benchmarks.measuring.situations import CORES
from benchmarks.measuring.timing import Effort, Figures, Results
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv
from defiance_zoo.wrappers.rllib import RLlibEnv
from defiance_zoo.wrappers.sb3 import make_vec_env

COUNTS = (1, 2, 4, 8)
STEPS_OF_A_ROLLOUT = 64
EVEN: dict[str, Any] = {"events": 8000, "duration": "64ms"}
COSTS: dict[str, tuple[dict[str, Any], float]] = {
    "even costs": (EVEN, 6.0),
    "uneven costs": ({**EVEN, "slow_every": 10, "slow_factor": 20}, 10.0),
}
STRAGGLERS = ({**EVEN, "slow_every": 10, "slow_factor": 100}, 100.0)
"""Parameters of the scenario, and seconds of measurement, a multiple of its slow episodes."""
STEPS_SAMPLED = ("env_runners", "num_env_steps_sampled_lifetime")
MODEL = DefaultModelConfig(fcnet_hiddens=[32, 32])


class StopAt(BaseCallback):
    """Ends the training after some time, and counts the steps after the warm-up."""

    def __init__(self, warm_up_s: float, seconds: float) -> None:
        super().__init__()
        self._warm_up_s, self._seconds = warm_up_s, seconds
        self.meter = Meter()

    def _on_training_start(self) -> None:
        self._begin = time.perf_counter() + self._warm_up_s
        self.meter.start(self.num_timesteps)  # forever, if a single step takes that long

    def _on_step(self) -> bool:
        now = time.perf_counter()
        if now < self._begin:
            self.meter.start(self.num_timesteps)
        return now < self._begin + self._seconds


class Meter:
    """Steps, seconds and ns-3's share of the CPU time of all cores."""

    def start(self, steps: int) -> None:
        """Begin to count."""
        self._steps, self._began, self._cpu_s = steps, time.perf_counter(), simulations_cpu_s()

    def stop(self, steps: int) -> Figures:
        """Return the counts."""
        seconds = time.perf_counter() - self._began
        return {
            "steps_per_s": (steps - self._steps) / seconds,
            "ns3_share": (simulations_cpu_s() - self._cpu_s) / (seconds * len(CORES)),
        }


def simulations_cpu_s() -> float:
    """Return the CPU seconds of all simulations of this user, ended ones included."""
    program = str(EXCHANGE.scenario.locate())
    total = 0.0
    for process in psutil.process_iter(["exe", "cpu_times"]):
        if process.info["exe"] == program:
            # The fork server counts only children that have ended.
            times = process.info["cpu_times"]
            total += times.user + times.system + times.children_user + times.children_system
    return total


def train_sb3(env: VecEnv, seconds: float) -> Figures:
    """Train SB3's PPO for some time."""
    model = PPO(
        "MlpPolicy",
        env,
        n_steps=STEPS_OF_A_ROLLOUT,
        batch_size=STEPS_OF_A_ROLLOUT,
        n_epochs=2,
        policy_kwargs={"net_arch": [32, 32]},
        seed=1,
        device="cpu",
    )
    callback = StopAt(seconds / 4, seconds)
    try:
        model.learn(10**9, callback=callback)
        return callback.meter.stop(model.num_timesteps)
    finally:
        env.close()


def sb3_own(count: int, cost: dict[str, Any], seconds: float) -> Figures:
    """This package's `VecEnv`, in one process."""
    return train_sb3(make_vec_env(NAME, n_envs=count, seed=1, **cost), seconds)


def sb3_subprocesses(count: int, cost: dict[str, Any], seconds: float) -> Figures:
    """SB3's own worker processes, one for each environment."""
    makers = [lambda: GymnasiumEnv(EXCHANGE, link="local", **cost)] * count
    return train_sb3(SubprocVecEnv(makers, start_method="forkserver"), seconds)


def train_rllib(config: Any, count: int, cost: dict[str, Any], seconds: float) -> Figures:
    """Train one of RLlib's algorithms for some time, with a process for each simulation."""
    algorithm: Algorithm = (
        config.environment(RLlibEnv, env_config={"name": NAME, "link": "local", **cost})
        .multi_agent(policies={"shared"}, policy_mapping_fn=lambda *_, **__: "shared")
        .env_runners(num_env_runners=count, rollout_fragment_length=STEPS_OF_A_ROLLOUT)
        .rl_module(model_config=MODEL)
        .reporting(min_time_s_per_iteration=0, min_sample_timesteps_per_iteration=0)
        .debugging(seed=1)
        .build_algo()
    )
    meter = Meter()

    def iterate() -> int:
        algorithm.train()
        return int(algorithm.metrics.peek(STEPS_SAMPLED, default=0))

    def play_for(duration: float) -> int:
        until = time.perf_counter() + duration
        while True:
            steps = iterate()
            if time.perf_counter() >= until:
                return steps

    try:
        meter.start(play_for(seconds / 4))
        return meter.stop(play_for(seconds))
    finally:
        algorithm.stop()


def rllib_synchronous(count: int, cost: dict[str, Any], seconds: float) -> Figures:
    """PPO: an iteration waits for every runner."""
    batch = STEPS_OF_A_ROLLOUT * count
    config = PPOConfig().training(
        train_batch_size_per_learner=batch, minibatch_size=STEPS_OF_A_ROLLOUT, num_epochs=2
    )
    return train_rllib(config, count, cost, seconds)


def rllib_asynchronous(count: int, cost: dict[str, Any], seconds: float) -> Figures:
    """APPO: the learner takes samples of any ready runner, which continues."""
    # By default, the algorithm polls its runners continuously, and the learner its buffer.
    config = APPOConfig().training(
        train_batch_size_per_learner=STEPS_OF_A_ROLLOUT * count,
        timeout_s_sampler_manager=0.1,
        use_circular_buffer=False,
    )
    return train_rllib(config, count, cost, seconds)


TRAININGS: dict[str, Callable[[int, dict[str, Any], float], Figures]] = {
    "SB3 PPO, `make_vec_env`": sb3_own,
    "SB3 PPO, `SubprocVecEnv`": sb3_subprocesses,
    "RLlib PPO, synchronous": rllib_synchronous,
    "RLlib APPO, asynchronous": rllib_asynchronous,
}


def measure(effort: Effort) -> Results:
    """Measure each way to train with each number of simulations."""
    cases = [
        (f"{costs}, {name}, {count} simulation{'s' * (count > 1)}", name, count, *given)
        for costs, given in COSTS.items()
        for count in (COUNTS if not effort.quick else (2,))
        for name in TRAININGS
    ]
    for name in TRAININGS:
        if "RLlib" in name and not effort.quick:
            cases.append((f"stragglers, {name}, 4 simulations", name, 4, *STRAGGLERS))
    results: Results = {}
    for case, name, count, cost, seconds in cases:
        results[case] = TRAININGS[name](count, cost, 0.5 if effort.quick else seconds)
        print(case, results[case], flush=True)
    return results


def main() -> None:
    """Measure, print, save."""
    arguments = read_arguments(__doc__)
    torch.set_num_threads(1)
    with local_ray(max(COUNTS) + 2):
        results = measure(Effort(arguments.quick))
    print("saved as", save("training", "make bench-training", results, arguments.out))


if __name__ == "__main__":
    main()
