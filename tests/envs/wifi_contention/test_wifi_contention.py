# SPDX-License-Identifier: GPL-2.0-only
"""wifi_contention_v0 in every mode: checkers, rewards, stations that join, bad parameters."""

from __future__ import annotations

from typing import Any, ClassVar

import gymnasium
import numpy as np
import pytest
from conformance import Conformance, SingleAgentConformance
from gymnasium import spaces
from pettingzoo.test import max_cycles_test

from defiance_zoo.envs import wifi_contention_v0
from defiance_zoo.envs.wifi_contention.bianchi import MAXIMUM, WINDOWS
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.evaluation import NamedPolicy, baselines, play, policy_makers
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv

Arguments = dict[str, Any]
SHORT: Arguments = {"stations": 2, "duration": "80ms", "history": 8}
IN_BAND: Arguments = {"access": "in-band"}

# The warnings of the checkers, and why the environment keeps its design.
pytestmark = [
    # Before the first interval there is nothing to observe.
    pytest.mark.filterwarnings("ignore:Observation numpy array is all zeros"),
    # A real action is an exponent, from 0 to 6.
    pytest.mark.filterwarnings("ignore:.*ecommend.*a symmetric and normalized"),
]


class Short:
    """Arguments that keep episodes short."""

    spec = wifi_contention_v0.SPEC
    short: ClassVar[Arguments] = SHORT


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param({}, id="simple"),
        pytest.param(
            {"action_space": "continuous", "observe_actions": True, "reward": "mixed"},
            id="continuous-mixed",
        ),
        pytest.param({"transport": "udp", "delay": "2ms", "loss": 0.2}, id="wired"),
        pytest.param({"transport": "tcp", **IN_BAND, "final_stations": 3}, id="in-band-growing"),
    ],
)
class TestCentral(Short, SingleAgentConformance):
    """One agent for all stations."""


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param({"placement": "local", "reward": "competitive"}, id="local-competitive"),
        pytest.param(
            {"placement": "remote", "transport": "udp", **IN_BAND, "reward": "mixed"},
            id="in-band-mixed",
        ),
    ],
)
class TestOneAgentAStation(Short, Conformance):
    """An agent for each station, on its node or elsewhere."""


@pytest.mark.parametrize(
    "arguments",
    [pytest.param({"placement": "remote", "final_stations": 4, "action_delay": "3ms"}, id="join")],
)
class TestJoining(Short, Conformance):
    """Stations join later, and their agents with them."""


def test_max_cycles_truncates_episodes() -> None:
    max_cycles_test(wifi_contention_v0)


def follow(env: Any, action: int = 1) -> list[tuple[Any, ...]]:
    """Play one episode with one action, and return rewards and infos of each step."""
    env.reset(seed=1)
    steps = []
    while env.agents:
        _, rewards, _, _, infos = env.step(dict.fromkeys(env.agents, action))
        steps.append((rewards, infos))
    env.close()
    return steps


def test_spaces_depend_on_the_parameters() -> None:
    env = wifi_contention_v0.raw_env()
    assert env.possible_agents == ["agent_0"]
    assert env.observation_space("agent_0") == spaces.Box(0, 1, (8,), np.float32)
    assert env.action_space("agent_0") == spaces.Discrete(7)
    each = wifi_contention_v0.raw_env(
        placement="local", stations=3, action_space="continuous", observe_actions=True
    )
    assert each.possible_agents == ["agent_0", "agent_1", "agent_2"]
    assert each.observation_space("agent_1") == spaces.Box(0, 1, (12,), np.float32)
    assert each.action_space("agent_1") == spaces.Box(0, 6, (1,), np.float32)


def test_an_action_sets_the_contention_window() -> None:
    env = wifi_contention_v0.parallel_env(stations=2, duration="80ms")
    env.reset(seed=1)
    for action, slots in enumerate(WINDOWS):
        *_, infos = env.step({"agent_0": action})
        assert infos["agent_0"]["windows"].tolist() == [slots - 1] * 2
    env.close()
    env = wifi_contention_v0.parallel_env(stations=2, duration="30ms", action_space="continuous")
    env.reset(seed=1)
    *_, infos = env.step({"agent_0": np.array([2.5], np.float32)})
    assert infos["agent_0"]["window"] == round(2**6.5) - 1
    env.close()


def test_the_standards_back_off_ignores_actions() -> None:
    """The same frames are sent with any actions."""
    runs = [
        follow(wifi_contention_v0.parallel_env(stations=4, duration="60ms", **arguments), action)
        for action in (0, 6)
        for arguments in ({"back_off": "standard"}, {})
    ]
    told = [[infos["agent_0"]["throughput"] for _, infos in run] for run in runs]
    assert told[0] == told[2]
    assert told[1] != told[3]
    assert all(infos["agent_0"]["window"] == 15 for _, infos in runs[2])


