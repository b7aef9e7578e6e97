# SPDX-License-Identifier: GPL-2.0-only
"""`tcp_congestion_v0`: agents as the congestion control of TCP flows that share bottlenecks.

`card.md` describes network, observations, rewards and ends.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from defiance_zoo.bridge.simulation import Scenario
from defiance_zoo.environments import EnvironmentSpec, PolicyMaker, divide_by_device
from defiance_zoo.envs.tcp_congestion.baselines import (
    BestWindow,
    aimd_policy,
    bdp_plus_policy,
    bdp_policy,
    delay_policy,
)
from defiance_zoo.envs.tcp_congestion.rendering import TcpCongestionRenderer

_LINUX = (
    "algorithms are ns-3's here, in simulated time. Linux's algorithms run in real time without an "
    "agent: `make linux-tcp` in a checkout compares them"
)

SPEC = EnvironmentSpec(
    name="tcp_congestion_v0",
    scenario=replace(
        Scenario.of_environment("tcp_congestion_v0", "tcp_congestion"),
        elsewhere={"algorithm": {"linux:": _LINUX}},
    ),
    baselines={
        "aimd": aimd_policy,
        "delay": delay_policy,
        "bdp_window": bdp_policy,
        "bdp_window_plus_2": bdp_plus_policy,
        "best_window": PolicyMaker(
            BestWindow, BestWindow.__module__, costly=True, kind="reference"
        ),
    },
    renderer=TcpCongestionRenderer(),
    divide=divide_by_device,
    description="TCP flows that share bottlenecks, each with an agent as its congestion control",
    leaderboard=Path(__file__).with_name("leaderboard.yaml"),
    trained=Path(__file__).with_name("trained.onnx"),
)

env, raw_env, parallel_env = SPEC.env, SPEC.raw_env, SPEC.parallel_env
