# SPDX-License-Identifier: GPL-2.0-only
"""The pictures of each environment, and the animations of cards and docs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import ROOT
from PIL import Image
from program_environments import PROGRAMMED

import defiance_zoo
from benchmarks.publishing import pictures

NAMES = [each.name for each in PROGRAMMED]
SMALL: dict[str, dict[str, Any]] = {
    "cell_power_v0": {"cells": 2, "users_per_cell": 1},
    "cell_sleep_v0": {"cells": 2, "users": 1},
    "handover_v0": {"cells": 2, "users": 1},
    "packet_routing_v0": {"topology": "grid:2x2"},
    "wifi_contention_v0": {"stations": 2},
}


def play(name: str, mode: str) -> list[Any]:
    """Return the results of `render()` after each of some rounds."""
    given = SMALL.get(name, {})
    env = defiance_zoo.make(name, api="parallel", render_mode=mode, link="local", **given)
    _, infos = env.reset(seed=1)
    shown = [env.render()]
    for _ in range(6):
        actions = {agent: choose(env.action_space(agent), infos[agent]) for agent in env.agents}
        *_, infos = env.step(actions)
        shown.append(env.render())
    env.close()
    return shown


def choose(space: Any, info: dict[str, Any]) -> Any:
    """Return an allowed action."""
    return int(np.argmax(info["action_mask"])) if "action_mask" in info else space.sample() * 0 + 1


@pytest.mark.parametrize("name", NAMES)
def test_every_environment_draws_in_every_mode(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    frames, texts = play(name, "rgb_array"), play(name, "ansi")
    assert {frame.shape for frame in frames} == {frames[0].shape}  # constant, as a video needs it
    assert {frame.dtype for frame in frames} == {np.dtype(np.uint8)}
    assert any((frame != frames[0]).any() for frame in frames)
    assert len(set(texts)) > 1
    assert play(name, "human") == [None] * 7
    printed = capsys.readouterr().out
    assert all(text in printed for text in texts)


def test_each_card_has_a_small_animation() -> None:
    found = {path.stem: path for path in pictures.DOCS.glob("*.gif")}
    later = {name for name in NAMES if f"{name[:-1]}{int(name[-1]) - 1}" in NAMES}
    assert set(found) == set(pictures.SHOTS) == set(NAMES) - later  # equal to older versions
    cards = "".join(path.read_text() for path in ROOT.glob("envs/*/card.md"))
    for name, path in found.items():
        assert path.stat().st_size < 300_000, name  # a page shows one; the gallery shows all
        assert f"](../../docs/pictures/{name}.gif)" in cards
        with Image.open(path) as picture:
            assert 10 <= picture.n_frames <= 40
            assert 600 <= picture.width <= 800


def test_the_same_episode_gives_the_same_file(tmp_path: Path) -> None:
    shot = pictures.SHOTS["cart_pole_v0"]
    for number in range(2):
        shown = pictures.frames("cart_pole_v0", shot, count=4)
        pictures.write(tmp_path / f"{number}.gif", shown, shot.frame_ms)
    assert (tmp_path / "0.gif").read_bytes() == (tmp_path / "1.gif").read_bytes()
    with Image.open(tmp_path / "0.gif") as picture:
        assert picture.n_frames == 4
        picture.seek(3)
        drawn = np.asarray(picture.convert("RGB"), int)
    expected = np.asarray(shown[3], int)
    assert np.abs(drawn - expected).mean() < 2
