# SPDX-License-Identifier: GPL-2.0-only
"""Every environment of the zoo beside the same scenario without Python."""

from __future__ import annotations

import contextlib
import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.builtin_policy import Floor
from benchmarks.processes import only_simulation
from benchmarks.situations import ONE_CORE, UNPINNED, Situation
from benchmarks.timing import Effort, Results, Times, in_us, time_each
from defiance_zoo.environments import EnvironmentSpec, lookup
from defiance_zoo.errors import SimulationCrashed
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv

WARM_UP = 200


@dataclass(frozen=True)
class Subject:
    """An environment, as it is measured.

    Attributes:
        step_s: Simulated seconds from one decision to the next.
        endless: Parameters with which no episode ends before its time.
        deployments: Parameters by name.
        share: Of the steps of others that are measured, where a step takes as long as many of
            theirs.
        policy: What decides without Python, as arguments of the scenario; by default at random.
    """

    step_s: float
    endless: dict[str, Any]
    deployments: dict[str, dict[str, Any]]
    share: float = 1
    policy: tuple[str, ...] = ()

    def of(self, steps: int) -> int:
        """Return how many steps there are instead of so many."""
        return max(1, round(steps * self.share))


SUBJECTS = {
    "cart_pole_v0": Subject(
        step_s=0.02,
        endless={"terminate_when_fallen": False},
        deployments={
            "nothing simulated": {"placement": "local"},
            "UDP": {"transport": "udp", "delay": 0.001},
            "TCP": {"transport": "tcp", "delay": 0.001},
            "UDP over Wi-Fi": {"transport": "udp", "access": "wifi"},
            "UDP over LTE": {"transport": "udp", "access": "lte"},
        },
    ),
    "channel_access_v0": Subject(
        step_s=0.001,
        endless={},
        deployments={f"{channels} channels": {"channels": channels} for channels in (4, 16)},
    ),
    "jamming_v0": Subject(
        step_s=0.001,
        endless={"opponent": "random"},
        deployments={"3 channels": {}},
    ),
    "channel_rps_v0": Subject(
        step_s=0.001,
        endless={"opponent": "random"},
        deployments={"3 settings": {}},
    ),
    "edge_cart_pole_v0": Subject(
        step_s=0.02,
        endless={"terminate_when_fallen": False},
        deployments={
            "fixed": {"migration": "fixed"},
            "follow, 100 kB of state": {"migration": "follow", "state_bytes": 100_000},
        },
    ),
    # Actions 0 and 1 leave all replicas together. A step is three ticks of 10 ms.
    "partition_v0": Subject(
        step_s=0.03,
        endless={"horizon": 1_000_000},
        deployments={"3 replicas": {}, "5 replicas": {"num_replicas": 5}},
        policy=("--policy=constant", "--action=0"),
    ),
    "partition_tendermint_v0": Subject(
        step_s=0.06,
        endless={"horizon": 1_000_000},
        deployments={"4 replicas": {}},
        policy=("--policy=constant", "--action=0"),
    ),
    # Back-off is the standard's, and what is sent ns-3's NewReno's, so that actions do not matter.
    "wifi_contention_v0": Subject(
        step_s=0.01,
        endless={"back_off": "standard"},
        deployments={
            f"{stations} stations": {"stations": stations} for stations in (5, 15, 30, 50)
        },
        share=0.005,
    ),
    "wifi_rate_control_v0": Subject(
        step_s=0.05,
        endless={"algorithm": "ideal", "details": False},
        deployments={"1 station": {}},
        share=0.02,
    ),
    "cell_power_v0": Subject(
        step_s=0.05,
        endless={"cells": 1},
        deployments={"two users": {}, "six users": {"users_per_cell": 6}},
        share=0.01,
    ),
    "handover_v0": Subject(
        step_s=0.24,
        endless={"users": 1, "algorithm": "none"},
        deployments={"four cells": {}, "UDP": {"transport": "udp", "delay": 0.001}},
        share=0.01,
    ),
    # A chain, of which the router in the middle is asked; ns-3's own routing leads the packets.
    "packet_routing_v0": Subject(
        step_s=0.01,
        endless={
            "topology": "grid:1x3",
            "controlled": "r1",
            "routing": "global",
            "matrix": "r0>r2:1",
            "packet_rate": 100,
        },
        deployments={"three routers": {}},
    ),
    "tcp_congestion_v0": Subject(
        step_s=0.05,
        endless={"algorithm": "newreno"},
        deployments={
            **{f"{flows} flows": {"cross_flows": flows - 1} for flows in (2, 8, 32)},
            "one flow, UDP": {"placement": "remote", "transport": "udp", "delay": 0.001},
        },
        share=0.05,
    ),
}
"""By the name of the environment; one that is registered and not here fails a test."""


def step_times(
    spec: EnvironmentSpec,
    parameters: dict[str, Any],
    situation: Situation,
    steps: int,
    warm_up: int,
) -> Times:
    """Return durations of steps of one long episode in seconds, shape (steps,)."""
    turn = itertools.cycle((0, 1))
    with situation.placed():
        env = GymnasiumEnv(spec, **parameters, **situation.arguments)
        env.reset(seed=1)
        times = time_each(lambda: env.step(next(turn)), steps, warm_up=warm_up)
        env.close()
    return times


def crash_times(spec: EnvironmentSpec, arguments: dict[str, Any], crashes: int) -> Times:
    """Return the seconds from kill -9 of a simulation to the exception, shape (crashes,)."""
    env = GymnasiumEnv(spec, **arguments)

    def crash() -> None:
        only_simulation().kill()
        with contextlib.suppress(SimulationCrashed):
            while True:
                env.step(0)

    times = np.zeros(crashes)
    for number in range(crashes):
        env.reset(seed=1)
        times[number] = time_each(crash, 1)[0]
    env.close()
    return times


def measure(effort: Effort) -> Results:
    """Measure each deployment of each environment."""
    results: Results = {}
    for name, subject in SUBJECTS.items():
        spec = lookup(name)
        warm_up, steps = subject.of(WARM_UP), subject.of(effort.of(10_000, 100))
        # Fewer would take no longer than what differs between two starts of a program.
        alone_steps = subject.of(effort.of(50_000, 5000))
        for deployment, parameters in subject.deployments.items():
            given = {**subject.endless, **parameters}
            floor = Floor(
                spec,
                given,
                decisions=alone_steps,
                step_s=subject.step_s,
                policy=subject.policy,
            )
            alone = floor.finish().wall
            given["duration"] = (steps + warm_up + 10) * subject.step_s
            for situation in (*UNPINNED[:2], *ONE_CORE[:2]):
                times = step_times(spec, given, situation, steps, warm_up)
                results[f"{name}, {deployment}, {situation.name}"] = {
                    **in_us(times),
                    "floor_built_in_policy_us": alone * 1e6,
                    "ratio_with_python": float(times.mean() / alone),
                    "simulated_s_per_s": float(subject.step_s / times.mean()),
                }
        for situation in UNPINNED[:2]:
            arguments = {**subject.endless, **situation.arguments}
            crashes = crash_times(spec, arguments, effort.of(20, 2))
            results[f"{name}, killed, {situation.link}"] = {
                "crash_noticed_max_ms": float(crashes.max() * 1e3)
            }
    return results
