# SPDX-License-Identifier: GPL-2.0-only
"""cart_pole_v0 over each access network: the same task, with another latency only."""

from __future__ import annotations

import functools
import subprocess
from typing import Any

import numpy as np
import pytest
from cart_pole_reference import INTERVAL_NS
from conftest import over
from interfaces import INTERFACES, compare_with_uninterrupted
from pettingzoo.test import api_test, parallel_api_test

from defiance_zoo.environments import lookup
from defiance_zoo.environments.testing import check_deterministic, play
from defiance_zoo.envs import cart_pole_v0
from defiance_zoo.envs.cart_pole import baselines
from defiance_zoo.errors import ParameterError

CART_POLE = lookup("cart_pole_v0")
ACCESS = ["csma", "wifi", "lte"]
RADIO = ["wifi", "lte"]

# As in test_cart_pole.py.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Agent's m.*imum observation space value is -?infinity"),
    pytest.mark.filterwarnings("ignore:Action space for each agent probably should be"),
]


@pytest.mark.parametrize("access", ACCESS)
@pytest.mark.parametrize(
    "deployment",
    [
        pytest.param(
            {"carts": 2, "placement": "remote", "transport": "udp"},
            id="remote-udp",
            marks=pytest.mark.long,
        ),
        pytest.param({"carts": 2, "placement": "central", "transport": "tcp"}, id="central-tcp"),
    ],
)
class TestEachAccess:
    """The tests of every environment, over each access network."""

    def test_pettingzoos_api_test_passes(self, access: str, deployment: dict[str, Any]) -> None:
        env = cart_pole_v0.env(access=access, **deployment)
        api_test(env, num_cycles=50)
        env.close()
        parallel = cart_pole_v0.parallel_env(access=access, **deployment)
        parallel_api_test(parallel, num_cycles=50)
        parallel.close()

    def test_equal_seeds_give_equal_episodes(self, access: str, deployment: dict[str, Any]) -> None:
        make = functools.partial(
            cart_pole_v0.raw_env, access=access, loss=0.05, duration="300ms", **deployment
        )
        check_deterministic(make, second_process=deployment["placement"] == "remote")

    def test_forked_episodes_equal_fresh_ones(
        self, access: str, deployment: dict[str, Any]
    ) -> None:
        """The warm-up of the fork server has no effect on an episode."""
        arguments = {"access": access, "communication_infos": True, "loss": 0.05, **deployment}
        arguments["duration"] = "300ms"
        forked = cart_pole_v0.raw_env(launch="fork", **arguments)
        fresh = cart_pole_v0.raw_env(launch="spawn", **arguments)
        for seed in (0, 1):
            assert play(forked, seed, episodes=2) == play(fresh, seed, episodes=2)
        forked.close()
        fresh.close()


@pytest.mark.long
@pytest.mark.parametrize("access", ACCESS)
@pytest.mark.parametrize("interface", INTERFACES)
def test_restored_episodes_equal_uninterrupted_ones(interface: str, access: str) -> None:
    """With TCP, frames on the air, timers of the MAC layer and a busy backhaul."""
    compare_with_uninterrupted(
        CART_POLE,
        interface,
        **over("local"),
        access=access,
        transport="tcp",
        delay="1ms",
        terminate_when_fallen=False,
        duration="500ms",
        **({} if interface == "gymnasium" else {"carts": 2}),
    )


def first_observations(env: Any, seed: int) -> dict[str, np.ndarray]:
    """Return the first observation of each agent."""
    env.reset(seed=seed)
    observed: dict[str, np.ndarray] = {}
    while len(observed) < len(env.possible_agents):
        agent = env.agent_selection
        observed.setdefault(agent, env.observe(agent))
        env.step(0)
    return observed


@pytest.mark.parametrize("access", ACCESS)
@pytest.mark.parametrize("carts", [1, 4])
def test_carts_start_like_over_point_to_point_links(carts: int, access: str) -> None:
    """The network starts before the first sample, whose time is a multiple of 20 ms."""
    direct = cart_pole_v0.raw_env(carts=carts, transport="udp")
    other = cart_pole_v0.raw_env(carts=carts, transport="udp", access=access)
    for seed in range(3):
        expected = first_observations(direct, seed)
        assert len(expected) == carts
        for agent, observation in first_observations(other, seed).items():
            assert np.array_equal(observation, expected.pop(agent))
        assert not expected
    direct.close()
    other.close()


