# SPDX-License-Identifier: GPL-2.0-only
"""`cell_sleep_v1`: `cell_sleep_v0` with traffic that moves between cells, which agents observe.

The card beside this file describes the differences and their reasons.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from defiance_zoo.envs.cell_sleep import cell_sleep_v0

_BEFORE = cell_sleep_v0.SPEC

SPEC = replace(
    _BEFORE,
    name="cell_sleep_v1",
    scenario=replace(
        _BEFORE.scenario,
        name="cell_sleep_v1",
        defaults={
            **_BEFORE.scenario.defaults,
            "observation": "traffic",
            "shift": 8.0,
            "spacing": 800.0,
            "energy_price": 0.5,
        },
    ),
    leaderboard=Path(__file__).with_name("leaderboard_v1.yaml"),
    trained=None,
)

env, raw_env, parallel_env = SPEC.env, SPEC.raw_env, SPEC.parallel_env
