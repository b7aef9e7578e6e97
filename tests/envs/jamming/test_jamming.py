# SPDX-License-Identifier: GPL-2.0-only
"""jamming_v0 in every mode: checkers, roles, budget, opponents without an agent, bad parameters."""

from __future__ import annotations

from typing import Any, ClassVar

import gymnasium
import numpy as np
import pytest
from conformance import Conformance, SingleAgentConformance
from gymnasium import spaces
from pettingzoo.test import max_cycles_test

from defiance_zoo.envs import jamming_v0
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.evaluation import NamedPolicy

Arguments = dict[str, Any]

pytestmark = [
    # Before the first slot nothing has been measured.
    pytest.mark.filterwarnings("ignore:Observation numpy array is all zeros"),
    # A jammer with a budget observes the rest of its budget.
    pytest.mark.filterwarnings("ignore:Agents have different observation space sizes"),
    pytest.mark.filterwarnings("ignore:Observations are different shapes"),
]


class Short:
    """Arguments that keep episodes short."""

    spec = jamming_v0.SPEC
    short: ClassVar[Arguments] = {"duration": "25ms"}


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param({"history": 2, "observe_actions": True}, id="equal"),
        pytest.param(
            {"placement": "remote", "transport": "udp", "delay": "50us", "loss": 0.1,
             "bandwidths": "9,6,4", "budget": 0.5},
            id="unequal-limited",
        ),
    ],
)  # fmt: skip
class TestTwoAgents(Short, Conformance):
    """An agent for each role."""


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param({"opponent": "random"}, id="transmitter"),
        pytest.param({"opponent": "sensing", "role": "jammer", "budget": 0.4}, id="jammer"),
    ],
)
class TestOneAgent(Short, SingleAgentConformance):
    """An agent against an opponent without one."""


def test_max_cycles_truncates_episodes() -> None:
    max_cycles_test(jamming_v0)


def follow(plan: list[tuple[int, ...]], **arguments: Any) -> list[tuple[Any, Any, Any]]:
    """Play an episode, and return observations, rewards and infos of each slot."""
    env = jamming_v0.parallel_env(link="local", duration=f"{len(plan)}ms", **arguments)
    env.reset(seed=1)
    steps = []
    for actions in plan:
        observations, rewards, _, _, infos = env.step(dict(zip(env.agents, actions, strict=True)))
        steps.append((observations, rewards, infos))
    assert not env.agents
    env.close()
    return steps


def test_spaces_and_roles() -> None:
    env = jamming_v0.parallel_env(link="local", channels=4)
    assert env.possible_agents == ["agent_0", "agent_1"]
    for agent in env.possible_agents:
        assert env.observation_space(agent) == spaces.Box(0, 1, (4,), np.float32)
        assert env.action_space(agent) == spaces.Discrete(4)
    _, infos = env.reset(seed=1)
    assert [infos[agent]["role"] for agent in env.agents] == ["transmitter", "jammer"]
    env.close()
    limited = jamming_v0.raw_env(budget=0.3, history=2)
    assert limited.action_space("agent_0") == spaces.Discrete(3)
    assert limited.action_space("agent_1") == spaces.Discrete(4)
    assert limited.observation_space("agent_0").shape == (6,)
    assert limited.observation_space("agent_1").shape == (8,)
    alone = jamming_v0.parallel_env(opponent="random", role="jammer", link="local")
    assert alone.possible_agents == ["agent_0"]
    assert alone.reset(seed=1)[1]["agent_0"]["role"] == "jammer"
    alone.close()


def test_a_jammed_frame_is_lost() -> None:
    steps = follow([(i, j) for i in range(3) for j in range(3)])
    for slot, (observations, rewards, infos) in enumerate(steps):
        sent, jammed = divmod(slot, 3)
        assert rewards == {"agent_0": float(sent != jammed), "agent_1": -float(sent != jammed)}
        assert infos["agent_0"]["goodput"] == pytest.approx(4.64 if sent != jammed else 0)
        # Each agent senses the other.
        assert np.flatnonzero(observations["agent_0"]).tolist() == [jammed]
        assert np.flatnonzero(observations["agent_1"]).tolist() == [sent]


def test_goodput_equals_the_capacity_of_the_channel() -> None:
    """6 bit/s/Hz for 80 % of a slot, without headers; less with more path loss."""
    plan = [(channel, (channel + 1) % 3) for channel in range(3)]
    for arguments in ({"bandwidths": "9,6,4"}, {"path_losses": "0,35,30"}):
        steps = follow(plan, **arguments)
        told = steps[0][2]["agent_0"]["goodputs"]
        measured = [infos["agent_0"]["goodput"] for *_, infos in steps]
        assert measured == pytest.approx(told)
        assert [rewards["agent_0"] for _, rewards, _ in steps] == pytest.approx(told / max(told))
        if "bandwidths" in arguments:
            payload = np.floor(np.array([9, 6, 4]) * 6e6 * 0.8e-3 / 8) - 20
            assert told == pytest.approx(payload * 8e-3)
        else:
            assert (np.diff(np.sort(told)) > 0).all()


