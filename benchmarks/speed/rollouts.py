# SPDX-License-Identifier: GPL-2.0-only
"""Compare policies inside the simulation with the loop through Python: a decision per packet.

One policy decides at all 100 routers: from a policy file, in a Python loop, and in batches of
    simulations. The program checks that decisions are equal. Then PPO's rollouts are collected by
    SB3's own loop, and inside the simulations.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import CallbackList

from benchmarks.measuring.timing import Effort, Results
from defiance_zoo.bridge.simulation import describe
from defiance_zoo.bridge.simulation.seeding import rng_seed
from defiance_zoo.bridge.system.extras import onnxruntime_library
from defiance_zoo.envs.packet_routing import packet_routing_v0
from defiance_zoo.experiments.evaluation import agent_spaces
from defiance_zoo.experiments.training.export.policy_file import write_policy_file
from defiance_zoo.experiments.training.sb3.in_simulation import InSimulationPPO
from defiance_zoo.wrappers.sb3 import decisions_only, make_shared_policy_vec_env, make_vec_env

SPEC = packet_routing_v0.SPEC
ROUTERS = {
    "topology": "grid:10x10",
    "observation": "link-state",
    "packet_rate": 300,
    "infos": "brief",
}
PORTS = 4
SEED = 1
_STARTS = 3
"""The shortest repetition counts, because the first start of a program takes longer."""
Choose = Callable[[Any], Any]
"""Returns ports for observations, shape (rows, numbers)."""


class NearlyShortest(torch.nn.Module):
    """Takes the shortest path, modified by a small network with two layers."""

    def __init__(self, width: int) -> None:
        super().__init__()
        torch.manual_seed(SEED)
        self.network = torch.nn.Sequential(
            torch.nn.Linear(width, 64),
            torch.nn.Tanh(),
            torch.nn.Linear(64, 64),
            torch.nn.Tanh(),
            torch.nn.Linear(64, PORTS),
        )

    def forward(self, seen: torch.Tensor) -> torch.Tensor:
        """Return ports, shape (batch,)."""
        far = seen[:, 2 + 2 * PORTS : 2 + 3 * PORTS]
        return torch.argmax(1e-4 * self.network(seen) - far, dim=1)


def measure(effort: Effort) -> Results:
    """Measure policies inside and outside, then rollouts."""
    torch.set_num_threads(1)
    return {**_policies(effort), **_rollouts(effort)}


# ------------------------------------------------------------------ a policy of 100 routers


def _policies(effort: Effort) -> Results:
    spaces = next(iter(agent_spaces(SPEC, ROUTERS).values()))
    network = NearlyShortest(spaces[0].shape[0]).eval()
    decisions = effort.of(20_000, 2_000)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "policy.onnx"
        write_policy_file(network, *spaces, file, {})
        session = onnxruntime.InferenceSession(str(file))
        duration = decisions / 2000  # about as many decisions; the program reports the number
        inside, reported = _program(duration, f"--policy={file}")

    def by_torch(seen: Any) -> Any:
        with torch.no_grad():
            return network(torch.tensor(seen)).numpy()

    def by_onnx(seen: Any) -> Any:
        return session.run(None, {"observation": seen})[0]

    through = {}
    for name, choose in (("PyTorch", by_torch), ("ONNX Runtime", by_onnx)):
        through[name], earned = _in_turn(choose, duration)
        if earned != reported:
            raise RuntimeError(f"through Python, by {name}, other actions were taken than inside")
    batched = {count: _batched(by_torch, decisions, count) for count in (2, 8)[: effort.of(2, 1)]}
    seconds = {
        "a policy file": inside,
        **{f"through Python, {name}": each for name, each in through.items()},
        **{f"{count} simulations in a batch, PyTorch": each for count, each in batched.items()},
    }
    slowest = through["PyTorch"]
    return {
        f"100 routers, {name}": {
            "per_s": 1 / each,
            "program_share": inside / each,
            "speed_up": slowest / each,
        }
        for name, each in seconds.items()
    }


def _program(duration_s: float, policy: str) -> tuple[float, dict[str, tuple[int, float]]]:
    """Return seconds per decision without Python, and each agent's actions and rewards."""
    program = SPEC.scenario.locate(ROUTERS)
    seed = f"RngSeed={rng_seed(SEED)};RngRun=1"
    library = {"DEFIANCE_ONNXRUNTIME": str(onnxruntime_library())}
    environment = {**library, **os.environ, "NS_GLOBAL_VALUE": seed}

    def run(length_s: float) -> tuple[float, dict[str, tuple[int, float]]]:
        command = [
            program,
            *describe(program).to_arguments({**ROUTERS, "duration": f"{length_s}s"}),
        ]
        took = []
        for _ in range(_STARTS):
            began = time.perf_counter()
            done = subprocess.run(
                [*command, policy], check=True, capture_output=True, text=True, env=environment
            )
            took.append(time.perf_counter() - began)
        lines = re.findall(r"^(\w+): (\d+) decisions, return (\S+),", done.stdout, re.MULTILINE)
        return min(took), {agent: (int(count), float(earned)) for agent, count, earned in lines}

    beginning, few = run(duration_s / 100)
    whole, reported = run(duration_s)
    decisions = sum(count for count, _ in reported.values()) - sum(
        count for count, _ in few.values()
    )
    return (whole - beginning) / decisions, reported


