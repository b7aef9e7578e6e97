# SPDX-License-Identifier: GPL-2.0-only
"""`handover_v1`: `handover_v0` with event reports, trends, and neighbours by rank.

The card beside this file describes the differences and their reasons.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from defiance_zoo.envs.handover import handover_v0

_BEFORE = handover_v0.SPEC

SPEC = replace(
    _BEFORE,
    name="handover_v1",
    scenario=replace(
        _BEFORE.scenario,
        name="handover_v1",
        defaults={
            "reports": "both",
            "hysteresis": 0.0,
            "time_to_trigger": "0ms",
            "observation": "neighbours",
        },
    ),
    leaderboard=Path(__file__).with_name("leaderboard_v1.yaml"),
    trained=Path(__file__).with_name("trained_v1.onnx"),
)

env, raw_env, parallel_env = SPEC.env, SPEC.raw_env, SPEC.parallel_env
