# SPDX-License-Identifier: GPL-2.0-only
"""edge_cart_pole_v0 as an environment: with one edge node it is cart_pole_v0."""

from __future__ import annotations

from typing import Any, ClassVar

import gymnasium
import numpy as np
import pytest
from conformance import Conformance
from conftest import over
from gymnasium import spaces
from gymnasium.utils.env_checker import check_env
from interfaces import INTERFACES, compare_with_uninterrupted
from pettingzoo.test import max_cycles_test

from defiance_zoo.environments import lookup
from defiance_zoo.envs import cart_pole_v0, edge_cart_pole_v0
from defiance_zoo.envs.edge_cart_pole import baselines
from defiance_zoo.errors import ParameterError

FOLLOW = {"migration": "follow", "transport": "udp"}
STATE = {"migration": "follow", "transport": "tcp", "state_bytes": 20_000}
ACTION = {"migration": "action", "transport": "udp", "state_bytes": 5_000}
DEPLOYMENTS = [
    pytest.param({"handover_interval": "100ms", "carts": carts, **moves}, id=f"{carts}-{name}")
    for carts, name, moves in (
        (2, "follow", FOLLOW),
        (2, "state", {**STATE, "state_transfer": "stop-and-copy"}),
        (1, "schedule", {"migration": "schedule", "schedule": "50ms:1;0.2:0"}),
        (2, "action", ACTION),
    )
]

# As in test_cart_pole.py; an action of `migration="action"` is MultiDiscrete.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Agent's m.*imum observation space value is -?infinity"),
    pytest.mark.filterwarnings("ignore:Action space for each agent probably should be"),
]


@pytest.mark.parametrize("arguments", DEPLOYMENTS)
class TestEachDeployment(Conformance):
    """The tests of every environment, for each kind of agent migration."""

    spec = edge_cart_pole_v0.SPEC
    short: ClassVar[dict[str, Any]] = {"duration": "300ms"}
    eventful: ClassVar[dict[str, Any]] = {"loss": 0.05}


def test_max_cycles_truncates_episodes() -> None:
    max_cycles_test(edge_cart_pole_v0)


@pytest.mark.parametrize("migration", ["follow", "action"])
@pytest.mark.filterwarnings("ignore:.*A Box observation space m.*imum value is -?infinity")
@pytest.mark.filterwarnings("ignore:.*environment.*spec.*render")
def test_gymnasiums_checker_passes(migration: str) -> None:
    env = gymnasium.make("defiance_zoo/EdgeCartPole-v0", migration=migration)
    check_env(env.unwrapped, skip_close_check=True)
    env.close()


@pytest.mark.parametrize("interface", INTERFACES)
def test_restored_episodes_equal_uninterrupted_ones(interface: str) -> None:
    """With state on its way between edge nodes at the snapshot."""
    compare_with_uninterrupted(
        lookup("edge_cart_pole_v0"),
        interface,
        **over("local"),
        **STATE,
        handover_interval="100ms",
        terminate_when_fallen=False,
        duration="500ms",
        **({} if interface == "gymnasium" else {"carts": 2}),
    )


def reported(env: Any, seed: int) -> list[tuple[Any, ...]]:
    """Play an episode; return all results except those that cart_pole_v0 lacks."""
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)
    rows = []
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        shared = {k: v for k, v in info.items() if not k.startswith(("edge/", "moves/"))}
        rows.append((agent, observation.tolist(), reward, terminated, truncated, shared))
        env.step(None if terminated or truncated else int(rng.integers(2)))
    return rows


@pytest.mark.parametrize(
    "arguments",
    [
        {"transport": "udp"},
        {"transport": "tcp", "delay": "3ms"},
        {"transport": "udp", "delay": "30ms", "loss": 0.1, "terminate_when_fallen": False},
        {"transport": "tcp", "loss": 0.05, "data_rate": "500kbps", "action_delay": "5ms"},
        {"transport": "udp", "carts": 3, "delay": "7ms", "initial_state": "0.1,0,0.05,0"},
        {"transport": "tcp", "carts": 3},
    ],
)
def test_with_one_edge_node_the_environment_equals_cart_pole(arguments: dict[str, Any]) -> None:
    """The gate: the same link and the same episodes, exactly; messages and latencies, too."""
    arguments = {"duration": "1s", "communication_infos": True, **arguments}
    edge = edge_cart_pole_v0.raw_env(edges=1, **arguments)
    plain = cart_pole_v0.raw_env(placement="remote", **arguments)
    for seed in range(2):
        assert reported(edge, seed) == reported(plain, seed)
    edge.close()
    plain.close()


def test_spaces_depend_on_the_parameters() -> None:
    plain = edge_cart_pole_v0.raw_env(carts=2)
    assert plain.possible_agents == ["agent_0", "agent_1"]
    assert plain.observation_space("agent_1").shape == (4,)
    assert plain.action_space("agent_1") == spaces.Discrete(2)
    choosing = edge_cart_pole_v0.raw_env(migration="action", edges=3)
    assert choosing.action_space("agent_0") == spaces.MultiDiscrete([2, 3])
    seen = choosing.observation_space("agent_0")
    assert np.array_equal(seen.low[:4], plain.observation_space("agent_0").low)
    assert (seen.low[4:].tolist(), seen.high[4:].tolist()) == ([0, 0], [2, 2])


def test_render_draws_the_environment() -> None:
    env = edge_cart_pole_v0.parallel_env(carts=2, migration="action", render_mode="rgb_array")
    env.reset(seed=1)
    assert env.render().shape == (320, 600, 3)
    env.close()
    text = edge_cart_pole_v0.env(migration="action", render_mode="ansi")
    text.reset(seed=1)
    assert text.render().startswith("t = 0.000066 s\nagent_0: x ")
    text.close()


@pytest.mark.parametrize("policy", ["pole_policy", "state_feedback_policy"])
@pytest.mark.parametrize("migration", ["fixed", "follow", "action"])
def test_baselines_balance_where_hops_are_short(policy: str, migration: str) -> None:
    env = edge_cart_pole_v0.raw_env(migration=migration, hop_delay="1ms", link="local")
    act = getattr(baselines, policy)(env.action_space("agent_0"))
    env.reset(seed=1)
    total = 0.0
    for _agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        total += reward
        env.step(None if terminated or truncated else act(observation))
    env.close()
    assert total == 500


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"migration": "schedule"}, "schedule and migration=schedule need each other"),
        ({"schedule": "1s:1"}, "schedule and migration=schedule need each other"),
        ({"migration": "schedule", "schedule": "1s:5"}, "edges from 0 to 4"),
        ({"migration": "schedule", "schedule": "1s"}, "is not time:edge"),
        ({"migration": "schedule", "schedule": "-1s:1"}, "is not time:edge"),
        ({"migration": "schedule", "schedule": "soon:1"}, "is not time:edge"),
        ({"migration": "fixed", "state_bytes": 1}, "fixed never moves"),
        ({"state_transfer": "stop-and-copy"}, "needs state_bytes"),
        ({"initial_state": "1,2,3"}, "is not x,x_dot,theta,theta_dot"),
    ],
)
def test_contradictory_parameters_are_refused(arguments: dict[str, Any], words: str) -> None:
    env = edge_cart_pole_v0.raw_env(**arguments)
    with pytest.raises(ParameterError, match=words):
        env.reset()
    env.close()