def test_rewards_are_shares_of_the_throughput_of_a_single_station() -> None:
    """Cooperative: the sum; competitive: each its own; a central agent gets the sum once."""
    given: Arguments = {"stations": 3, "duration": "100ms"}
    one = follow(wifi_contention_v0.parallel_env(**given))
    all_of_them = follow(wifi_contention_v0.parallel_env(placement="local", **given))
    own = follow(wifi_contention_v0.parallel_env(placement="local", reward="competitive", **given))
    assert len(one) == len(all_of_them) == len(own) == 10
    for (central, told), (shared, _), (each, infos) in zip(one, all_of_them, own, strict=True):
        total = told["agent_0"]["throughput"] / MAXIMUM
        assert central["agent_0"] == pytest.approx(total, rel=1e-4)
        assert set(shared) == set(each) == {"agent_0", "agent_1", "agent_2"}
        assert [*shared.values()] == pytest.approx([total] * 3, rel=1e-4)
        assert sum(each.values()) == pytest.approx(total, rel=1e-4)
        for agent, reward in each.items():
            assert reward == pytest.approx(infos[agent]["throughput"] / MAXIMUM, rel=1e-4)
    assert 0.6 < np.mean([rewards["agent_0"] for rewards, _ in one]) < 0.9


@pytest.mark.parametrize(
    ("payload", "exchange_us"), [(1421, 212.6), (1422, 226.2), (1665, 226.2), (1666, 239.8)]
)
def test_frames_are_padded_to_whole_symbols(payload: int, exchange_us: float) -> None:
    """The reward 1 includes the times of frame, SIFS, acknowledgement and AIFS: 13.6 us more."""
    (rewards, infos), *_ = follow(
        wifi_contention_v0.parallel_env(stations=1, payload=payload, duration="20ms")
    )
    maximum = infos["agent_0"]["throughput"] / rewards["agent_0"]
    assert 8 * payload / maximum == pytest.approx(exchange_us, abs=0.01)


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0, 2.0])
def test_mixed_rewards_are_alpha_fair(alpha: float) -> None:
    """Over one interval: n times the power mean of exponent 1 - alpha; history=4 averages four."""
    env = wifi_contention_v0.parallel_env(
        placement="local", stations=3, reward="mixed", alpha=alpha, history=4, interval="50ms",
        duration="400ms",
    )  # fmt: skip
    past: list[list[float]] = []
    for rewards, infos in follow(env, action=3):
        past.append([info["throughput"] / MAXIMUM for info in infos.values()])
        means = np.mean(past[-4:], axis=0)
        fair = np.exp(np.log(means).mean())
        if alpha != 1:
            fair = np.mean(means ** (1 - alpha)) ** (1 / (1 - alpha))
        assert [*rewards.values()] == pytest.approx([3 * fair] * 3, rel=1e-4)


def test_a_greedy_station_earns_more_and_all_together_less() -> None:
    """The game: against windows of 256, a station with 16 takes most of the airtime."""
    env = wifi_contention_v0.parallel_env(
        placement="local", stations=4, reward="competitive", duration="250ms"
    )
    env.reset(seed=1)
    totals = dict.fromkeys(env.agents, 0.0)
    while env.agents:
        actions = {agent: 0 if agent == "agent_2" else 4 for agent in env.agents}
        _, rewards, *_ = env.step(actions)
        for agent, reward in rewards.items():
            totals[agent] += reward
    env.close()
    greedy = totals.pop("agent_2")
    assert greedy > 5 * max(totals.values())


def test_stations_join_at_equal_intervals() -> None:
    env = wifi_contention_v0.parallel_env(stations=2, final_stations=4, duration="90ms")
    told = [infos["agent_0"]["stations"] for _, infos in follow(env)]
    assert told == [2, 2, 3, 3, 3, 4, 4, 4, 4]
    env = wifi_contention_v0.parallel_env(
        placement="remote", stations=2, final_stations=4, duration="90ms"
    )
    assert env.possible_agents == ["agent_0", "agent_1"]
    env.reset(seed=1)
    present = []
    while env.agents:
        present.append(len(env.agents))
        env.step(dict.fromkeys(env.agents, 1))
    env.close()
    assert present == [2, 2, 2, 3, 3, 3, 4, 4, 4]
    assert env.possible_agents == ["agent_0", "agent_1", "agent_2", "agent_3"]


def test_joining_stations_have_the_common_window() -> None:
    env = wifi_contention_v0.parallel_env(stations=1, final_stations=2, duration="60ms")
    windows = [infos["agent_0"]["windows"].tolist() for _, infos in follow(env, action=4)]
    assert windows[0] == [255, 0]
    assert windows[-1] == [255, 255]


def test_observations_count_collisions() -> None:
    """A single station has no collisions; with many stations and a small window, most collide."""
    seen = {}
    for stations in (1, 12):
        env = wifi_contention_v0.parallel_env(
            stations=stations, duration="250ms", history=8, observe_actions=True
        )
        env.reset(seed=1)
        while env.agents:
            observations, *_, infos = env.step(dict.fromkeys(env.agents, 3))
        seen[stations] = observations["agent_0"].reshape(4, 3)
        assert infos["agent_0"]["stations"] == stations
        env.close()
    assert (seen[1][:, :2] == 0).all()
    assert (seen[12][:, 0] > 0.1).all()
    assert (seen[12][:, 0] < 0.6).all()
    assert (seen[12][:, 1] > 0).all()
    assert (seen[12][:, 2] == 0.5).all()


