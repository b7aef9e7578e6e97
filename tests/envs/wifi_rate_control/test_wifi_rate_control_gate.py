# SPDX-License-Identifier: GPL-2.0-only
"""Gates of wifi_rate_control: ns-3's algorithms as Python policies send the same frames."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from defiance_zoo.envs import wifi_rate_control_v0
from defiance_zoo.experiments.evaluation import policy_makers

Arguments = dict[str, Any]
Frames = dict[str, np.ndarray[Any, Any]]

SITUATIONS: dict[str, Arguments] = {
    "still, fading": {"distance": 30, "fading": 3, "duration": "0.5s"},
    "moving": {"situation": "moving", "distance": 5, "speed": 40, "duration": "1.2s"},
    "interfering": {"situation": "interfering", "interference": 0.5, "duration": "0.6s"},
    "802.11ac, 40 MHz, two streams": {
        "standard": "ac",
        "channel_width": 40,
        "streams": 2,
        "distance": 25,
        "fading": 5,
        "duration": "0.3s",
    },
    "802.11n, aggregated": {
        "standard": "n",
        "aggregation": 65_535,
        "distance": 40,
        "fading": 2,
        "duration": "0.4s",
    },
    "802.11ax, aggregated, two streams": {
        "aggregation": 100_000,
        "streams": 2,
        "distance": 35,
        "fading": 2,
        "duration": "0.3s",
    },
    "three stations": {"stations": 3, "distance": {"agent_2": 45.0}, "duration": "0.4s"},
}


def send(policy: str | None = None, **arguments: Any) -> tuple[Frames, dict[str, int]]:
    """Play an episode.

    Args:
        policy: A baseline that chooses the rate of each frame; None: an algorithm of ns-3 does.
        arguments: Arguments of the environment.

    Returns:
        Time in ns and rate of each frame, by station, shape (frames, 2); and the bytes received
        from each station.
    """
    control = {} if policy is None else {"control": "per_frame"}
    env = wifi_rate_control_v0.raw_env(link="local", **control, **arguments)
    maker = policy_makers(wifi_rate_control_v0.SPEC)[policy or "constant"]
    player = maker.make(env, 0, maker.options())
    env.reset(seed=5)
    frames: dict[str, list[Any]] = {agent: [] for agent in env.possible_agents}
    received = {}
    for agent in env.agent_iter():
        observation, _, terminated, truncated, info = env.last()
        frames[agent].append(info["frames"].reshape(-1, 2))
        received[agent] = info["received_bytes"]
        ended = terminated or truncated
        env.step(None if ended else player.act(agent, observation, info))
    env.close()
    return {agent: np.concatenate(each) for agent, each in frames.items()}, received


@pytest.mark.long
@pytest.mark.parametrize("arguments", SITUATIONS.values(), ids=SITUATIONS.keys())
@pytest.mark.parametrize("algorithm", ["thompson_sampling", "ideal"])
def test_policies_in_python_send_the_same_frames_as_ns3s_algorithms(
    algorithm: str, arguments: Arguments
) -> None:
    own, received = send(algorithm=algorithm, **arguments)
    python, received_as_well = send(algorithm, **arguments)
    assert received_as_well == received
    for agent, frames in own.items():
        assert len(frames) > 50
        np.testing.assert_array_equal(python[agent], frames)
    if algorithm == "thompson_sampling":
        assert all(len(np.unique(frames[:, 1])) > 2 for frames in own.values())


def test_other_random_draws_give_other_frames() -> None:
    """The compared frames depend on the draws, so the gate's equality is not a coincidence."""
    arguments: Arguments = {"distance": 30, "fading": 3, "duration": "0.2s"}
    own, _ = send(algorithm="thompson_sampling", **arguments)
    env = wifi_rate_control_v0.raw_env(link="local", control="per_frame", **arguments)
    maker = policy_makers(wifi_rate_control_v0.SPEC)["thompson_sampling"]
    player = maker.make(env, 0, maker.options())
    env.reset(seed=5)
    rates = []
    for agent in env.agent_iter():
        observation, _, terminated, truncated, info = env.last()
        rates += info["frames"].reshape(-1, 2)[:, 1].tolist()
        told = {**info, "stream": info["stream"] + 1}
        ended = terminated or truncated
        env.step(None if ended else player.act(agent, observation, told))
    env.close()
    assert rates[:50] != own["agent_0"][:50, 1].tolist()


TABLES = {
    ("n", 20): [6.5, 13, 19.5, 26, 39, 52, 58.5, 65],
    ("n", 40): [13.5, 27, 40.5, 54, 81, 108, 121.5, 135],
    ("ac", 20): [6.5, 13, 19.5, 26, 39, 52, 58.5, 65, 78],
    ("ac", 80): [29.3, 58.5, 87.8, 117, 175.5, 234, 263.3, 292.5, 351, 390],
    ("ax", 20): [8.6, 17.2, 25.8, 34.4, 51.6, 68.8, 77.4, 86, 103.2, 114.7, 129, 143.4],
    ("ax", 80): [36, 72.1, 108.1, 144.1, 216.2, 288.2, 324.3, 360.3, 432.4, 480.4, 540.4, 600.5],
}
"""The standards' data rates of one stream in Mb/s, with a guard interval of 800 ns."""


@pytest.mark.parametrize(("standard", "width"), TABLES)
def test_data_rates_equal_those_of_the_standards(standard: str, width: int) -> None:
    env = wifi_rate_control_v0.raw_env(
        standard=standard, channel_width=width, duration="60ms", link="local"
    )
    env.reset(seed=1)
    told = env.infos["agent_0"]["data_rates"] / 1e6
    env.close()
    expected = TABLES[standard, width]  # with one decimal digit
    assert told.max() == pytest.approx(expected[-1], abs=0.06)
    assert all(np.abs(told - each).min() < 0.06 for each in expected)
    if width == 20:
        assert len(told) == len(expected)
