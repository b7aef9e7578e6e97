# SPDX-License-Identifier: GPL-2.0-only
"""`channel_sharing_v0`: `channel_access_v0` with three radios, which remember two slots.

The card beside this file describes the differences.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from defiance_zoo.envs.channel_access import channel_access_v0

_BEFORE = channel_access_v0.SPEC

SPEC = replace(
    _BEFORE,
    name="channel_sharing_v0",
    scenario=replace(
        _BEFORE.scenario,
        name="channel_sharing_v0",
        defaults={"radios": 3, "history": 2, "observe_actions": True},
    ),
    description="Three radios that share channels with an interferer, and observe past actions",
    leaderboard=Path(__file__).with_name("leaderboard_sharing.yaml"),
    trained=None,
)

env, raw_env, parallel_env = SPEC.env, SPEC.raw_env, SPEC.parallel_env
