# SPDX-License-Identifier: GPL-2.0-only
"""Rate controls' regret to ns-3's Ideal in wifi_rate_control_v0, and policy files' speed.

    python -m benchmarks.zoo.rate_control [--quick] [--only regret|speed] [--out FOLDER]

Throughputs are in simulated time, so they are equal on every machine. Regret is Ideal's throughput
minus the policy's, with the same seeds; its confidence interval is over the seeds. PPO's row needs
the three trainings of `make baselines`. Each result is saved at once, and omitted parts keep their
results.
"""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gymnasium import spaces

from benchmarks.learning.baselines import OUT, run_folder
from benchmarks.measuring.command import Part, measure_parts
from benchmarks.measuring.timing import Effort, Figures, Results
from defiance_zoo.bridge.system.extras import onnxruntime_library
from defiance_zoo.command_line.commands.debug import alone
from defiance_zoo.environments import SimulationAECEnv
from defiance_zoo.envs import wifi_rate_control_v0
from defiance_zoo.experiments.evaluation import policy_makers
from defiance_zoo.experiments.training import load_policy
from defiance_zoo.experiments.training.checkpoints import find_checkpoint
from defiance_zoo.experiments.training.export.policy_file import write_policy_file
from defiance_zoo.experiments.workbench.estimates import Estimate

Arguments = dict[str, Any]
Play = Callable[[Arguments, int, float], float]
"""Takes a scenario, a seed and simulated seconds; returns the throughput in Mb/s."""

SEEDS = (1, 2, 3)
SECONDS = 3.0
SCENARIOS: dict[str, Arguments] = {
    "still": {"distance": 30},
    "fading": {"distance": 30, "fading": 3},
    "moving": {"situation": "moving", "distance": 5, "speed": 20},
    "interfering": {"situation": "interfering"},
}
RATES = 12
"""Number of rates in 802.11ax with one stream at 20 MHz."""
RATE = 6
"""The rate with which the speed of policies is measured."""


def own(**algorithm: Any) -> Play:
    """Return the player for an ns-3 algorithm."""
    return lambda scenario, seed, seconds: throughput(
        "constant", {}, {**scenario, **algorithm, "interval": "100ms"}, seed, seconds
    )


def in_python(policy: str, **options: Any) -> Play:
    """Return the player for a policy that chooses the rate of each frame."""
    return lambda scenario, seed, seconds: throughput(
        policy, options, {**scenario, "control": "per_frame"}, seed, seconds
    )


def in_intervals(policy: str, **options: Any) -> Play:
    """Return the player for a policy that chooses rates every 20 ms."""
    return lambda scenario, seed, seconds: throughput(
        policy, options, {**scenario, "interval": "20ms"}, seed, seconds
    )


POLICIES: dict[str, Play] = {
    "Minstrel HT": own(algorithm="minstrel_ht"),
    "Thompson sampling": own(algorithm="thompson_sampling"),
    "epsilon-greedy": in_python("epsilon_greedy"),
    "UCB": in_python("ucb"),
    "Thompson sampling in intervals": in_intervals("thompson_sampling"),
    "epsilon-greedy in intervals": in_intervals("epsilon_greedy"),
    "UCB in intervals": in_intervals("ucb"),
}


def throughput(
    policy: str, options: Arguments, arguments: Arguments, seed: int, seconds: float
) -> float:
    """Return the throughput at the access point, in Mb/s.

    Args:
        policy: A baseline of the environment.
        options: Options of the baseline.
        arguments: Arguments of the environment.
        seed: Seed of the episode and of the policy.
        seconds: Simulated time.
    """
    env = wifi_rate_control_v0.raw_env(link="local", duration=f"{seconds}s", **arguments)
    maker = policy_makers(wifi_rate_control_v0.SPEC)[policy]
    player = maker.make(env, seed, maker.read_options(options))
    return play(env, player, seed, seconds)


