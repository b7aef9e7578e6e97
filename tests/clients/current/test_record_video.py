# SPDX-License-Identifier: GPL-2.0-only
"""Gymnasium's RecordVideo, which needs MoviePy, films environments with one agent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import pytest
from gymnasium.wrappers import RecordVideo

import defiance_zoo  # noqa: F401 # registers environments

# A separate process encodes videos; MoviePy leaves its pipe to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")

ENVIRONMENTS: dict[str, dict[str, Any]] = {
    "CartPole": {},
    "CellPower": {"placement": "central", "duration": "1s"},
    "ChannelAccess": {},
    "ChannelRps": {"opponent": "sensing"},
    "EdgeCartPole": {},
    "Handover": {"users": 1, "duration": "2s"},
    "Jamming": {"opponent": "random"},
    "PacketRouting": {"controlled": "r14"},
    "PartitionRaft": {},
    "PartitionTendermint": {},
    "TcpCongestion": {},
    "WifiContention": {},
    "WifiRateControl": {},
}


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_a_video_of_each_environment_is_recorded(name: str, tmp_path: Path) -> None:
    env = gymnasium.make(
        f"defiance_zoo/{name}-v0",
        render_mode="rgb_array",
        max_episode_steps=8,
        link="local",
        **ENVIRONMENTS[name],
    )
    env = RecordVideo(
        env, str(tmp_path / "videos"), episode_trigger=lambda _: True, disable_logger=True
    )
    for seed in (1, 2):
        _, info = env.reset(seed=seed)
        over = False
        while not over:
            action = 0 if "action_mask" in info else env.action_space.sample()
            *_, terminated, truncated, info = env.step(action)
            over = terminated or truncated
    env.close()
    videos = sorted(tmp_path.glob("videos/*.mp4"))
    assert [video.name for video in videos] == [
        "rl-video-episode-0.mp4",
        "rl-video-episode-1.mp4",
    ]
    from moviepy import VideoFileClip

    with VideoFileClip(str(videos[0])) as clip:
        assert clip.fps == env.metadata["render_fps"]
        assert clip.n_frames >= 2
        assert clip.get_frame(0).std() > 0
