# SPDX-License-Identifier: GPL-2.0-only
"""Render modes of lists and vectors, with the video recorders of Gymnasium and SB3."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.wrappers import RecordVideo, RenderCollection
from gymnasium.wrappers.vector import RecordVideo as RecordVectorVideo
from stable_baselines3.common.vec_env import VecVideoRecorder

import defiance_zoo
from defiance_zoo.environments import lookup
from defiance_zoo.errors import ParameterError
from defiance_zoo.wrappers.sb3 import make_shared_policy_vec_env, make_vec_env

NAME, ID = "cart_pole_v0", "defiance_zoo/CartPole-v0"
Videos = list[list[Any]]


@pytest.fixture
def videos(monkeypatch: pytest.MonkeyPatch) -> Videos:
    """Replace moviepy, which encodes videos; return the frames of each video."""
    written: Videos = []

    class Clip:
        def __init__(self, frames: list[Any], fps: int) -> None:
            assert fps == 50
            written.append(list(frames))

        def write_videofile(self, *_: Any, **__: Any) -> None:
            """Encode nothing."""

    module: Any = types.ModuleType("moviepy.video.io.ImageSequenceClip")
    module.ImageSequenceClip = Clip
    for name in ("moviepy", "moviepy.video", "moviepy.video.io"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return written


@pytest.mark.parametrize("mode", ["rgb_array_list", "ansi_list"])
@pytest.mark.parametrize("api", ["aec", "parallel", "gymnasium"])
def test_a_list_holds_the_frames_since_the_last_call(api: str, mode: str) -> None:
    """Each frame is the one that the mode without `_list` returns at that round."""
    one: Any = defiance_zoo.make(NAME, api=api, render_mode=mode.removesuffix("_list"))  # type: ignore[call-overload]
    several: Any = defiance_zoo.make(NAME, api=api, render_mode=mode)  # type: ignore[call-overload]
    frames = []
    with closing(one), closing(several):
        for _ in range(2):
            for env in (one, several):
                env.reset(seed=1)
            frames = [one.render()]
            for action in (1, 0, 1):
                for env in (one, several):
                    env.step({"agent_0": action} if api == "parallel" else action)
                frames.append(one.render())
        found = several.render()
        assert several.render() == []
        assert mode in several.unwrapped.metadata["render_modes"]
    assert len(found) == 4
    for mine, theirs in zip(frames, found, strict=True):
        assert np.array_equal(mine, theirs)


def test_a_restored_environment_draws_the_restored_round() -> None:
    with closing(lookup(NAME).parallel_env(render_mode="ansi", max_cycles=9)) as env:
        env.reset(seed=1)
        env.step({"agent_0": 1})
        snapshot, drawn = env.snapshot(), env.render()
        env.step({"agent_0": 0})
        assert env.render() != drawn
        env.restore(snapshot)
        assert env.render() == drawn
        with closing(env.branch()) as branch:
            branch.step({"agent_0": 0})
            assert env.render() == drawn != branch.render()


@pytest.mark.parametrize("api", ["gymnasium", "parallel"])
def test_a_vector_renders_a_frame_of_each_simulation(api: Any) -> None:
    """The frames, with their actions, are those of single environments with the same seeds."""
    with closing(defiance_zoo.make_vec(NAME, 2, api=api, render_mode="ansi")) as envs:
        assert envs.render_mode == "ansi"
        envs.reset(seed=1)
        envs.step(np.array([0, 1]).reshape(envs.action_space.shape))
        frames = envs.render()
    for member, frame in enumerate(frames):
        with closing(defiance_zoo.make(NAME, api="gymnasium", render_mode="ansi")) as env:
            env.reset(seed=1 + member)
            env.step(member)
            assert frame == env.render()
            assert f"action {member}" in frame
    with pytest.raises(ParameterError, match="'human' shows one simulation"):
        defiance_zoo.make_vec(NAME, 2, api=api, render_mode="human")
    with pytest.raises(ParameterError, match="did you mean 'rgb_array'"):
        defiance_zoo.make_vec(NAME, 2, api=api, render_mode="rbg_array")


@pytest.mark.filterwarnings("ignore:.*Overwriting existing videos")
@pytest.mark.parametrize("mode", ["rgb_array", "rgb_array_list"])
def test_gymnasium_records_videos(videos: Videos, tmp_path: Path, mode: str) -> None:
    single = RecordVideo(gymnasium.make(ID, render_mode=mode), str(tmp_path), lambda _: True)
    with closing(single):
        single.reset(seed=1)
        for _ in range(3):
            single.step(1)
    assert [frame.shape for frame in videos[0]] == [(160, 600, 3)] * 4
    if mode == "rgb_array":
        several: Any = gymnasium.make_vec(ID, 2, render_mode=mode)
        several = RecordVectorVideo(several, str(tmp_path), episode_trigger=lambda _: True)
        with closing(several):
            several.reset(seed=1)
            for _ in range(3):
                several.step(np.array([0, 1]))
        assert [frame.shape for frame in videos[1]] == [(160, 1200, 3)] * 4
    collected: Any = RenderCollection(gymnasium.make(ID, render_mode="rgb_array"))
    with closing(collected):
        collected.reset(seed=1)
        collected.step(1)
        assert len(collected.render()) == 2


@pytest.mark.parametrize("make", [make_vec_env, make_shared_policy_vec_env])
def test_sb3_records_videos(videos: Videos, tmp_path: Path, make: Callable[..., Any]) -> None:
    carts = {} if make is make_vec_env else {"carts": 2}
    env = make(NAME, n_envs=2, render_mode="rgb_array", **carts)
    with closing(VecVideoRecorder(env, str(tmp_path), lambda step: step == 0, 2)) as recorder:
        recorder.reset()
        for _ in range(3):
            recorder.step(np.ones(env.num_envs, int))
        images = recorder.get_images()
        assert len(images) == 2
        (height, width, _) = images[0].shape
        assert recorder.render().shape in ((2 * height, width, 3), (height, 2 * width, 3))
    assert [len(frames) for frames in videos] == [3]
