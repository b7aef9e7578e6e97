# SPDX-License-Identifier: GPL-2.0-only
"""cart_pole_v0 in every deployment."""

from __future__ import annotations

import functools
import itertools
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces
from pettingzoo.test import (
    api_test,
    max_cycles_test,
    parallel_api_test,
    parallel_seed_test,
    seed_test,
)

from defiance_zoo.environments.testing import check_deterministic
from defiance_zoo.envs import cart_pole_v0
from defiance_zoo.envs.cart_pole import baselines
from defiance_zoo.errors import ParameterError

DEPLOYMENTS = [
    pytest.param(
        {"carts": carts, "placement": placement, "transport": transport},
        id=f"{carts}-{placement}-{transport}",
        marks=pytest.mark.long if carts == 1 else (),
    )
    for carts, placement, transport in itertools.product(
        (1, 3), ("local", "remote", "central"), ("simple", "udp", "tcp")
    )
]

# The warnings of PettingZoo's suites, and why the environment keeps its design.
pytestmark = [
    # Velocities are unbounded, as in Gymnasium's CartPole-v1.
    pytest.mark.filterwarnings("ignore:Agent's m.*imum observation space value is -?infinity"),
    # A central agent pushes several carts: a MultiDiscrete action.
    pytest.mark.filterwarnings("ignore:Action space for each agent probably should be"),
]


@pytest.mark.parametrize("arguments", DEPLOYMENTS)
def test_pettingzoos_api_test_passes(arguments: dict[str, Any]) -> None:
    env = cart_pole_v0.env(**arguments)
    api_test(env, num_cycles=100)
    env.close()
    parallel = cart_pole_v0.parallel_env(**arguments)
    parallel_api_test(parallel, num_cycles=100)
    parallel.close()


@pytest.mark.parametrize("arguments", DEPLOYMENTS)
def test_pettingzoos_seed_test_passes(arguments: dict[str, Any]) -> None:
    seed_test(functools.partial(cart_pole_v0.env, **arguments), num_cycles=30)
    parallel_seed_test(functools.partial(cart_pole_v0.parallel_env, **arguments), num_cycles=30)


@pytest.mark.parametrize("arguments", DEPLOYMENTS)
@pytest.mark.parametrize("kind", [pytest.param("raw_env", marks=pytest.mark.long), "parallel_env"])
def test_equal_seeds_give_equal_episodes(kind: str, arguments: dict[str, Any]) -> None:
    make = functools.partial(getattr(cart_pole_v0, kind), loss=0.0, **arguments)
    check_deterministic(make, second_process=False)


@pytest.mark.parametrize("kind", ["raw_env", "parallel_env"])
def test_deterministic_with_loss_and_in_another_process(kind: str) -> None:
    make = functools.partial(
        getattr(cart_pole_v0, kind), carts=2, transport="udp", delay="2ms", loss=0.1
    )
    check_deterministic(make, seeds=(1, 2, 3), episodes=3)


def test_max_cycles_truncates_episodes() -> None:
    max_cycles_test(cart_pole_v0)


def test_render_draws_the_environment() -> None:
    text = cart_pole_v0.env(carts=2, render_mode="ansi")
    text.reset(seed=1)
    assert text.render().startswith("t = 0.000000 s\nagent_0: x ")
    text.close()
    env = cart_pole_v0.parallel_env(carts=2, render_mode="rgb_array")
    env.reset(seed=1)
    picture = env.render()
    assert picture.shape == (320, 600, 3)
    assert picture.dtype == np.uint8
    env.step({"agent_0": 0, "agent_1": 1})
    for _ in range(5):
        env.step({"agent_0": 0, "agent_1": 1})
    assert (env.render() != picture).any()
    env.close()


