# SPDX-License-Identifier: GPL-2.0-only
"""Returns of agents that follow their cart, and of agents that stay.

State feedback plays edge_cart_pole_v0 over UDP, at several distances between edge nodes, and with
several prices of a move. Figures are in simulated time, so they are equal on every machine.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.measuring.timing import Effort, Figures, Results
from defiance_zoo.envs import edge_cart_pole_v0
from defiance_zoo.envs.edge_cart_pole.baselines import state_feedback_policy

HANDOVER_S = 2.1
"""Four handovers in an episode of 10 s."""
HOP_DELAYS_MS = (0, 5, 10, 15, 20, 30)
HOP_DELAY_MS = 20
"""Deployments in which size and rate are varied."""
WAYS: dict[str, dict[str, Any]] = {
    "fixed, 3 edge nodes": {"migration": "fixed", "edges": 3},
    "fixed": {"migration": "fixed"},
    "follow": {"migration": "follow"},
    "follow live, 100 kB": {"state_bytes": 100_000},
    "follow live, 1 MB": {"state_bytes": 1_000_000},
    "stop and copy, 100 kB": {"state_bytes": 100_000, "state_transfer": "stop-and-copy"},
}
"""Parameters of deployments by name, with a backbone of 10 Mbps."""
SIZES = {"10 kB": 10_000, "100 kB": 100_000, "1 MB": 1_000_000, "10 MB": 10_000_000}
RATES = ("10 Mbps", "100 Mbps")
TRANSFERS = {"live": "live", "stop and copy": "stop-and-copy"}


def play(env: Any, seed: int) -> tuple[float, dict[str, Any]]:
    """Return the return of an episode with state feedback, and its last infos."""
    env.reset(seed=seed)
    act = state_feedback_policy(env.action_space("agent_0"))
    total = 0.0
    for _agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        total += reward
        env.step(None if terminated or truncated else act(observation))
    return total, info


def episodes(effort: Effort, hop_delay_ms: int, **parameters: Any) -> Figures:
    """Return the returns of episodes, and the completed share of begun moves."""
    env = edge_cart_pole_v0.raw_env(
        hop_delay=f"{hop_delay_ms}ms",
        handover_interval=f"{HANDOVER_S}s",
        duration=f"{effort.of(500, 5) * 0.02}s",
        link="local",
        **parameters,
    )
    reported = [play(env, seed) for seed in range(1, 1 + effort.of(5, 1))]
    env.close()
    returns = [total for total, _ in reported]
    made = sum(info["moves/completed"] for _, info in reported)
    ended = ("replaced", "failed", "under_way")
    not_made = sum(info[f"moves/{each}"] for _, info in reported for each in ended)
    return {
        "return": float(np.mean(returns)),
        "lowest": min(returns),
        "highest": max(returns),
        "made_share": made / max(1, made + not_made),
    }


def measure(effort: Effort) -> Results:
    """Measure each deployment over distances, then over sizes and rates."""
    results: Results = {}
    for name, way in WAYS.items():
        for delay_ms in HOP_DELAYS_MS:
            results[f"{name}, {delay_ms} ms"] = episodes(
                effort, delay_ms, backbone_rate="10Mbps", **way
            )
    for name, transfer in TRANSFERS.items():
        for size, state_bytes in SIZES.items():
            for rate in RATES:
                results[f"{name}, {size}, {rate}"] = episodes(
                    effort,
                    HOP_DELAY_MS,
                    state_bytes=state_bytes,
                    state_transfer=transfer,
                    backbone_rate=rate.replace(" ", ""),
                )
    return results
