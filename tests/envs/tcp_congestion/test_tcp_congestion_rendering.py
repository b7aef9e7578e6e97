# SPDX-License-Identifier: GPL-2.0-only
"""Pictures of tcp_congestion: windows, round trip times and the queue over time."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import render_test

from defiance_zoo.environments import AgentView
from defiance_zoo.environments.rendering.renderer import Past
from defiance_zoo.envs.tcp_congestion import tcp_congestion_v0
from defiance_zoo.envs.tcp_congestion.rendering import TcpCongestionRenderer

SHAPE = (388, 600, 3)


def test_pettingzoos_test_suite_passes() -> None:
    render_test(functools.partial(tcp_congestion_v0.env, flows=2, duration="1s"))


def play(mode: str, steps: int, **arguments: Any) -> Any:
    """Play some steps with one action, and return the running environment."""
    env = tcp_congestion_v0.parallel_env(link="local", render_mode=mode, **arguments)
    env.reset(seed=1)
    for _ in range(steps):
        env.step({agent: env.action_space(agent).sample() * 0 + 2 for agent in env.agents})
    return env


@pytest.mark.parametrize(
    "arguments",
    [
        {"flows": 2},
        {"flows": 2, "placement": "central"},
        {"observation": "relative", "flows": 2, "placement": "central"},
        {"queue_agent": True},
        {"queue_agent": True, "algorithm": "cubic"},
    ],
)
def test_a_picture_is_drawn_in_every_mode(arguments: dict[str, Any]) -> None:
    env = play("rgb_array", 0, **arguments)
    empty = env.render()
    env.close()
    env = play("rgb_array", 40, **arguments)
    picture = env.render()
    env.close()
    assert picture.shape == empty.shape == SHAPE
    assert picture.dtype == np.uint8
    assert (picture[270:] != empty[270:]).any()  # the queue


def test_text_contains_the_drawn_values() -> None:
    env = play("ansi", 30, initial_window=40)
    lines = env.render().splitlines()
    env.close()
    assert lines[0].startswith("t = 1.")
    assert lines[1].startswith("agent_0: window, segments 40.00 |")
    assert lines[2].startswith("agent_0: rtt, ms 4")
    assert lines[3].startswith("bottlenecks: queue, packets ")


def test_pictures_per_ack_contain_windows_and_round_trip_times_only() -> None:
    env = tcp_congestion_v0.parallel_env(link="local", render_mode="ansi", control="per_ack")
    env.reset(seed=1)
    for _ in range(5):
        env.step(dict.fromkeys(env.agents, np.array([1e5, 14480.0])))
    lines = env.render().splitlines()
    env.close()
    assert [line.split("|")[0].strip() for line in lines[1:]] == [
        "agent_0: window, segments 10.00",
        "agent_0: rtt, ms 85.00",  # of a segment whose acknowledgement was delayed
    ]


@pytest.mark.parametrize("placement", ["local", "central"])
def test_pictures_of_histories_contain_the_window_of_each_flow(placement: str) -> None:
    env = play("ansi", 0, observation="history", flows=2, placement=placement, initial_window=40)
    lines = env.render().splitlines()
    env.close()
    windows = [line for line in lines if "window, segments" in line]
    assert len(windows) == 2
    assert all("window, segments 40.00" in line for line in windows)


def test_a_picture_contains_values_of_its_episode_only() -> None:
    env = play("ansi", 20)
    shown = env.render()
    snapshot = env.snapshot()
    for _ in range(10):
        env.step(dict.fromkeys(env.agents, 4))
    assert env.render() != shown
    env.restore(snapshot)
    assert env.render() == shown
    env.reset(seed=1)
    assert len(env.render()) < len(shown)
    env.close()


def test_a_drawn_value_holds_until_the_next_one() -> None:
    """Half of the time 10 segments, half 20: half of the columns in each of two rows."""
    past = tuple(
        Past(
            round(second * 1e9),
            np.array([0, window, 1448, 0, 0, 0, 0, 50, 40, 1, 0], np.float32),
            {},
        )
        for second, window in ((0.0, 10.0), (5.0, 20.0), (10.0, 20.0))
    )
    names = (*map(str, range(10)), "congestion_window_segments")
    views = {"agent_0": AgentView(None, past=past, element_names=names)}
    assert TcpCongestionRenderer().curves(views)["window, segments"] == {
        "agent_0": [(0, 10.0), (5_000_000_000, 20.0), (10_000_000_000, 20.0)]
    }
    picture = TcpCongestionRenderer().render("rgb_array", views, 10_000_000_000)
    blue = (picture == (30, 90, 200)).all(axis=2)[28:148]
    rows = np.flatnonzero(blue.sum(axis=1) > 250)
    assert len(rows) == 4  # lines of two pixels
    assert rows[-1] - rows[0] == pytest.approx(48, abs=2)
