# SPDX-License-Identifier: GPL-2.0-only
"""Delays, losses and returns in each access network of cart_pole_v0.

Figures are in simulated time, so they are equal on every machine.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.measuring.timing import Effort, Figures, Results
from defiance_zoo.envs import cart_pole_v0
from defiance_zoo.envs.cart_pole.baselines import state_feedback_policy

ACCESS = ("point-to-point", "csma", "wifi", "lte")


def play(access: str, carts: int, seed: int, duration_s: float) -> Figures:
    """Return the results of an episode with state feedback over UDP; each cart has an agent."""
    env = cart_pole_v0.raw_env(
        access=access,
        carts=carts,
        transport="udp",
        duration=f"{duration_s}s",
        communication_infos=True,
        link="local",
    )
    env.reset(seed=seed)
    first = env.infos[env.agent_selection]["sim_time_ns"]
    acts = {agent: state_feedback_policy(env.action_space(agent)) for agent in env.agents}
    total = 0.0
    reported: dict[str, Any] = {}
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        total += reward
        reported.update({key: value for key, value in info.items() if key.endswith("_latency")})
        env.step(None if terminated or truncated else acts[agent](observation))
    env.close()
    return {
        "observation_us": _over("observation/mean", reported, np.mean),
        "observation_max_us": _over("observation/max", reported, np.max),
        "action_us": _over("action/mean", reported, np.mean),
        "action_max_us": _over("action/max", reported, np.max),
        "first_decision_ms": first / 1e6,
        "return": total / carts,
    }


def _over(what: str, reported: dict[str, Any], reduce: Any) -> float:
    return float(reduce([v for k, v in reported.items() if k.endswith(f"/{what}_latency")]) * 1e6)


def measure(effort: Effort) -> Results:
    """Measure each network with one cart, and with many carts, which interfere."""
    results: Results = {}
    for access in ACCESS:
        for carts in (1, 10):
            seeds = range(1, 1 + effort.of(3, 1))
            duration_s = effort.of(500, 5) * 0.02
            episodes = [play(access, carts, seed, duration_s) for seed in seeds]
            name = f"{access}, {carts} cart{'s' * (carts > 1)}"
            results[name] = {
                figure: float(np.mean([episode[figure] for episode in episodes]))
                for figure in episodes[0]
            }
    return results
