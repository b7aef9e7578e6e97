# SPDX-License-Identifier: GPL-2.0-only
"""wifi_rate_control_v0 in every mode: checkers, observations, rewards, bad parameters."""

from __future__ import annotations

import contextlib
from typing import Any, ClassVar

import gymnasium
import numpy as np
import pytest
from conformance import Conformance, SingleAgentConformance
from gymnasium import spaces

from defiance_zoo.envs import wifi_rate_control_v0
from defiance_zoo.envs.wifi_rate_control.baselines import BASELINES
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.evaluation import policy_makers

Arguments = dict[str, Any]


class Short:
    """Arguments that keep episodes short."""

    spec = wifi_rate_control_v0.SPEC
    short: ClassVar[Arguments] = {"duration": "100ms", "interval": "5ms"}
    eventful: ClassVar[Arguments] = {"fading": 2.0}


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param({}, id="interval"),
        pytest.param(
            {"control": "per_frame", "observation": "smoothed", "duration": "20ms"},
            id="per-frame-smoothed",
        ),
        pytest.param(
            {"placement": "central", "stations": 2, "situation": "interfering"}, id="central"
        ),
        pytest.param(
            {"placement": "remote", "transport": "udp", "delay": "2ms", "situation": "moving"},
            id="remote-moving",
        ),
    ],
)
@pytest.mark.filterwarnings(
    "ignore:Action space for each agent probably should be",  # a central agent's
    "ignore:.*symmetric and normalized",  # of numbers of frames
    "ignore:.*alternative render modes",
)
class TestOneAgent(Short, SingleAgentConformance):
    """The checkers of every interface."""


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param({"stations": 2, "control": "per_frame", "duration": "20ms"}, id="per-frame"),
        pytest.param({"stations": 3, "reward": "competitive", "details": False}, id="competitive"),
    ],
)
class TestOneAgentAStation(Short, Conformance):
    """An agent for each station."""


def follow(env: Any, actions: Any) -> list[tuple[Any, ...]]:
    """Play one episode with the same actions, and return rewards and infos of each step."""
    env.reset(seed=1)
    steps = []
    while env.agents:
        _, rewards, _, _, infos = env.step(dict.fromkeys(env.agents, actions))
        steps.append((rewards, infos))
    env.close()
    return steps


def test_spaces_depend_on_the_parameters() -> None:
    env = wifi_rate_control_v0.raw_env()
    assert env.possible_agents == ["agent_0"]
    seen = env.observation_space("agent_0")
    assert isinstance(seen, spaces.Box)
    assert seen.shape == (2 * 12 + 3,)
    assert seen.high[-1] == 11
    assert env.action_space("agent_0") == spaces.Discrete(12)
    central = wifi_rate_control_v0.raw_env(
        stations=3, placement="central", standard="ac", channel_width=80, streams=2
    )
    rates = 2 * (9 + 10 + 10)  # with 20 MHz MCS 9 needs three streams
    assert central.action_space("agent_0") == spaces.MultiDiscrete([rates] * 3)
    assert central.observation_space("agent_0").shape == (3 * (2 * rates + 3),)
    smoothed = wifi_rate_control_v0.raw_env(observation="smoothed", control="per_frame")
    assert smoothed.observation_space("agent_0") == spaces.Box(0, 1, (27,), np.float32)


@pytest.mark.parametrize("control", ["interval", "per_frame"])
def test_an_action_sets_the_data_rate(control: str) -> None:
    env = wifi_rate_control_v0.parallel_env(
        control=control, distance=2, interval="5ms", duration="150ms", link="local"
    )
    env.reset(seed=1)
    for action in range(12):
        *_, infos = env.step({"agent_0": action})
        assert infos["agent_0"]["rate"] == action
        sent = infos["agent_0"]["frames"].reshape(-1, 2)
        assert len(sent) == 1 if control == "per_frame" else len(sent) > 1
        assert sent[-1, 1] == action
    env.close()


def test_observations_count_frames() -> None:
    """With a rate that always arrives no frame fails; with one that never arrives, all fail."""
    env = wifi_rate_control_v0.parallel_env(
        distance=40, interval="20ms", duration="200ms", link="local"
    )
    for action, arrives in ((0, True), (11, False)):
        env.reset(seed=1)
        for _ in range(3):  # the last exchange at another rate ends in the next interval
            observations, _, _, _, infos = env.step({"agent_0": action})
        seen = observations["agent_0"]
        successes, failures, (retries, snr, rate) = seen[:12], seen[12:24], seen[24:]
        sent = len(infos["agent_0"]["frames"]) // 2
        assert rate == action
        assert (successes[action] > 0) == arrives
        assert (failures[action] > 0) != arrives
        assert abs(successes.sum() + failures.sum() - sent) <= 1
        assert (retries > 0) != arrives
        if arrives:  # -94 dBm of noise; 16 dBm minus 46.68 dB and 30 log10(40)
            assert snr == pytest.approx(16 - 46.6777 - 30 * np.log10(40) + 94, abs=0.2)
    env.close()