def play(env: SimulationAECEnv, player: Any, seed: int, seconds: float) -> float:
    """Play an episode, and return the throughput at the access point in Mb/s."""
    env.reset(seed=seed)
    player.reset()
    received = 0
    for agent in env.agent_iter():
        observation, _, terminated, truncated, info = env.last()
        received = int(info["received_bytes"])
        ended = terminated or truncated
        env.step(None if ended else player.act(agent, observation, info))
    env.close()
    return 8 * received / seconds / 1e6


def trained() -> Iterator[tuple[int, Play]]:
    """Yield seed and player of each existing PPO training."""
    for seed in SEEDS:
        folder = run_folder("wifi_rate_control/sb3_ppo", seed, OUT)
        if (folder / "evaluation.json").exists():  # the training has finished
            yield seed, learned(folder)


def learned(folder: Path) -> Play:
    """Return the player for a run's policy, with the observations of its training."""
    checkpoint = find_checkpoint(folder)
    player = load_policy(checkpoint.config, checkpoint.trainer)
    parameters = checkpoint.config.parameters
    seen = {key: parameters[key] for key in ("observation", "memory", "interval")}

    def act(scenario: Arguments, seed: int, seconds: float) -> float:
        env = wifi_rate_control_v0.raw_env(link="local", duration=f"{seconds}s", **scenario, **seen)
        return play(env, player, seed, seconds)

    return act


def regret(ideal: list[float], achieved: list[float]) -> Figures:
    """Return the mean throughput and regret over seeds in Mb/s, and the regret's interval."""
    lost = [best - each for best, each in zip(ideal, achieved, strict=True)]
    return {"mbps": statistics.fmean(achieved), **with_interval(lost)}


def with_interval(lost: list[float]) -> Figures:
    """Return the mean of regrets in Mb/s, and its confidence interval."""
    estimate = Estimate.of(lost)
    assert estimate.low is not None
    assert estimate.high is not None
    return {
        "regret_mbps": estimate.mean,
        "regret_mbps_low": estimate.low,
        "regret_mbps_high": estimate.high,
    }


def measure_regret(effort: Effort) -> Iterator[Results]:
    """Play every policy in every scenario."""
    seconds, seeds = (0.1, SEEDS[:2]) if effort.quick else (SECONDS, SEEDS)
    for scenario, arguments in SCENARIOS.items():

        def run(act: Play, given: Arguments = arguments) -> list[float]:
            return [act(given, seed, seconds) for seed in seeds]

        ideal = run(own(algorithm="ideal"))
        tried = (0, RATE) if effort.quick else range(RATES)
        constant = {mcs: run(own(algorithm="constant", mcs=mcs)) for mcs in tried}
        best = max(constant, key=lambda mcs: sum(constant[mcs]))
        yield {
            f"{scenario}, Ideal": regret(ideal, ideal),
            f"{scenario}, best constant rate": {**regret(ideal, constant[best]), "mcs": best},
        }
        for name, act in POLICIES.items():
            yield {f"{scenario}, {name}": regret(ideal, run(act))}
        runs = [run(act) for _, act in trained()]
        if len(runs) > 1:  # the interval is over trainings
            means = [statistics.fmean(each) for each in zip(*runs, strict=True)]
            lost = [statistics.fmean(ideal) - statistics.fmean(each) for each in runs]
            mean = {"mbps": statistics.fmean(means), **with_interval(lost)}
            yield {f"{scenario}, PPO in intervals": mean}


class Network(torch.nn.Module):
    """A network of PPO's size that always chooses one rate, so that all episodes are equal."""

    def __init__(self, inputs: int, actions: int) -> None:
        """Draw its weights."""
        super().__init__()
        torch.manual_seed(1)
        self.layers = torch.nn.Sequential(
            torch.nn.Linear(inputs, 64),
            torch.nn.Tanh(),
            torch.nn.Linear(64, 64),
            torch.nn.Tanh(),
            torch.nn.Linear(64, actions),
        )
        with torch.no_grad():
            self.layers[-1].bias[RATE] = 1000.0

    def forward(self, observation: torch.Tensor) -> torch.Tensor:
        """Return the numbers of rates, shape (batch,), int64."""
        return torch.argmax(self.layers(observation), dim=1)


