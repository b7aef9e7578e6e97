# SPDX-License-Identifier: GPL-2.0-only
"""A reward is a finite number, and is delivered, or its loss is reported."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from defiance_zoo import EnvironmentSpec, Scenario, errors

PROGRAM = Path(__file__).with_name("programs") / "rewards.py"
SPEC = EnvironmentSpec("rewards_v0", Scenario.python("rewards", PROGRAM))


def play(case: str, interface: str = "parallel_env") -> dict[str, list[float]]:
    """Play an episode; return the rewards of each agent, including those in infos."""
    earned: dict[str, list[float]] = {}
    with contextlib.closing(getattr(SPEC, interface)(link="local", case=case)) as env:
        if interface == "raw_env":
            env.reset(seed=1)
            for agent in env.agent_iter():
                _, reward, terminated, truncated, info = env.last()
                earned.setdefault(agent, []).append(reward + info.get("initial_reward", 0))
                env.step(None if terminated or truncated else 0)
            return earned
        _, infos = env.reset(seed=1)
        earned = {agent: [info.get("initial_reward", 0)] for agent, info in infos.items()}
        while env.agents:
            _, rewards, _, _, infos = env.step(dict.fromkeys(env.agents, 0))
            for agent, reward in rewards.items():
                earned.setdefault(agent, []).append(reward + infos[agent].get("initial_reward", 0))
    return earned


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ("sent", "ValueError: nan is not a reward of agent_0: send a finite number"),
        ("sent_inf", "ValueError: -inf is not a reward of agent_0: send a finite number"),
        ("sent_dict", "ValueError: nan is not a reward of agent_0: send a finite number"),
        ("sampled", "ValueError: inf is not a reward of agent_0: send a finite number"),
        ("set", "the reward of agent_0 cannot be nan: a reward is a finite number"),
        ("added", "the reward of agent_0 cannot be inf: a reward is a finite number"),
        ("hook", "the reward of agent_0 cannot be inf: a reward is a finite number"),
    ],
)
def test_infinite_rewards_are_refused_with_line_and_agent(case: str, words: str) -> None:
    with pytest.raises(errors.ScenarioError, match=words) as raised:
        play(case)
    assert 'rewards.py", line ' in str(raised.value)


def test_an_overflowing_sum_of_rewards_is_refused() -> None:
    with pytest.raises(errors.InvalidReward, match="the reward of agent 'agent_0' is inf, but"):
        play("delayed_sum")


@pytest.mark.parametrize("interface", ["parallel_env", "raw_env"])
def test_rewards_after_the_end_of_an_agent_are_reported(interface: str) -> None:
    with pytest.warns(errors.LateRewardWarning, match="agent_1 got rewards after the end"):
        assert sum(play("after_end", interface)["agent_1"]) == 0


@pytest.mark.parametrize(
    ("case", "agent", "total"),
    [
        ("with_stop", "agent_0", 1 + 1 + 1 + 7),
        ("before_decision", "agent_1", 3),
        ("early", "agent_1", 0),
        ("at_once", "agent_1", 0),
        ("never_set_up", "agent_1", 0),
    ],
)
@pytest.mark.parametrize("interface", ["parallel_env", "raw_env"])
def test_each_reward_and_each_end_is_delivered(
    case: str, agent: str, total: float, interface: str
) -> None:
    earned = play(case, interface)
    assert sum(earned[agent]) == total
    assert all(sum(each) == 0 for name, each in earned.items() if name != agent)
