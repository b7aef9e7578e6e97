# SPDX-License-Identifier: GPL-2.0-only
"""A workload for each environment: a built-in policy plays it without Python."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from defiance_zoo.bridge.simulation import describe
from defiance_zoo.environments import lookup

RANDOM = ("--policy=random",)
STAY = ("--policy=constant", "--action=0")


@dataclass(frozen=True)
class Workload:
    """An environment with its parameters and its policy.

    Attributes:
        environment: Name of the environment.
        seconds: Simulated seconds of an episode that takes about one second of CPU time.
        parameters: All other parameters.
        policy: Arguments that select the built-in policy.
        length: Parameter that bounds an episode.
        step_s: Unit of `length`, in simulated seconds.
    """

    environment: str
    seconds: float
    parameters: dict[str, Any] = field(default_factory=dict)
    policy: tuple[str, ...] = RANDOM
    length: str = "duration"
    step_s: float | None = None

    def locate(self) -> Path:
        """Return the program."""
        return lookup(self.environment).scenario.locate(self.parameters).resolve()

    def arguments(self, part: float = 1.0) -> list[str]:
        """Return the program's arguments.

        Args:
            part: The part of the episode to play.
        """
        seconds = self.seconds * part
        length = seconds if self.step_s is None else max(1, round(seconds / self.step_s))
        given = {**self.parameters, self.length: length}
        return [*describe(self.locate()).to_arguments(given), *self.policy]


WORKLOADS = {
    "cart_pole_v0, UDP": Workload(
        "cart_pole_v0",
        800.0,
        {"transport": "udp", "delay": "1ms", "terminate_when_fallen": False},
    ),
    "channel_access_v0": Workload("channel_access_v0", 60.0),
    "jamming_v0": Workload("jamming_v0", 60.0, {"opponent": "random"}),
    "channel_rps_v0": Workload("channel_rps_v0", 30.0, {"opponent": "random"}),
    "edge_cart_pole_v0": Workload(
        "edge_cart_pole_v0", 200.0, {"migration": "follow", "terminate_when_fallen": False}
    ),
    "partition_v0": Workload("partition_v0", 300.0, policy=STAY, length="horizon", step_s=0.03),
    "wifi_contention_v0, 15 stations": Workload(
        "wifi_contention_v0", 1.2, {"stations": 15, "back_off": "standard"}
    ),
    "wifi_rate_control_v0": Workload(
        "wifi_rate_control_v0", 3.0, {"algorithm": "ideal", "details": False}
    ),
    "cell_power_v0": Workload("cell_power_v0", 5.0),
    "handover_v0": Workload("handover_v0", 15.0),
    "packet_routing_v0": Workload("packet_routing_v0", 60.0),
    "tcp_congestion_v0, 8 flows, 100 Mb/s": Workload(
        "tcp_congestion_v0",
        3.0,
        {
            "flows": 8,
            "bottleneck_rate": "100Mbps",
            "leaf_rate": "1Gbps",
            "algorithm": "newreno",
        },
    ),
}
"""Workloads by label; networks with eight TCP flows and with 15 stations cost the most."""
