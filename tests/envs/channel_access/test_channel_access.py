# SPDX-License-Identifier: GPL-2.0-only
"""channel_access_v0 in every mode: checkers, sensing, rewards, bad parameters, pictures."""

from __future__ import annotations

from typing import Any, ClassVar

import gymnasium
import numpy as np
import pytest
from conformance import Conformance, SingleAgentConformance
from gymnasium import spaces
from pettingzoo.test import max_cycles_test

from defiance_zoo.envs import channel_access_v0, channel_sharing_v0
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.evaluation import NamedPolicy

Arguments = dict[str, Any]

pytestmark = [
    # Before the first slot nothing has been measured.
    pytest.mark.filterwarnings("ignore:Observation numpy array is all zeros"),
    # A central agent chooses for several radios: a MultiDiscrete action.
    pytest.mark.filterwarnings("ignore:Action space for each agent probably should be"),
]


class Short:
    """Arguments that keep episodes short."""

    spec = channel_access_v0.SPEC
    short: ClassVar[Arguments] = {"duration": "25ms"}


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param({}, id="local"),
        pytest.param(
            {"placement": "remote", "transport": "udp", "delay": "50us", "interferer": "random",
             "loss": 0.1, "observe_actions": True, "history": 3},
            id="udp",
        ),
        pytest.param({"placement": "central", "interferer": "sensing"}, id="central-of-one"),
    ],
)  # fmt: skip
class TestOneRadio(Short, SingleAgentConformance):
    """One agent, for one radio."""


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param({"radios": 3, "placement": "central", "may_wait": True}, id="central"),
        pytest.param(
            {"radios": 2, "reward": "competitive", "interferer": "none", "may_wait": True},
            id="competitive",
        ),
        pytest.param(
            {"radios": 2, "placement": "remote", "transport": "tcp", "access": "csma",
             "interferer": "random", "dwell": 2, "activity": 0.5},
            id="csma",
        ),
    ],
)  # fmt: skip
class TestSeveralRadios(Short, Conformance):
    """Radios that share channels."""


def test_max_cycles_truncates_episodes() -> None:
    max_cycles_test(channel_access_v0)


def follow(actions: Any, **arguments: Any) -> list[tuple[Any, Any, Any]]:
    """Play an episode, and return observations, rewards and infos of each slot.

    Args:
        actions: A function from the number of the slot to the actions of all agents.
        **arguments: Arguments of the environment.
    """
    env = channel_access_v0.parallel_env(link="local", **arguments)
    env.reset(seed=1)
    steps = []
    while env.agents:
        chosen = actions(len(steps))
        observations, rewards, _, _, infos = env.step(dict(zip(env.agents, chosen, strict=True)))
        steps.append((observations, rewards, infos))
    env.close()
    return steps


def test_spaces_depend_on_the_parameters() -> None:
    env = channel_access_v0.raw_env()
    assert env.possible_agents == ["agent_0"]
    assert env.observation_space("agent_0") == spaces.Box(0, 1, (4,), np.float32)
    assert env.action_space("agent_0") == spaces.Discrete(4)
    each = channel_access_v0.raw_env(
        radios=2, channels=5, history=3, observe_actions=True, may_wait=True
    )
    assert each.possible_agents == ["agent_0", "agent_1"]
    assert each.observation_space("agent_1") == spaces.Box(0, 1, (3 * (5 + 6),), np.float32)
    assert each.action_space("agent_1") == spaces.Discrete(6)
    central = channel_access_v0.raw_env(radios=3, placement="central", channels=2)
    assert central.action_space("agent_0") == spaces.MultiDiscrete([2, 2, 2])
    assert central.observation_space("agent_0") == spaces.Box(0, 1, (6,), np.float32)


def test_a_slot_succeeds_on_channels_without_the_interferer() -> None:
    """The interferer changes channels, its energy is measured, and only its channel loses any."""
    steps = follow(lambda slot: [2], duration="20ms")
    heard = [int(np.argmax(infos["agent_0"]["energy"])) for _, _, infos in steps]
    assert [(heard[0] + slot) % 4 for slot in range(20)] == heard
    for (observations, rewards, infos), channel in zip(steps, heard, strict=True):
        energy = infos["agent_0"]["energy"]
        assert np.count_nonzero(energy) == 1
        assert observations["agent_0"] == pytest.approx(energy / 60)
        assert rewards["agent_0"] == (-1 if channel == 2 else 1)
        assert infos["agent_0"]["success"] == (channel != 2)
        assert infos["agent_0"]["channel"] == 2


def test_measured_energy_equals_the_free_space_formula() -> None:
    """20 dBm for 80 % of a slot, 200 m away, above the noise of 1 MHz."""
    energy = max(follow(lambda slot: [0], duration="1ms")[0][2]["agent_0"]["energy"])
    power = 20 - 20 * np.log10(4 * np.pi * 200 * 2.4e9 / 3e8)
    noise = 10 * np.log10(1.38e-23 * 300 * 1e6) + 30
    assert energy == pytest.approx(power + 10 * np.log10(0.8) - noise, abs=0.02)


