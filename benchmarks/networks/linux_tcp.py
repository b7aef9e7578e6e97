# SPDX-License-Identifier: GPL-2.0-only
"""Compare ns-3's TCP with Linux's TCP over the bottleneck of tcp_congestion_v0.

    chrt --rr 2 python -m benchmarks.networks.linux_tcp [--quick] [--only LINK] [--out FOLDER]

ns-3's senders play tcp_congestion_v0 with an ns-3 algorithm. Linux's senders are iperf3 in hosts;
their packets cross the same bottleneck in real time. For one flow, results are throughput, round
trip time and retransmissions, over the whole time and after START_S seconds. For two flows, the
result is Jain's index. A repetition with Linux is dropped and repeated if an event was later than
MAX_LAG. Lags are small because the kernel runs the simulation before iperf3, and both before other
processes. The part "lag" measures how late ns-3 is while two flows send between four hosts.
"""

from __future__ import annotations

import functools
import json
import statistics
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import defiance_zoo
from benchmarks.measuring.command import Part, measure_parts
from benchmarks.measuring.timing import Effort, Figures, Results
from defiance_zoo.envs import tcp_congestion_v0
from defiance_zoo.errors import RealTimeLost
from defiance_zoo.experiments.workbench.estimates import Estimate

Flows = list[Figures]
"""Figures of each flow of an episode: FIGURES, and `lag_ms`."""
Play = Callable[[dict[str, Any], int, int, float], Flows]
"""Takes a link, a number of flows, a seed and seconds; returns the flows' figures."""

SCENARIO = Path(__file__).parents[1] / "scenarios" / "linux_flows.py"
FIGURES = ("mbps", "rtt_ms", "retransmissions", "late_retransmissions")
"""Figures of one flow; late figures begin after START_S seconds."""
REPETITIONS = 5
SECONDS = 15.0
START_S = 5.0
INTERVAL_S = 0.1
MAX_LAG = "20ms"
MOST_DROPPED = 50
"""Maximum number of dropped repetitions of a case; beyond it, the machine is too busy."""
LINKS = {
    name: {"bottleneck_rate": rate, "bottleneck_delay": delay, "buffer": buffer}
    for name, rate, delay, buffer in (
        ("3 Mb/s, 30 ms", "3Mbps", "30ms", 20),
        ("10 Mb/s, 10 ms", "10Mbps", "10ms", 33),
        ("50 Mb/s, 10 ms", "50Mbps", "10ms", 166),
    )
}
"""The buffers hold one bandwidth-delay product; 10 ms of the delay belong to the leaves."""


def play_ns3(algorithm: str, link: dict[str, Any], flows: int, seed: int, seconds: float) -> Flows:
    """Play an episode of tcp_congestion_v0 with an ns-3 algorithm."""
    env = tcp_congestion_v0.parallel_env(
        link="local", algorithm=algorithm, flows=flows, duration=seconds, interval=INTERVAL_S,
        start_jitter="0s", **link,
    )  # fmt: skip
    env.reset(seed=seed)
    rounds: list[dict[str, dict[str, Any]]] = []
    while env.agents:
        *_, infos = env.step(dict.fromkeys(env.agents, 2))
        rounds.append(infos)
    env.close()
    return [_read_infos([each[agent] for each in rounds]) for agent in rounds[0]]


def _read_infos(infos: list[dict[str, Any]]) -> Figures:
    """Return a flow's figures from the agent's infos, one for each interval."""
    start, end = infos[_start(len(infos)) - 1], infos[-1]
    return {
        "mbps": 8e-6 * end["received_bytes"] / (len(infos) * INTERVAL_S),
        "rtt_ms": statistics.fmean(each["round_trip_time"] for each in infos if each["deciding"]),
        "retransmissions": end["retransmissions"],
        "late_retransmissions": end["retransmissions"] - start["retransmissions"],
        "lag_ms": 0.0,
    }