@pytest.mark.parametrize("access", ACCESS)
def test_duration_counts_from_the_first_sample(access: str) -> None:
    env = cart_pole_v0.raw_env(
        access=access, transport="udp", terminate_when_fallen=False, duration="2s"
    )
    env.reset(seed=1)
    first = env.infos["agent_0"]["sim_time_ns"]
    start = first // INTERVAL_NS * INTERVAL_NS
    assert (start > 0) == (access in RADIO)
    decisions = 0
    for _ in env.agent_iter():
        _, _, terminated, truncated, info = env.last()
        over_now = terminated or truncated
        decisions += not over_now
        env.step(None if over_now else 0)
    assert truncated
    assert info["sim_time_ns"] == start + 2 * 10**9
    assert decisions == 100
    env.close()


@pytest.mark.parametrize("access", ACCESS)
def test_a_baseline_balances_over_each_access_network(access: str) -> None:
    """Even over LTE, observation and action together take less than a sample interval."""
    env = cart_pole_v0.raw_env(carts=2, access=access, transport="udp")
    acts = {a: baselines.state_feedback_policy(env.action_space(a)) for a in env.possible_agents}
    env.reset(seed=1)
    totals = dict.fromkeys(env.agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        totals[agent] += reward
        env.step(None if terminated or truncated else acts[agent](observation))
    assert totals == {"agent_0": 500, "agent_1": 500}
    env.close()


@pytest.mark.parametrize("access", ACCESS)
def test_loss_loses_packets(access: str) -> None:
    env = cart_pole_v0.raw_env(
        access=access, transport="udp", loss=0.5, terminate_when_fallen=False
    )
    env.reset(seed=2)
    decisions = 0
    for _ in env.agent_iter():
        *_, terminated, truncated, _info = env.last()
        decisions += not (terminated or truncated)
        env.step(None if terminated or truncated else 0)
    env.close()
    # Binomial(500, 1/2): five standard deviations are 56.
    assert abs(decisions - 250) < 56


def test_access_may_change_between_episodes() -> None:
    """Each kind has its own program, and the environment finds it."""
    env = cart_pole_v0.raw_env(transport="udp")
    for access in ("wifi", "lte", "csma", "point-to-point", "lte"):
        env.reset(seed=3, options={"access": access})
        other = cart_pole_v0.raw_env(transport="udp", access=access)
        other.reset(seed=3)
        for _ in range(5):
            assert env.infos == other.infos
            assert np.array_equal(env.observe("agent_0"), other.observe("agent_0"))
            env.step(1)
            other.step(1)
        other.close()
    env.close()


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"access": "wlan"}, "access='wlan' is not one of .*'wifi'"),
    ({"access": "wifi"}, "transport=simple sends no packets, so access=wifi needs transport=udp"),
    ({"access": "csma", "placement": "local", "transport": "udp"}, "local has no access link"),
    ({"access": "csma", "transport": "udp", "delay": "2ms"}, "at most 1ms, not .2ms"),
    ({"access": "csma", "transport": "udp", "distance": 20}, "csma is a cable: distance is for"),
    ({"distance": 20}, "point-to-point is a cable: distance is for wifi and lte"),
    ({"access": "wifi", "transport": "udp", "distance": 51}, "reaches 50 m, not distance=51"),
    ({"access": "lte", "transport": "udp", "distance": 20000}, "distance=20000 is not within"),
    ({"access": "wifi", "transport": "udp", "carts": 101}, "access=wifi takes 100 carts, not 101"),
    ({"access": "lte", "transport": "udp", "carts": 301}, "access=lte takes 300 carts, not 301"),
]


@pytest.mark.parametrize(("arguments", "words"), REFUSED, ids=str)
def test_contradictory_parameters_are_refused(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        cart_pole_v0.raw_env(**arguments).reset()


def test_a_program_names_the_module_it_is_not_linked_with() -> None:
    program = CART_POLE.scenario.locate()
    command = [program, "--access=wifi", "--transport=udp"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "this program lacks the models for access=wifi" in done.stderr
