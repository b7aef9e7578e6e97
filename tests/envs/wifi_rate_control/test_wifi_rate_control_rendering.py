# SPDX-License-Identifier: GPL-2.0-only
"""Pictures of wifi_rate_control: data rates, signal-to-noise ratios and distances over time."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import render_test

from defiance_zoo.environments import AgentView
from defiance_zoo.environments.rendering.renderer import Past
from defiance_zoo.envs.wifi_rate_control import wifi_rate_control_v0
from defiance_zoo.envs.wifi_rate_control.rendering import WifiRateControlRenderer

SHAPE = (388, 600, 3)


def test_pettingzoos_test_suite_passes() -> None:
    render_test(functools.partial(wifi_rate_control_v0.env, stations=2, duration="0.5s"))


@pytest.mark.parametrize(
    "arguments",
    [
        {"stations": 2},
        {"stations": 2, "placement": "central"},
        {"control": "per_frame", "details": False},
    ],
)
def test_a_picture_is_drawn_in_every_mode(arguments: dict[str, Any]) -> None:
    env = wifi_rate_control_v0.parallel_env(
        link="local", render_mode="rgb_array", interval="10ms", duration="0.3s", **arguments
    )
    env.reset(seed=1)
    empty = env.render()
    for _ in range(5):
        env.step({agent: env.action_space(agent).sample() * 0 + 4 for agent in env.agents})
    picture = env.render()
    env.close()
    assert empty.shape == picture.shape == SHAPE
    assert (empty != picture).any()


def test_the_text_describes_each_station() -> None:
    env = wifi_rate_control_v0.parallel_env(
        link="local", render_mode="ansi", stations=2, distance=10, duration="0.3s"
    )
    env.reset(seed=1)
    for _ in range(3):
        env.step({"agent_0": 3, "agent_1": 5})
    lines = env.render().splitlines()
    env.close()
    assert lines[0].startswith("t = 0.20")  # association takes some milliseconds
    assert lines[1].startswith("agent_0: data rate, Mb/s 34.41 |")
    assert lines[4].startswith("agent_1: data rate, Mb/s 68.82 |")
    assert lines[6].startswith("agent_1: distance, m 10.00 |")


def test_the_height_of_a_curve_is_its_value() -> None:
    past = tuple(
        Past(
            1_000_000_000 * second,
            np.zeros(27, np.float32),
            {"data_rate": rate, "snr": 20.0, "distance": 10.0},
        )
        for second, rate in enumerate((100.0, 50.0, 100.0))
    )
    views = {"agent_0": AgentView(past[-1].observation, past=past)}
    assert WifiRateControlRenderer().curves(views)["data rate, Mb/s"] == {
        "agent_0": [(0, 100.0), (1_000_000_000, 50.0), (2_000_000_000, 100.0)]
    }
    picture = WifiRateControlRenderer().render("rgb_array", views, 2_000_000_000)
    blue = (picture == (30, 90, 200)).all(axis=2)[28:148]  # a second is 60 columns
    high, low = (int(np.flatnonzero(blue[:, column]).min()) for column in (30, 90))
    assert low - high == pytest.approx(95 / 2, abs=2)