def test_rewards_are_bits_per_airtime() -> None:
    """Cooperative: the sum of all; competitive: each its own; a central agent gets the sum once."""
    given: Arguments = {
        "stations": 3,
        "distance": 10,
        "interval": "20ms",
        "duration": "200ms",
        "link": "local",
    }
    one = follow(
        wifi_rate_control_v0.parallel_env(placement="central", **given), np.array([5, 7, 9])
    )
    shared = follow(wifi_rate_control_v0.parallel_env(**given), 7)
    own = follow(wifi_rate_control_v0.parallel_env(reward="competitive", **given), 7)
    assert len(one) == len(shared) == len(own) == 9
    for (all_of_them, _), (each, _) in zip(shared, own, strict=True):
        assert [*all_of_them.values()] == pytest.approx([sum(each.values())] * 3, rel=1e-6)
    for rewards, first, last in ((one, 0, -1), (own, 0, -1)):
        told = [sum(np.sum(i["received_bytes"]) for i in infos.values()) for _, infos in rewards]
        bits = 8 * (told[last] - told[first])
        earned = sum(sum(reward.values()) for reward, _ in rewards[1:])
        assert earned * 0.02 * 143.4e6 == pytest.approx(bits, rel=0.02)


def test_the_reward_of_a_frame_is_its_payload_per_time() -> None:
    env = wifi_rate_control_v0.raw_env(
        control="per_frame", distance=2, duration="50ms", link="local"
    )
    env.reset(seed=1)
    times = []
    for _ in env.agent_iter():
        _, reward, _, truncated, info = env.last()
        if len(times) > 1 and not truncated:
            elapsed = (info["sim_time_ns"] - times[-1]) / 1e9
            fastest = info["data_rates"].max()
            assert reward == pytest.approx(8 * 1500 / elapsed / fastest, rel=1e-6)
        times.append(info["sim_time_ns"])
        env.step(None if truncated else 9)
    env.close()
    assert len(times) > 50


def test_an_algorithm_of_ns3_ignores_actions() -> None:
    given: Arguments = {"distance": 30, "duration": "200ms", "interval": "20ms", "link": "local"}
    for algorithm in ("ideal", "minstrel_ht", "thompson_sampling", "constant"):
        one, other = (
            follow(wifi_rate_control_v0.parallel_env(algorithm=algorithm, **given), action)
            for action in (0, 11)
        )
        assert [rewards for rewards, _ in one] == [rewards for rewards, _ in other]
        assert one[-1][1]["agent_0"]["received_bytes"] > 0


def test_each_station_may_have_its_own_algorithm() -> None:
    env = wifi_rate_control_v0.parallel_env(
        stations=2,
        algorithm={"agent_1": "constant"},
        mcs=3,
        distance=5,
        duration="100ms",
        link="local",
    )
    *_, infos = follow(env, 8)[-1]
    assert infos["agent_0"]["rate"] == 8
    assert infos["agent_1"]["rate"] == 3
    assert "ideal" in infos["agent_0"]
    assert "ideal" not in infos["agent_1"]


def test_a_moving_station_walks_away_and_back() -> None:
    env = wifi_rate_control_v0.parallel_env(
        situation="moving",
        distance=10,
        farthest=20,
        speed=50,
        interval="50ms",
        duration="0.45s",
        link="local",
    )
    told = [infos["agent_0"]["distance"] for _, infos in follow(env, 0)]
    assert told[:8] == pytest.approx([15, 17.5, 20, 17.5, 15, 12.5, 10, 12.5], abs=0.01)


def test_a_hidden_sender_causes_frame_loss() -> None:
    lost = []
    for arguments in ({}, {"situation": "interfering", "interference": 0.8}):
        env = wifi_rate_control_v0.parallel_env(
            distance=20, interval="50ms", duration="0.3s", link="local", **arguments
        )
        env.reset(seed=2)
        failures = 0.0
        while env.agents:
            observations, *_ = env.step({"agent_0": 4})
            failures += sum(float(seen[12:24].sum()) for seen in observations.values())
        env.close()
        lost.append(failures)
    assert lost[0] == 0 < 20 < lost[1]


