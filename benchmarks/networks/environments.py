# SPDX-License-Identifier: GPL-2.0-only
"""Every environment, compared with the same scenario without Python."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.measuring.builtin_policy import Floor
from benchmarks.measuring.processes import only_simulation
from benchmarks.measuring.situations import ONE_CORE, UNPINNED
from benchmarks.measuring.timing import Effort, Figures, Results, Times, in_us, time_each
from benchmarks.measuring.turns import Attached, Episode, in_turns
from defiance_zoo.environments import EnvironmentSpec, lookup
from defiance_zoo.errors import SimulationCrashed
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv


@dataclass(frozen=True)
class Subject:
    """The measurement of an environment.

    Attributes:
        step_s: Simulated seconds between two decisions.
        endless: Parameters with which no episode ends early.
        deployments: Parameters by name.
        policy: Policy without Python, as arguments of the scenario; by default random.
        steps: Number of measured steps.
        alone: Number of steps without Python, or `steps` if these take seconds; with fewer steps,
            differences between program starts would dominate.
        actions: Python's actions, used in turns.
    """

    step_s: float
    endless: dict[str, Any]
    deployments: dict[str, dict[str, Any]]
    policy: tuple[str, ...] = ()
    steps: int = 10_000
    alone: int = 50_000
    actions: tuple[int, int] = 0, 1


SUBJECTS = {
    "cart_pole_v0": Subject(
        step_s=0.02,
        endless={"terminate_when_fallen": False},
        deployments={
            "nothing simulated": {"placement": "local"},
            "UDP": {"transport": "udp", "delay": "1ms"},
            "TCP": {"transport": "tcp", "delay": "1ms"},
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
        steps=1000,  # infos contain the decisions, which grow
        alone=5000,
    ),
    # Back-off is the standard's, and traffic is ns-3's NewReno, so actions have no effect.
    "wifi_contention_v0": Subject(
        step_s=0.01,
        endless={"back_off": "standard"},
        deployments={
            f"{stations} stations": {"stations": stations} for stations in (5, 15, 30, 50)
        },
        steps=100,
        alone=100,
    ),
    "wifi_rate_control_v0": Subject(
        step_s=0.05,
        endless={"algorithm": "ideal", "details": False},
        deployments={"1 station": {}},
        steps=400,
        alone=400,
    ),
    "cell_power_v0": Subject(
        step_s=0.05,
        endless={"cells": 1},
        deployments={"two users": {}, "six users": {"users_per_cell": 6}},
        steps=200,
        alone=200,
    ),
    # One cell that never sleeps.
    "cell_sleep_v0": Subject(
        step_s=0.5,
        endless={"cells": 1, "users": 2, "placement": "local"},
        deployments={"one cell": {}},
        steps=50,
        alone=50,
    ),
    "multi_access_v0": Subject(
        step_s=0.1,
        endless={},
        deployments={
            "constant links": {"links": "point-to-point"},
            "Wi-Fi and LTE": {},
        },
        steps=200,
        alone=200,
    ),
    "handover_v0": Subject(
        step_s=0.24,
        endless={"users": 1, "algorithm": "none"},
        deployments={"four cells": {}, "UDP": {"transport": "udp", "delay": "1ms"}},
        steps=200,
        alone=200,
    ),
    # A chain whose middle router decides; ns-3's routing forwards the packets.
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
    # At 1850 kb/s, the buffer is full: a chunk is requested after the previous chunk was played.
    "video_streaming_v0": Subject(
        step_s=4.0,
        endless={"chunks": 1000, "buffer_limit": "4s", "capacity": "constant"},
        deployments={"one client": {}},
        policy=("--policy=constant", "--action=3"),
        steps=400,
        alone=400,
        actions=(3, 3),
    ),
    "tcp_congestion_v0": Subject(
        step_s=0.05,
        endless={"algorithm": "newreno"},
        deployments={
            **{f"{flows} flows": {"cross_flows": flows - 1} for flows in (2, 8, 32)},
            "one flow, UDP": {"placement": "remote", "transport": "udp", "delay": "1ms"},
        },
        steps=1000,
        alone=1000,
    ),
}
"""Measurements by environment; a test fails if an environment is missing."""


def beside_its_floor(
    spec: EnvironmentSpec, subject: Subject, parameters: dict[str, Any], effort: Effort
) -> dict[str, Figures]:
    """Return the duration of steps and Python's share by situation."""
    given = {**subject.endless, **parameters}
    steps = effort.of(subject.steps, max(subject.steps // 100, 1))
    alone = effort.of(subject.alone, max(subject.alone // 10, 1))
    results = {}
    for situation in (*UNPINNED[:2], *ONE_CORE[:2]):
        arguments = {**given, **situation.arguments}
        with situation.placed():
            attached = Attached(Episode(spec, arguments, subject.step_s, steps, subject.actions))
            floor = Floor(
                spec, given, decisions=alone, step_s=subject.step_s, policy=subject.policy
            )
            with_python, without = in_turns([attached, floor])
        results[situation.name] = {
            **in_us(np.array(attached.times)),
            "floor_built_in_policy_us": without.wall * 1e6,
            "ratio_with_python": with_python.wall / without.wall,
            "simulated_s_per_s": subject.step_s / with_python.wall,
        }
    return results


def crash_times(spec: EnvironmentSpec, arguments: dict[str, Any], crashes: int) -> Times:
    """Return the seconds from a simulation's kill -9 to the exception, shape (crashes,)."""
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
        for deployment, parameters in subject.deployments.items():
            found = beside_its_floor(spec, subject, parameters, effort)
            results |= {f"{name}, {deployment}, {case}": each for case, each in found.items()}
        for situation in UNPINNED[:2]:
            arguments = {**subject.endless, **situation.arguments}
            crashes = crash_times(spec, arguments, effort.of(20, 2))
            results[f"{name}, killed, {situation.link}"] = {
                "crash_noticed_max_ms": float(crashes.max() * 1e3)
            }
    return results
