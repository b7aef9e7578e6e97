# SPDX-License-Identifier: GPL-2.0-only
"""`video_streaming_v0`: agents that choose the bitrate of each chunk of a video.

`card.md` describes network, observations, rewards and ends.
"""

from __future__ import annotations

from pathlib import Path

from defiance_zoo.bridge.simulation import Scenario
from defiance_zoo.environments import EnvironmentSpec, divide_by_device
from defiance_zoo.envs.video_streaming.baselines import BASELINES
from defiance_zoo.envs.video_streaming.rendering import VideoStreamingRenderer

SPEC = EnvironmentSpec(
    name="video_streaming_v0",
    scenario=Scenario.python(
        "video_streaming_v0",
        "scenario.py",
        defaults={"placement": "local", "duration": "3000s"},
    ),
    renderer=VideoStreamingRenderer(),
    baselines=BASELINES,
    divide=divide_by_device,
    description="video clients that choose the bitrate of each chunk, over TCP and a bottleneck",
    leaderboard=Path(__file__).with_name("leaderboard.yaml"),
    trained=Path(__file__).with_name("trained.onnx"),
)

env, raw_env, parallel_env = SPEC.env, SPEC.raw_env, SPEC.parallel_env