@pytest.mark.parametrize(("power", "lost"), [(-5.0, 0), (5.0, 8)])
def test_interference_depends_on_its_strength(power: float, lost: int) -> None:
    """Frames of 6 bit/s/Hz need 18 dB of signal over interference and noise, and have 47."""
    steps = follow(lambda slot: [0], duration="32ms", interferer_power=power)
    assert sum(rewards["agent_0"] < 0 for _, rewards, _ in steps) == lost


def test_frames_collide() -> None:
    """Two radios on one channel both fail, on two both succeed; a waiting radio earns nothing."""
    given: Arguments = {"radios": 2, "interferer": "none", "may_wait": True, "duration": "4ms"}
    plan = [(0, 0), (0, 1), (3, 4), (4, 4)]
    own = follow(lambda slot: plan[slot], reward="competitive", **given)
    assert [[*rewards.values()] for _, rewards, _ in own] == [[-1, -1], [1, 1], [1, 0], [0, 0]]
    assert [infos["agent_1"]["channel"] for _, _, infos in own] == [0, 1, -1, -1]
    shared = follow(lambda slot: plan[slot], **given)
    assert [[*rewards.values()] for _, rewards, _ in shared] == [
        [-1, -1], [1, 1], [0.5, 0.5], [0, 0]
    ]  # fmt: skip
    central = follow(lambda slot: [np.array(plan[slot])], placement="central", **given)
    assert [rewards["agent_0"] for _, rewards, _ in central] == [-1, 1, 0.5, 0]
    assert [infos["agent_0"]["channel"].tolist() for _, _, infos in central] == [
        [0, 0], [0, 1], [3, -1], [-1, -1]
    ]  # fmt: skip
    # Each radio senses the other, not itself.
    assert np.flatnonzero(own[1][2]["agent_0"]["energy"]).tolist() == [1]
    assert np.flatnonzero(own[1][2]["agent_1"]["energy"]).tolist() == [0]
    assert np.flatnonzero(own[2][2]["agent_0"]["energy"]).tolist() == []


