# SPDX-License-Identifier: GPL-2.0-only
"""`tcp_congestion_v1`: `tcp_congestion_v0` with observations and actions for learning.

`card.md` describes the differences and the reasons.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from defiance_zoo.envs.tcp_congestion import tcp_congestion_v0

_BEFORE = tcp_congestion_v0.SPEC

SPEC = replace(
    _BEFORE,
    name="tcp_congestion_v1",
    scenario=replace(
        _BEFORE.scenario,
        name="tcp_congestion_v1",
        defaults={
            "observation": "history",
            "action_space": "continuous",
            "interval": "100ms",
            "reward_per": "second",
        },
    ),
    leaderboard=Path(__file__).with_name("leaderboard_v1.yaml"),
    trained=Path(__file__).with_name("trained_v1.onnx"),
)

env, raw_env, parallel_env = SPEC.env, SPEC.raw_env, SPEC.parallel_env
