# SPDX-License-Identifier: GPL-2.0-only
"""The cost of Python, and the gain of a second core, in long simulations."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.measuring.bare_zmq import BareZmq
from benchmarks.measuring.builtin_policy import Floor
from benchmarks.measuring.programs import TRAFFIC
from benchmarks.measuring.situations import CORES, ONE_CORE, UNPINNED, Situation, on_cores
from benchmarks.measuring.timing import Effort, Figures, Results
from benchmarks.measuring.turns import Attached, Elsewhere, Episode, Run, in_turns, speed_up
from defiance_zoo.environments import EnvironmentSpec, lookup

ACTION = 3
POLICY = ("--policy=constant", f"--action={ACTION}")


@dataclass(frozen=True)
class Subject:
    """An environment with traffic.

    Attributes:
        spec: Specification of the environment.
        parameters: Parameters of the network.
        step_s: Simulated seconds between two decisions.
        decisions: Number of measured decisions, some seconds of wall time.
        rounds: Factor of repetitions; short decisions need more repetitions.
    """

    spec: EnvironmentSpec
    parameters: dict[str, Any]
    step_s: float
    decisions: int = 100
    rounds: int = 1

    def floor(self, decisions: int) -> Floor:
        """Return the run without Python."""
        return Floor(
            self.spec,
            self.parameters,
            decisions=decisions,
            step_s=self.step_s,
            policy=POLICY,
        )

    def episode(self, decisions: int, arguments: dict[str, Any]) -> Episode:
        """Return the run with Python."""
        given = {**self.parameters, **arguments}
        return Episode(self.spec, given, self.step_s, decisions, (ACTION,))


CONGESTED = {"algorithm": "newreno", "cross_flows": 7}
WITH_LITTLE_TO_SIMULATE = "tcp_congestion_v0, 8 flows, 10 Mb/s"
SUBJECTS = {
    "8 TCP connections": Subject(TRAFFIC, {}, 0.02),
    "wifi_contention_v0, 15 stations": Subject(
        lookup("wifi_contention_v0"), {"stations": 15}, 0.01
    ),
    "tcp_congestion_v0, 8 flows, 100 Mb/s": Subject(
        lookup("tcp_congestion_v0"), {**CONGESTED, "bottleneck_rate": "100Mbps"}, 0.05
    ),
    WITH_LITTLE_TO_SIMULATE: Subject(lookup("tcp_congestion_v0"), CONGESTED, 0.05, 1000, 2),
}


def beside_its_floor(
    subject: Subject,
    situation: Situation,
    decisions: int,
    rounds: int,
    player: type[Attached] = Attached,
) -> Figures:
    """Return the cost of Python.

    Two processes of one program may differ by some percent, so results are medians of several
    rounds.
    """
    episode = subject.episode(decisions, situation.arguments)
    with situation.placed():
        played = [in_turns([player(episode), subject.floor(decisions)]) for _ in range(rounds)]
    attached, alone = np.array(played).swapaxes(0, 1)
    ratio = np.median(attached[:, :2] / alone[:, :2], axis=0)
    decision_s, floor_s = np.median(attached[:, 0]), np.median(alone[:, 0])
    return {
        "decision_ms": float(decision_s * 1e3),
        "floor_built_in_policy_ms": float(floor_s * 1e3),
        "ratio_with_python": float(ratio[0]),
        "ratio_of_cpu": float(ratio[1]),
        "python_share": float(np.median(attached[:, 2] / attached[:, 1])),
        "simulated_s_per_s": float(subject.step_s / decision_s),
    }


def attach(name: str, decisions: int) -> Attached:
    """Begin an episode with Python over the local link."""
    return Attached(SUBJECTS[name].episode(decisions, {"link": "local"}))


def on_two_cores(name: str, cores: list[int], decisions: int, rounds: int) -> Figures:
    """Return the gain of a second core, with Python and without."""
    attached = functools.partial(attach, name, decisions)

    def floor(core: int) -> Floor:
        with on_cores({core}):
            return SUBJECTS[name].floor(decisions)

    def median(start: Callable[[int], Run]) -> float:
        return float(np.median([speed_up(start, cores) for _ in range(rounds)]))

    return {
        "speed_up": median(functools.partial(Elsewhere, attached)),
        "floor_speed_up": median(floor),
    }


def measure(effort: Effort) -> Results:
    """Measure one simulation in each situation, and two simulations at a time."""
    results: Results = {}
    for name, subject in SUBJECTS.items():
        decisions = effort.of(subject.decisions, subject.decisions // 10)
        rounds = effort.of(3 * subject.rounds, 1)
        for situation in (*UNPINNED[:2], *ONE_CORE[:2]):
            figures = beside_its_floor(subject, situation, decisions, rounds)
            results[f"{name}, {situation.name}"] = figures
            if name == WITH_LITTLE_TO_SIMULATE and situation.link == "zmq":
                figures = beside_its_floor(subject, situation, decisions, rounds, BareZmq)
                results[f"pyzmq alone: {name}, {situation.name}"] = figures
        cores = sorted(CORES)[:2]
        if len(cores) == 2:
            figures = on_two_cores(name, cores, decisions, rounds)
            results[f"two on two cores, against one: {name}"] = figures
    return results