def _start(intervals: int) -> int:
    """Return the number of intervals at an episode's start: of a quick episode, a third."""
    return min(round(START_S / INTERVAL_S), intervals // 3)


def play_linux(
    algorithm: str, link: dict[str, Any], flows: int, seed: int, seconds: float
) -> Flows:
    """Play an episode with Linux's TCP.

    Raises:
        RealTimeLost: An event was later than MAX_LAG.
    """
    return play_hosts(link, seed, algorithm=algorithm, flows=flows, seconds=seconds)[0]


def play_hosts(
    link: dict[str, Any], seed: int, *, max_lag: str = MAX_LAG, **parameters: Any
) -> tuple[Flows, list[float]]:
    """Return each iperf3 flow's figures, and the largest lag in each 100 ms, in ms.

    Raises:
        RealTimeLost: An event was later than `max_lag`.
    """
    parameters = {"runner": "chrt --rr 1", **link, **parameters}
    env = defiance_zoo.make(str(SCENARIO), api="gymnasium", max_lag=max_lag, **parameters)
    lags = []
    try:
        _, info = env.reset(seed=seed)
        ended = False
        while not ended:
            *_, terminated, truncated, info = env.step(0)
            ended = terminated or truncated
            lags.append(1e3 * info["realtime/lag"])
    finally:
        env.close()
    reports = [_read_report(json.loads(info[f"report_{i}"])) for i in range(parameters["flows"])]
    return [{**each, "lag_ms": max(lags)} for each in reports], lags


def _read_report(report: dict[str, Any]) -> Figures:
    """Return the figures of a flow from iperf3's output."""
    end, intervals = report["end"], report["intervals"]
    late = [each["sum"] for each in intervals[_start(len(intervals)) :]]
    return {
        "mbps": end["sum_received"]["bits_per_second"] / 1e6,
        "rtt_ms": end["streams"][0]["sender"]["mean_rtt"] / 1e3,
        "retransmissions": end["sum_sent"]["retransmits"],
        "late_retransmissions": sum(each["retransmits"] for each in late),
    }


LINUX = ("reno", "cubic", "bbr")
NS3 = ("newreno", "linux_reno", "cubic", "bbr")
STACKS: dict[str, Play] = {
    **{f"{name}, Linux": functools.partial(play_linux, name) for name in LINUX},
    **{f"{name}, ns-3": functools.partial(play_ns3, name) for name in NS3},
}


def require_offered() -> None:
    """Check before any episode that the kernel has the congestion controls.

    Raises:
        ParameterError: A congestion control is missing.
    """
    for name in LINUX:
        defiance_zoo.make(str(SCENARIO), api="gymnasium", algorithm=name).close()


def repeat(play: Play, link: dict[str, Any], flows: int, effort: Effort) -> tuple[list[Flows], int]:
    """Return the repetitions of a case, and the number of dropped ones."""
    seconds = 1.0 if effort.quick else SECONDS
    done: list[Flows] = []
    dropped = 0
    while len(done) < effort.of(REPETITIONS, 2):
        try:
            done.append(play(link, flows, len(done) + 1, seconds))
        except RealTimeLost:
            dropped += 1
            if dropped > MOST_DROPPED:
                raise
    return done, dropped


def measure_case(play: Play, link: dict[str, Any], effort: Effort) -> Figures:
    """Return means and intervals for one flow and for two flows."""
    alone, dropped_alone = repeat(play, link, 1, effort)
    both, dropped_both = repeat(play, link, 2, effort)
    figures: Figures = {
        "dropped": dropped_alone + dropped_both,
        "lag_ms": max(flow["lag_ms"] for each in (*alone, *both) for flow in each),
    }
    for name in FIGURES:
        figures |= estimate(name, [flow[name] for (flow,) in alone])
    return figures | estimate("jain", [jain([flow["mbps"] for flow in each]) for each in both])


def estimate(name: str, values: list[float]) -> Figures:
    """Return the mean of values, and its confidence interval."""
    found = Estimate.of(values)
    assert found.low is not None
    assert found.high is not None
    return {name: found.mean, f"{name}_low": found.low, f"{name}_high": found.high}


def jain(rates: list[float]) -> float:
    """Return Jain's index of rates."""
    return sum(rates) ** 2 / (len(rates) * sum(rate**2 for rate in rates))


def measure_link(name: str, effort: Effort) -> Iterator[Results]:
    """Measure all stacks over a link."""
    for stack, play in STACKS.items():
        yield {f"{name}, {stack}": measure_case(play, LINKS[name], effort)}


def measure_lag(effort: Effort) -> Iterator[Results]:
    """Measure ns-3's lag on each link while two flows of cubic send for a minute."""
    for name, link in LINKS.items():
        flows, lags = play_hosts(
            link, 1, max_lag="5s", algorithm="cubic", flows=2, seconds=effort.of(60, 1)
        )
        yield {
            f"{name}, four hosts": {
                "both_mbps": sum(each["mbps"] for each in flows),
                "lag_median_ms": statistics.median(lags),
                "lag_p99_ms": float(np.percentile(lags, 99)),
                "lag_max_ms": max(lags),
            }
        }


PARTS = {
    **{
        name: Part(functools.partial(measure_link, name), f"{name}, .*, (Linux|ns-3)")
        for name in LINKS
    },
    "lag": Part(measure_lag, ".*, four hosts"),
}


if __name__ == "__main__":
    require_offered()
    measure_parts(__doc__, "linux_tcp", PARTS)
