# SPDX-License-Identifier: GPL-2.0-only
"""Compare LTE handovers: none, ns-3's algorithms, and A3-RSRP by agents in Python.

Four users drive through four cells; the agents are behind a backhaul of 0 and 200 ms. The program
takes two minutes on two cores.

    python examples/handover_baselines.py [--duration 10] [--seeds 3]
"""

from __future__ import annotations

import argparse
import statistics
from typing import Any

from defiance_zoo.environments import lookup
from defiance_zoo.experiments.evaluation import policy_makers

NAME = "handover_v0"


def play(
    policy: str, options: dict[str, Any], *, seed: int, **arguments: Any
) -> tuple[float, dict[str, Any]]:
    """Play an episode.

    Returns:
        The mean of the info `worth`, and the last info.
    """
    spec = lookup(NAME)
    env = spec.raw_env(link="local", **arguments)
    maker = policy_makers(spec)[policy]
    player = maker.make(env, seed, maker.read_options(options))
    env.reset(seed=seed)
    worth, info = [], {}
    for agent in env.agent_iter():
        observation, _, ended, cut, info = env.last()
        worth.append(float(info["worth"]))
        env.step(None if ended or cut else player.act(agent, observation, info))
    env.close()
    return statistics.fmean(worth[1:]), info


def main() -> None:
    """Play, compare, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--duration", type=float, default=10.0, help="of episodes, in s")
    parser.add_argument("--seeds", type=int, default=3)
    arguments = parser.parse_args()
    ways: dict[str, tuple[str, dict[str, Any]]] = {
        "nobody": ("stay", {}),
        "ns-3's A3-RSRP": ("stay", {"algorithm": "a3_rsrp"}),
        "ns-3's A2-A4-RSRQ": ("stay", {"algorithm": "a2_a4_rsrq"}),
        "A3-RSRP by agents": ("a3_rsrp", {}),
        "A3-RSRP by agents, 200 ms away": ("a3_rsrp", {"delay": "200ms"}),
    }
    print("four users: mean worth of an interval, handovers, failures")
    for title, (policy, chosen) in ways.items():
        played = [
            play(policy, {}, seed=seed, duration=arguments.duration, **chosen)
            for seed in range(arguments.seeds)
        ]
        worth = statistics.fmean(worth for worth, _ in played)
        handovers = sum(info["handover_count"] for _, info in played)
        failures = sum(info["failure_count"] for _, info in played)
        print(f"  {title}: {worth:.3f}, {handovers}, {failures}")


if __name__ == "__main__":
    main()