@pytest.mark.parametrize("transport", ["simple", "udp", "tcp"])
def test_one_of_three_carts_falls_and_the_others_run_on(transport: str) -> None:
    """The cart of agent_1 starts with a pole that no policy can save."""
    env = cart_pole_v0.parallel_env(carts=3, transport=transport, duration="2s")
    lost = [0.0, 0.0, 0.2, 2.0]
    act = baselines.pole_policy(spaces.Discrete(2))
    ended: dict[str, tuple[bool, int]] = {}
    observations, _ = env.reset(seed=1, options={"initial_state": {"agent_1": lost}})
    totals = dict.fromkeys(env.agents, 0.0)
    while env.agents:
        actions = {agent: act(observations[agent]) for agent in env.agents}
        observations, rewards, terminations, truncations, infos = env.step(actions)
        for agent, reward in rewards.items():
            totals[agent] += reward
        for agent in rewards:
            if terminations[agent] or truncations[agent]:
                ended[agent] = (terminations[agent], infos[agent]["sim_time_ns"])
    env.close()
    assert ended["agent_1"][0]
    assert ended["agent_1"][1] < 200_000_000
    assert ended["agent_0"] == ended["agent_2"] == (False, 2_000_000_000)
    assert totals["agent_0"] == totals["agent_2"] == 100
    assert 1 <= totals["agent_1"] < 10


def test_a_central_agent_acts_for_all_carts() -> None:
    env = cart_pole_v0.raw_env(carts=3, placement="central", transport="udp", delay="1ms")
    assert env.possible_agents == ["agent_0"]
    assert env.observation_space("agent_0").shape == (12,)
    assert env.action_space("agent_0") == spaces.MultiDiscrete([2, 2, 2])
    starts = [[0.1 * i, 0.0, 0.01 * i, 0.0] for i in range(3)]
    env.reset(seed=1, options={"initial_state": {"agent_0": starts}})
    assert np.allclose(env.observe("agent_0").reshape(3, 4), starts)
    env.step(np.array([0, 1, 1]))
    env.step(np.array([0, 1, 1]))
    velocities = env.observe("agent_0").reshape(3, 4)[:, 1]
    assert (np.sign(velocities) == [-1, 1, 1]).all()
    assert env.last()[1] == 3.0  # one for each cart
    env.close()


@pytest.mark.parametrize("policy", ["pole_policy", "state_feedback_policy"])
@pytest.mark.parametrize("placement", ["remote", "central"])
def test_baselines_balance_where_random_play_does_not(policy: str, placement: str) -> None:
    """Both reach 500 of 500 over 20 ms samples; random play reaches about 22."""
    env = cart_pole_v0.raw_env(carts=2, placement=placement, transport="udp")
    for seed in range(3):
        env.reset(seed=seed)
        totals = dict.fromkeys(env.agents, 0.0)
        acts = {a: getattr(baselines, policy)(env.action_space(a)) for a in env.agents}
        for agent in env.agent_iter():
            observation, reward, terminated, truncated, _ = env.last()
            totals[agent] += reward
            env.step(None if terminated or truncated else acts[agent](observation))
        assert sum(totals.values()) == 1000
    env.close()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"placement": "local", "delay": "1ms"}, "local has no access link"),
        ({"placement": "local", "loss": 0.1}, "local has no access link"),
        ({"initial_state": "1,2,3"}, "is not x,x_dot,theta,theta_dot"),
        ({"initial_state": "1,2,3,4,5"}, "is not x,x_dot,theta,theta_dot"),
    ],
)
def test_contradictory_parameters_are_refused(arguments: dict[str, Any], words: str) -> None:
    env = cart_pole_v0.raw_env(**arguments)
    with pytest.raises(ParameterError, match=words):
        env.reset()
    env.close()


@pytest.mark.parametrize(
    "state", [[1, 2, 3], [1, 2, 3, float("nan")], "abc", {"pole_0": [0, 0, 0, 0]}, {"agent_x": 1}]
)
def test_bad_initial_states_are_refused(state: Any) -> None:
    env = cart_pole_v0.raw_env()
    with pytest.raises(ParameterError, match="initial_state"):
        env.reset(options={"initial_state": state})
    env.close()


def test_every_access_rate_and_delay_is_accepted() -> None:
    env = cart_pole_v0.raw_env(transport="udp", data_rate="100kbps", delay="4ms", duration="1s")
    env.reset(seed=1)
    assert env.infos["agent_0"]["sim_time_ns"] > 4_000_000
    env.close()