def test_the_sensing_interferer_follows_the_radio() -> None:
    """A radio that repeats a channel is hit from the second slot on."""
    steps = follow(lambda slot: [slot // 2 % 4], duration="12ms", interferer="sensing")
    assert [rewards["agent_0"] for _, rewards, _ in steps] == [1, -1] * 6


def test_the_sensing_interferer_keeps_a_channel_while_it_dwells() -> None:
    """It takes channel 2 after the third slot, and channel 0 after the sixth slot."""
    channels = [0, 1, 2, 2, 2, 0, 0, 1, 0]
    steps = follow(lambda slot: [channels[slot]], duration="9ms", interferer="sensing", dwell=3)
    heard = [infos["agent_0"]["energy"].argmax() for _, _, infos in steps[3:]]
    assert heard == [2, 2, 2, 0, 0, 0]
    assert [rewards["agent_0"] for _, rewards, _ in steps] == [1, 1, 1, -1, -1, 1, -1, 1, -1]


@pytest.mark.parametrize("pattern", ["periodic", "random"])
def test_the_interferer_dwells_on_a_channel(pattern: str) -> None:
    steps = follow(lambda slot: [0], duration="60ms", interferer=pattern, dwell=5)
    heard = [int(np.argmax(infos["agent_0"]["energy"])) for _, _, infos in steps]
    blocks = np.reshape(heard, (12, 5))
    assert (blocks == blocks[:, :1]).all()
    assert len(set(heard)) == 4


def test_the_history_begins_with_the_newest_slot() -> None:
    steps = follow(lambda slot: [slot % 4], duration="8ms", history=3, observe_actions=True)
    seen = [observations["agent_0"] for observations, _, _ in steps]
    energies = [infos["agent_0"]["energy"] / 60 for _, _, infos in steps]
    for slot in range(3, 7):
        newest = np.concatenate([energies[slot - back] for back in range(3)])
        assert seen[slot][:12] == pytest.approx(newest)
        done = np.reshape(seen[slot][12:], (3, 4))
        assert done.argmax(axis=1).tolist() == [(slot - back) % 4 for back in range(3)]
    assert not seen[0][4:12].any()


def test_a_late_action_applies_to_the_next_slot() -> None:
    """The action has a tenth of a slot; until the first one arrives, the radio is silent."""
    given: Arguments = {"placement": "remote", "duration": "5ms", "interferer": "none"}
    soon = follow(lambda slot: [slot % 4], delay="50us", **given)
    late = follow(lambda slot: [slot % 4], delay="200us", **given)
    assert [infos["agent_0"]["channel"] for _, _, infos in soon] == [0, 1, 2, 3, 0]
    assert [infos["agent_0"]["channel"] for _, _, infos in late] == [-1, 0, 1, 2, 3]
    assert [rewards["agent_0"] for _, rewards, _ in late] == [0, 1, 1, 1, 1]


def test_policies_play_radios_separately_or_together() -> None:
    """Round robin of four radios never collides; predicting avoids a periodic interferer."""
    for placement in ("local", "central"):
        env = channel_access_v0.raw_env(
            placement=placement, radios=4, interferer="none", duration="12ms", link="local"
        )
        policy = NamedPolicy("round_robin").make(channel_access_v0.SPEC, env, 1)
        env.reset(seed=1)
        rewards = []
        for agent in env.agent_iter():
            observation, reward, terminated, truncated, info = env.last()
            rewards.append(reward)
            ended = terminated or truncated
            env.step(None if ended else policy.act(agent, observation, info))
        env.close()
        agents = 4 if placement == "local" else 1
        assert sum(rewards) == 12 * agents


def earn(env: Any, policy: Any, seed: int) -> dict[str, float]:
    """Play an episode, and return what each agent has earned."""
    env.reset(seed=seed)
    earned = dict.fromkeys(env.agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        earned[agent] += reward
        ended = terminated or truncated
        env.step(None if ended else policy.act(agent, observation, info))
    env.close()
    return earned


@pytest.mark.parametrize("placement", ["local", "central"])
def test_skipping_after_a_loss_meets_a_periodic_interferer_at_most_once(placement: str) -> None:
    for seed in range(6):
        env = channel_access_v0.raw_env(placement=placement, link="local", duration="30ms")
        policy = NamedPolicy("skip_after_loss").make(channel_access_v0.SPEC, env, 1)
        assert sum(earn(env, policy, seed).values()) in (28, 30)


@pytest.mark.parametrize("placement", ["local", "central"])
def test_three_radios_fill_the_gap_that_a_periodic_interferer_leaves(placement: str) -> None:
    for seed in range(3):
        env = channel_sharing_v0.raw_env(placement=placement, link="local", duration="30ms")
        policy = NamedPolicy("fill_gap").make(channel_sharing_v0.SPEC, env, 1)
        agents = env.possible_agents
        assert all(env.observation_space(agent).shape[0] % 16 == 0 for agent in agents)
        earned = earn(env, policy, seed)
        assert all(28.5 < each < 30.5 for each in earned.values())  # one of three frames was lost


def test_a_fixed_channel_is_an_option_of_the_policy() -> None:
    env = channel_access_v0.raw_env(link="local", duration="3ms")
    policy = NamedPolicy("fixed", {"channel": 3}).make(channel_access_v0.SPEC, env, 1)
    env.reset(seed=1)
    assert policy.act("agent_0", env.observe("agent_0"), {"channels": 4}) == 3
    env.close()
    with pytest.raises(ParameterError, match="not a whole number from 0 to 31"):
        NamedPolicy("fixed", {"channel": -1}).make(channel_access_v0.SPEC, env, 1)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"channels": 1}, "channels.*2.*32"),
        ({"radios": 33}, "radios.*1.*32"),
        ({"interferer": "loud"}, "interferer.*periodic"),
        ({"interferer": "none", "dwell": 2}, "does not use dwell, activity and"),
        ({"interferer": "none", "activity": 0.5}, "does not use dwell, activity and"),
        ({"activity": 1.5}, "activity.*0.*1"),
        ({"interferer_power": 50.0}, "interferer_power.*-50.*40"),
        ({"slot": "10us"}, "slot.*100us.*1s|slot"),
        ({"duration": "0.5ms"}, "duration=.*is shorter than slot"),
        ({"history": 0}, "history.*1.*1000"),
        ({"placement": "central", "reward": "competitive"}, "needs an agent for each radio"),
        ({"access": "wifi"}, "access.*point-to-point.*csma"),
        ({"chanels": 3}, "channels"),
    ],
)
def test_bad_parameters_are_refused(arguments: Arguments, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        channel_access_v0.raw_env(**arguments).reset()


def test_pictures_are_drawn() -> None:
    env = channel_access_v0.parallel_env(duration="6ms", render_mode="rgb_array", radios=2)
    env.reset(seed=1)
    first = env.render()
    assert first.dtype == np.uint8
    assert first.shape == (444, 600, 3)
    env.step({"agent_0": 0, "agent_1": 1})
    assert (env.render() != first).any()
    env.close()
    text = channel_access_v0.parallel_env(
        duration="3ms", render_mode="ansi", radios=2, interferer="none"
    )
    text.reset(seed=1)
    for actions in ((0, 1), (2, 2), (3, 0)):
        text.step(dict(zip(text.agents, actions, strict=True)))
    assert text.render().splitlines()[1:4] == [
        "     1.000 | 0+| 1+|   |   |",
        "     2.000 |   |   | * |   |",
        "     3.000 | 1+|   |   | 0+|",
    ]
    text.close()


def test_gymnasium_makes_the_environment() -> None:
    env = gymnasium.make("defiance_zoo/ChannelAccess-v0", interferer="none", duration="2ms")
    env.reset(seed=1)
    assert env.step(3)[1] == 1
    env.close()