def measure_speed(effort: Effort) -> Iterator[Results]:
    """Play one policy through Python and from a policy file, and its action without a policy.

    Times are of whole episodes. The cost of a policy file is too small, compared with the
    simulation, to be measured as a difference of these times, so it is not reported.
    """
    arguments: Arguments = {
        "control": "per_frame",
        "observation": "smoothed",
        "details": False,
        "distance": 20.0,
        "duration": "0.1s" if effort.quick else "5s",
    }
    env = wifi_rate_control_v0.raw_env(link="local", **arguments)
    seen, actions = env.observation_space("agent_0"), env.action_space("agent_0")
    assert isinstance(seen, spaces.Box)
    assert isinstance(actions, spaces.Discrete)
    network = Network(seen.shape[0], int(actions.n)).eval()
    episodes = []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "policy.onnx"
        write_policy_file(network, seen, actions, file, {})
        for _ in range(1 if effort.quick else 7):
            played = {
                "through_python": play_in_python(env, network),
                "inside": play_alone(arguments, f"--policy={file}"),
                "alone": play_alone(arguments, "--policy=constant", f"--action={RATE}"),
            }
            if len({decisions for decisions, _ in played.values()}) > 1:
                raise RuntimeError(f"the numbers of decisions differ: {played}")
            episodes.append(
                {name: decisions / seconds for name, (decisions, seconds) in played.items()}
            )
    env.close()
    yield {"a policy file": speed_of(episodes)}


def speed_of(episodes: list[dict[str, float]]) -> Figures:
    """Return medians of decisions per second, and the speedup of an episode over Python.

    Args:
        episodes: Decisions per second of each way of playing, by episode.
    """
    ratio = Estimate.of([each["inside"] / each["through_python"] for each in episodes])
    figures = {
        f"{name}_per_s": statistics.median(each[name] for each in episodes) for name in episodes[0]
    }
    figures["episode_speed_up"] = ratio.mean
    if ratio.low is not None and ratio.high is not None:
        figures |= {"episode_speed_up_low": ratio.low, "episode_speed_up_high": ratio.high}
    return figures


def play_in_python(env: SimulationAECEnv, network: torch.nn.Module) -> tuple[int, float]:
    """Play an episode through Python; return its decisions and its duration in s."""
    decisions = 0
    began = time.perf_counter()
    env.reset(seed=1)
    with torch.no_grad():
        for _ in env.agent_iter():
            observation, _, _, truncated, _ = env.last()
            if truncated:
                env.step(None)
                continue
            env.step(int(network(torch.as_tensor(np.array(observation))[None])[0]))
            decisions += 1
    return decisions, time.perf_counter() - began


def play_alone(arguments: Arguments, *control: str) -> tuple[int, float]:
    """Play an episode without Python; return its decisions and its duration in s."""
    library = str(onnxruntime_library())
    scenario = wifi_rate_control_v0.SPEC.scenario
    command = alone(scenario, arguments, 1, *control, DEFIANCE_ONNXRUNTIME=library)
    began = time.perf_counter()
    done = subprocess.run(
        [command.program, *command.arguments],
        env={**os.environ, **command.variables},
        check=True,
        capture_output=True,
        text=True,
    )
    took = time.perf_counter() - began
    found = re.search(r"agent_0: ([0-9]+) decisions", done.stdout)
    assert found is not None, done.stdout
    return int(found[1]), took


PARTS = {
    "regret": Part(measure_regret, f"({'|'.join(SCENARIOS)}), .*"),
    "speed": Part(measure_speed, "a policy file"),
}


if __name__ == "__main__":
    measure_parts(__doc__, "rate_control", PARTS)
