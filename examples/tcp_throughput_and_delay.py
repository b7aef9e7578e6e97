# SPDX-License-Identifier: GPL-2.0-only
"""Compare congestion controls by throughput and delay: ns-3's, and policies in Python.

Each algorithm sends alone over the same bottleneck; the table shows throughput and packet delay.
Docs: envs/tcp_congestion/card.md
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from defiance_zoo.envs.tcp_congestion import tcp_congestion_v0, traces

ALGORITHMS = ("newreno", "cubic", "bbr", "vegas")
POLICIES = ("aimd", "delay", "bdp_window")


def parse_arguments() -> argparse.Namespace:
    """Return the arguments of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rate", default="10Mbps", help="of the bottleneck; default: %(default)s")
    parser.add_argument("--delay", default="10ms", help="of the bottleneck; default: %(default)s")
    parser.add_argument("--trace", choices=traces.names(), help="capacities instead of --rate")
    parser.add_argument("--duration", type=float, default=20.0, help="s; default: %(default)s")
    parser.add_argument("--seeds", type=int, default=3, help="episodes; default: %(default)s")
    return parser.parse_args()


def keep(_observation: Any) -> int:
    """Return an action that ns-3's algorithm ignores."""
    return 2


def play(seed: int, policy: str | None, **parameters: Any) -> tuple[float, float, float, float]:
    """Play an episode.

    Returns:
        Throughput in Mb/s, mean round trip time in ms, retransmitted segments, and return.
    """
    env = tcp_congestion_v0.parallel_env(link="local", **parameters)
    observations, _ = env.reset(seed=seed)
    act: Callable[[Any], Any] = keep
    if policy is not None:
        act = tcp_congestion_v0.SPEC.baselines[policy](env.action_space("agent_0"))
    times, total = [], 0.0
    while env.agents:
        observations, rewards, _, _, infos = env.step({"agent_0": act(observations["agent_0"])})
        times.append(observations["agent_0"][7])
        total += rewards["agent_0"]
    env.close()
    received = 8e-6 * infos["agent_0"]["received_bytes"] / parameters["duration"]
    return received, float(np.mean(times)), infos["agent_0"]["retransmissions"], total


def main() -> None:
    """Play all of them, and print a table."""
    given = parse_arguments()
    network: dict[str, Any] = {"bottleneck_delay": given.delay, "duration": given.duration}
    if given.trace is None:
        network["bottleneck_rate"] = given.rate
    else:
        network["capacity_trace"] = traces.path(given.trace)
    table = Table("congestion control", "Mb/s", "round trip time, ms", "sent again", "return")
    rows: list[tuple[str, str | None, dict[str, Any]]] = [
        *((f"{name}, ns-3's", None, {"algorithm": name}) for name in ALGORITHMS),
        *((f"{name}, Python", name, {}) for name in POLICIES),
    ]
    for name, policy, parameters in rows:
        played = [play(seed, policy, **network, **parameters) for seed in range(given.seeds)]
        means = np.mean(played, axis=0)
        table.add_row(name, f"{means[0]:.2f}", *(f"{mean:.1f}" for mean in means[1:]))
    Console().print(table)


if __name__ == "__main__":
    main()
