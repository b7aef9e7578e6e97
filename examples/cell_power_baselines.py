# SPDX-License-Identifier: GPL-2.0-only
"""Compare powers of LTE cells: one common power, and the power that each cell's worst user needs.

Three cells have two users each, at random places. The program takes a minute on two cores.

    python examples/cell_power_baselines.py [--duration 2] [--seeds 3]
"""

from __future__ import annotations

import argparse
import statistics
from typing import Any

from defiance_zoo.environments import lookup
from defiance_zoo.experiments.evaluation import policy_makers

NAME = "cell_power_v0"


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
    parser.add_argument("--duration", type=float, default=2.0, help="of episodes, in s")
    parser.add_argument("--seeds", type=int, default=3)
    arguments = parser.parse_args()
    choices: list[tuple[str, dict[str, Any]]] = [
        *(("constant", {"power": power}) for power in (10.0, 20.0, 30.0)),
        *(("target_tracking", {"target": target}) for target in (3.0, 9.0)),
    ]
    print("three cells: mean worth of an interval, Mb/s at the end")
    for policy, options in choices:
        played = [
            play(policy, options, seed=seed, placement="central", duration=arguments.duration)
            for seed in range(arguments.seeds)
        ]
        worth = statistics.fmean(worth for worth, _ in played)
        throughput = statistics.fmean(info["throughput"] for _, info in played)
        print(f"  {policy} {options}: {worth:.3f}, {throughput:.2f}")


if __name__ == "__main__":
    main()