@pytest.mark.long
@pytest.mark.parametrize("name", BASELINES)
@pytest.mark.parametrize(
    "arguments",
    [
        {"control": "per_frame", "duration": "60ms"},
        {"observation": "smoothed", "interval": "10ms", "duration": "0.2s"},
        {"placement": "central", "stations": 2, "interval": "10ms", "duration": "0.2s"},
    ],
    ids=["per-frame", "smoothed", "central"],
)
def test_a_policy_plays_in_every_mode(name: str, arguments: Arguments) -> None:
    env = wifi_rate_control_v0.raw_env(distance=15, link="local", **arguments)
    maker = policy_makers(wifi_rate_control_v0.SPEC)[name]
    player = maker.make(env, 3, maker.options())
    played = set()
    for _ in range(2):
        env.reset(seed=1)
        player.reset()
        for agent in env.agent_iter():
            observation, _, terminated, truncated, info = env.last()
            ended = terminated or truncated
            action = None if ended else player.act(agent, observation, info)
            assert ended or env.action_space(agent).contains(action)
            played.add(str(action))
            env.step(action)
    env.close()
    assert len(played) > (1 if name in ("constant", "ideal") else 2)


def test_thompson_sampling_counts_smoothed_frames_once() -> None:
    """Each smoothed observation contains the whole history: the policy does not add them up."""
    env = wifi_rate_control_v0.raw_env(observation="smoothed", details=False)
    player = BASELINES["thompson_sampling"].make(env, 1, BASELINES["thompson_sampling"].options())
    observed = np.zeros(2 * 12 + 3, np.float32)
    observed[:12] = 0.5
    observed[4], observed[12 + 4] = (6 + 1) / (8 + 2), 8 / (8 + 1)  # 6 of 8 were acknowledged
    info = {"data_rates": 1e6 * np.arange(1, 13), "sim_time_ns": 0}
    for _ in range(3):
        player.act("agent_0", observed, info)
    (rule,) = player._rules["agent_0"]
    assert rule._successes[4] == pytest.approx(6, abs=1e-4)
    assert rule._failures[4] == pytest.approx(2, abs=1e-4)
    assert sum(rule._successes) + sum(rule._failures) == pytest.approx(8, abs=1e-4)


@pytest.mark.long
def test_bandits_find_the_rate_of_ns3s_ideal_algorithm() -> None:
    received = {}
    for name in ("ideal", "thompson_sampling", "epsilon_greedy", "ucb"):
        env = wifi_rate_control_v0.raw_env(
            control="per_frame", distance=35, duration="1s", link="local"
        )
        maker = policy_makers(wifi_rate_control_v0.SPEC)[name]
        player = maker.make(env, 3, maker.options())
        env.reset(seed=1)
        for agent in env.agent_iter():
            observation, _, terminated, truncated, info = env.last()
            ended = terminated or truncated
            env.step(None if ended else player.act(agent, observation, info))
        received[name] = info["received_bytes"]
        env.close()
    for name, count in received.items():
        assert count > 0.85 * received["ideal"], name


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"stations": 21}, r"stations=21 is not within \[1, 20\]"),
        ({"distance": 51}, r"distance=51 is not within \[1, 50\]"),
        ({"channel_width": 60}, "not one of 20, 40, 80"),
        ({"standard": "n", "channel_width": 80}, "choose 20 or 40"),
        ({"standard": "n", "algorithm": "constant", "mcs": 8}, "0 to 7"),
        ({"standard": "ac", "algorithm": "constant", "mcs": 9}, "mcs=9"),
        ({"situation": "moving", "distance": 45}, "not less than farthest=45"),
        ({"control": "per_frame", "placement": "remote"}, "needs placement=local"),
        ({"control": "per_frame", "action_delay": "1ms"}, "no action_delay"),
        ({"control": "per_frame", "algorithm": "ideal"}, "decides by itself"),
        ({"placement": "central", "reward": "competitive"}, "placement=local"),
        ({"interval": "200ms", "duration": "100ms"}, "shorter than interval"),
        ({"distance": {"agent_3": 5.0}}, "names agent_3"),
        ({"algorithm": {"agent_1": "ideal"}}, "names agent_1"),
    ],
)
def test_bad_parameters_are_refused(arguments: Arguments, words: str) -> None:
    def make_and_reset() -> None:
        with contextlib.closing(wifi_rate_control_v0.raw_env(**arguments)) as env:
            env.reset(seed=1)

    with pytest.raises(ParameterError, match=words):
        make_and_reset()


def test_options_of_policies_are_checked() -> None:
    makers = policy_makers(wifi_rate_control_v0.SPEC)
    for name, options in (
        ("constant", {"rate": -1}),
        ("thompson_sampling", {"decay": -1.0}),
        ("epsilon_greedy", {"epsilon": 2.0}),
        ("epsilon_greedy", {"memory": 0.0}),
        ("ucb", {"exploration": -1.0}),
    ):
        with pytest.raises(ParameterError):
            makers[name].read_options(options)


def test_gymnasium_makes_the_environment() -> None:
    env = gymnasium.make("defiance_zoo/WifiRateControl-v0", duration="100ms")
    env.reset(seed=1)
    env.step(3)
    env.close()