def _in_turn(choose: Choose, duration_s: float) -> tuple[float, dict[str, tuple[int, float]]]:
    """Return seconds per decision in one simulation, and each agent's actions and rewards."""
    env = SPEC.raw_env(link="local", affinity="shared", duration=f"{duration_s}s", **ROUTERS)
    env.reset(seed=SEED)
    counts = dict.fromkeys(env.possible_agents, 0)
    earned = dict.fromkeys(env.possible_agents, 0.0)
    began = time.perf_counter()
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        # The program's returns include the rewards before the first decision.
        earned[agent] += reward + info.get("initial_reward", 0.0)
        if terminated or truncated:
            env.step(None)
            continue
        counts[agent] += 1
        env.step(choose(observation[None])[0])
    lasted = time.perf_counter() - began
    env.close()
    return lasted / sum(counts.values()), {
        agent: (counts[agent], earned[agent]) for agent in counts
    }


def _batched(choose: Choose, decisions: int, count: int) -> float:
    """Return the seconds per decision of several simulations that are stepped together."""
    env = SPEC.multi_agent_vector_env(count, duration="1000s", **ROUTERS)
    observations, infos = env.reset(seed=SEED)
    actions = np.zeros(env.action_space.shape or (), np.int64)
    made, began = 0, time.perf_counter()
    while made < decisions:
        deciding = infos["deciding"]
        actions[deciding] = choose(observations[deciding])
        made += int(deciding.sum())
        observations, *_, infos = env.step(actions)
    lasted = time.perf_counter() - began
    env.close()
    return lasted / made


# ------------------------------------------------------------------ rollouts

COLLECTORS: dict[str, type[Any]] = {"SB3's loop": PPO, "inside": InSimulationPPO}
SUBJECTS: dict[str, tuple[str, dict[str, Any], bool]] = {
    "cart_pole_v0": ("cart_pole_v0", {}, False),
    "packet_routing_v0, one router": (
        "packet_routing_v0",
        {"topology": "grid:1x3", "controlled": "r1", "packet_rate": 300, "infos": "brief"},
        False,
    ),
    "packet_routing_v0, 16 routers": (
        "packet_routing_v0",
        {"topology": "grid:4x4", "packet_rate": 300, "infos": "brief"},
        True,
    ),
}


def _rollouts(effort: Effort) -> Results:
    results: Results = {}
    for subject in list(SUBJECTS)[: effort.of(3, 1)]:
        name, parameters, shared = SUBJECTS[subject]
        seconds = {
            way: _collect(kind, name, parameters, effort.of(2048, 16), shared=shared)
            for way, kind in COLLECTORS.items()
        }
        for way, each in seconds.items():
            results[f"rollouts, {subject}, {way}"] = {
                "per_s": 1 / each,
                "speed_up": seconds["SB3's loop"] / each,
            }
    return results


def _collect(
    kind: type[Any], name: str, parameters: dict[str, Any], steps: int, *, shared: bool
) -> float:
    """Return the seconds per step of a rollout: the second rollout in one simulation."""
    make = make_shared_policy_vec_env if shared else make_vec_env
    env = make(name, seed=SEED, **parameters)
    settings = {"n_steps": steps, "batch_size": steps, "seed": SEED, "device": "cpu"}
    more = decisions_only(kind, env) if shared else {}
    model = kind("MlpPolicy", env, **settings, **more)
    _, callback = model._setup_learn(2 * steps * env.num_envs, CallbackList([]))
    for _ in range(2):
        began = time.perf_counter()
        model.collect_rollouts(env, callback, model.rollout_buffer, steps)
        lasted = time.perf_counter() - began
    env.close()
    return lasted / steps