def test_observations_are_zero_before_the_first_message() -> None:
    """Messages of the first interval arrive after the second decision, and fill the history."""
    arguments: Arguments = {"stations": 10, "history": 4, "interval": "10ms", "duration": "50ms"}
    env = GymnasiumEnv(wifi_contention_v0.SPEC, transport="udp", delay="12ms", **arguments)
    seen = [env.reset(seed=1)[0]] + [env.step(0)[0] for _ in range(3)]
    env.close()
    assert [each.any() for each in seen] == [False, False, False, True]
    assert len({float(rate) for rate in seen[-1][::2]}) == 1


@pytest.mark.parametrize("transport", ["udp", "tcp"])
def test_messages_on_the_same_channel_reduce_throughput(transport: str) -> None:
    """Each of eight stations sends and receives a message every 20 ms."""
    means = {}
    given: Arguments = {"stations": 8, "interval": "20ms", "duration": "160ms"}
    for access in ("point-to-point", "in-band"):
        env = wifi_contention_v0.parallel_env(
            transport=transport, access=access, communication_report=True, **given
        )
        steps = follow(env, action=2)
        means[access] = np.mean([infos["agent_0"]["throughput"] for _, infos in steps])
    assert 0.5 * means["point-to-point"] < means["in-band"] < 0.97 * means["point-to-point"]


def test_the_fixed_window_is_an_option_of_the_policy() -> None:
    spec = wifi_contention_v0.SPEC
    makers = policy_makers(spec)
    for window in (100, 8, "64"):
        with pytest.raises(ParameterError, match="is not one of"):
            makers["fixed"].read_options({"window": window})
    env = spec.raw_env(stations=2, duration="30ms")
    policy = NamedPolicy("fixed", {"window": 64}).make(spec, env, 1)
    (episode,) = play(env, policy, episodes=1, seed=1)
    assert episode.infos["agent_0"]["window"] == 63
    env.close()


def test_baselines_know_the_number_of_stations() -> None:
    env = wifi_contention_v0.raw_env(stations=9, final_stations=16, duration="90ms")
    spec = wifi_contention_v0.SPEC
    for name, expected in (("look_up_table", {31, 63, 127}), ("best_window", {63, 127})):
        policy = baselines(spec, env, seed=1)[name]
        chosen: set[int] = set()

        class Watched:
            reset = policy.reset

            def act(self, agent: str, observation: Any, info: dict[str, Any]) -> Any:
                action = policy.act(agent, observation, info)  # noqa: B023 # of this turn
                chosen.add(WINDOWS[action] - 1)  # noqa: B023
                return action

        list(play(env, Watched(), episodes=1, seed=1))
        assert chosen == expected
    env.close()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"stations": 0}, "stations.*1.*100"),
        ({"stations": 101}, "stations.*1.*100"),
        ({"stations": 6, "final_stations": 3}, "final_stations=3 is less than stations=6"),
        ({"payload": 50}, "payload.*100.*2296"),
        ({"history": 10}, "history=10 is not a multiple of 4"),
        ({"history": 0}, "history.*4.*10000"),
        ({"interval": "10us"}, "interval.*1ms.*1s|interval"),
        ({"alpha": -1.0}, "alpha.*0.*10"),
        ({"reward": "selfish"}, "reward.*cooperative"),
        ({"reward": "competitive"}, "reward=competitive needs an agent for each station"),
        ({"duration": "5ms"}, "duration=.*is shorter than interval"),
        ({"back_off": "none"}, "back_off.*agent.*standard"),
        ({"access": "in-band"}, "transport=simple sends no packets"),
        ({"access": "wifi"}, "access.*point-to-point.*in-band"),
        ({"station": 3}, "stations"),
    ],
)
def test_bad_parameters_are_refused(arguments: Arguments, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        wifi_contention_v0.raw_env(**arguments).reset()


def test_pictures_are_drawn() -> None:
    env = wifi_contention_v0.parallel_env(
        stations=2, final_stations=3, duration="60ms", render_mode="rgb_array"
    )
    env.reset(seed=1)
    first = env.render()
    assert first.dtype == np.uint8
    assert first.shape == (112, 600, 3)
    for _ in range(3):
        env.step({"agent_0": 2})
    assert (env.render() != first).any()
    env.close()
    text = wifi_contention_v0.env(placement="local", stations=3, render_mode="ansi")
    text.reset(seed=1)
    for _ in range(6):
        text.step(3)
    lines = text.render().splitlines()
    assert lines[0].startswith("t = 0.0")
    assert "3 stations: " in lines[0]
    assert lines[2].startswith("station   1: CW  127  airtime ")
    text.close()


def test_gymnasium_makes_the_environment() -> None:
    env = gymnasium.make("defiance_zoo/WifiContention-v0", stations=2, duration="20ms")
    env.reset(seed=1)
    assert env.step(3)[4]["window"] == 127
    env.close()