def test_the_jammer_cannot_exceed_its_budget() -> None:
    """Energy for two of five slots; being silent costs nothing."""
    plan = [(0, 0), (0, 3), (0, 0), (0, 0), (0, 0)]
    steps = follow(plan, budget=0.4)
    assert [rewards["agent_1"] for _, rewards, _ in steps] == [0, -1, 0, -1, -1]
    left = [infos["agent_1"]["energy_left"] for *_, infos in steps]
    assert left == [0.5, 0.5, 0, 0, 0]
    assert [observations["agent_1"][3] for observations, *_ in steps] == left
    assert [infos["agent_1"]["channel"] for *_, infos in steps] == [0, -1, 0, -1, -1]


def test_a_jammer_of_low_power_does_not_jam() -> None:
    assert follow([(0, 0)], jammer_power=-10.0)[0][1]["agent_0"] == 1
    assert follow([(0, 0)], jammer_power=10.0)[0][1]["agent_0"] == 0


def test_a_game_may_have_a_single_slot() -> None:
    steps = follow([(2, 1)])
    assert steps[0][1] == {"agent_0": 1, "agent_1": -1}


def test_opponents_without_an_agent_play_their_strategy() -> None:
    """A sensing jammer hits a staying player; a sensing transmitter avoids the jammer's channel."""
    steps = follow([(1,)] * 6, opponent="sensing")
    assert [rewards["agent_0"] for _, rewards, _ in steps][1:] == [0] * 5
    steps = follow([(1,)] * 6, opponent="sensing", role="jammer")
    assert [rewards["agent_0"] for _, rewards, _ in steps][1:] == [-1] * 5
    rates = np.mean(
        [rewards["agent_0"] for _, rewards, _ in follow([(1,)] * 600, opponent="random")]
    )
    assert abs(rates - 2 / 3) < 0.06


def test_strategies_play_both_roles() -> None:
    env = jamming_v0.raw_env(link="local", duration="300ms")
    made = {
        options["jammer"]: NamedPolicy("round_robin", options).make(jamming_v0.SPEC, env, 1)
        for options in ({"jammer": "sensing"}, {"jammer": "round_robin"}, {"jammer": "uniform"})
    }
    rates = {}
    for name, policy in made.items():
        env.reset(seed=1)
        earned = 0.0
        for agent in env.agent_iter():
            observation, reward, terminated, truncated, info = env.last()
            earned += reward if agent == "agent_0" else 0
            ended = terminated or truncated
            env.step(None if ended else policy.act(agent, observation, info))
        rates[name] = earned / 300
    env.close()
    assert rates["sensing"] > 0.99
    assert rates["round_robin"] == 0
    assert abs(rates["uniform"] - 2 / 3) < 0.08
    with pytest.raises(ParameterError, match="jammer='loud' is not one of"):
        NamedPolicy("sensing", {"jammer": "loud"}).make(jamming_v0.SPEC, env, 1)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"channels": 1}, "channels.*2.*32"),
        ({"bandwidths": "9,6"}, "a number for each of channels=3"),
        ({"bandwidths": "9,6,0"}, "bandwidths from 0.1 to 100 MHz"),
        ({"path_losses": "0,0,nan"}, "path_losses from 0 to 60 dB"),
        ({"bandwidths": "9;6;4"}, "commas between them"),
        ({"path_losses": "0,0,60"}, "channel 2 cannot carry a frame"),
        ({"budget": 1.1}, "budget.*0.*1"),
        ({"jammer_power": 99.0}, "jammer_power.*-50.*40"),
        ({"role": "jammer"}, "role=jammer is for opponent=random or sensing"),
        ({"placement": "central"}, "placement.*local.*remote"),
        ({"opponent": "human"}, "opponent.*agent.*random.*sensing"),
        ({"duration": "0.1ms"}, "duration=.*is shorter than slot"),
    ],
)
def test_bad_parameters_are_refused(arguments: Arguments, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        jamming_v0.raw_env(**arguments).reset()


def test_pictures_are_drawn() -> None:
    text = jamming_v0.parallel_env(duration="3ms", render_mode="ansi")
    text.reset(seed=1)
    for actions in ((0, 1), (2, 2), (1, 0)):
        text.step(dict(zip(text.agents, actions, strict=True)))
    assert text.render().splitlines()[1:] == [
        "     1.000 | 0+| 1 |   |",
        "     2.000 |   |   | * |",
        "     3.000 | 1 | 0+|   |",
        "0: agent_0 (transmitter)",
        "1: agent_1 (jammer)",
    ]
    text.close()


def test_gymnasium_makes_the_environment() -> None:
    env = gymnasium.make("defiance_zoo/Jamming-v0", opponent="sensing", duration="2ms")
    env.reset(seed=1)
    env.step(0)
    assert env.step(0)[1] == 0
    env.close()
