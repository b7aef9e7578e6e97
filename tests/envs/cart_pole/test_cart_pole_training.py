# SPDX-License-Identifier: GPL-2.0-only
"""cart_pole_v0 with a training server: the links that transfers cross, and their times."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from interfaces import compare_with_uninterrupted
from pettingzoo.test import api_test, parallel_api_test
from transfers import HAND, NS_PER_BYTE

from defiance_zoo.environments import lookup
from defiance_zoo.environments.testing import check_deterministic
from defiance_zoo.envs import cart_pole_v0
from defiance_zoo.errors import ParameterError

Make = Callable[..., Any]
RATES = {"50kbps": 160_000, "250kbps": 32_000, "1Mbps": NS_PER_BYTE}
"""Transmission time of a byte in ns."""
MODEL = 18_700
"""Bytes of a small network's weights."""

# As in test_cart_pole.py.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Agent's m.*imum observation space value is -?infinity"),
    pytest.mark.filterwarnings("ignore:Action space for each agent probably should be"),
]


def link_to_server(placement: str, rate: str = "1Mbps", **link: Any) -> dict[str, Any]:
    """Return the arguments for a link of a rate and 5 ms between server and agents."""
    link = {"data_rate": rate, "delay": "5ms", **link}
    prefix = "" if placement == "local" else "server_"
    return {
        "placement": placement,
        "training_server": "central",
        **{f"{prefix}{name}": value for name, value in link.items()},
    }


@pytest.fixture
def make(request: pytest.FixtureRequest) -> Make:
    """Return a function that makes environments whose carts do not end it, closed afterwards."""

    def make(**arguments: Any) -> Any:
        env = cart_pole_v0.parallel_env(terminate_when_fallen=False, link="local", **arguments)
        request.addfinalizer(env.close)
        return env

    return make


def send(env: Any, pairs: list[tuple[str, str]], size: int = MODEL) -> list[Any]:
    """Order transfers at one decision, 200 ms after the first; return them at the end."""
    env.reset(seed=1)

    def advance() -> None:
        spaces = {agent: env.action_space(agent) for agent in env.agents}
        env.step({agent: np.zeros(space.shape, np.int64) for agent, space in spaces.items()})

    for _ in range(10):
        advance()
    orders = [env.transfer(*pair, size) for pair in pairs]
    while env.agents:
        advance()
    return [env.transfers[order.number] for order in orders]


DEPLOYMENTS = [("local", "simple"), ("local", "udp"), ("remote", "simple"), ("central", "tcp")]


@pytest.mark.long
@pytest.mark.parametrize(("placement", "transport"), DEPLOYMENTS)
@pytest.mark.parametrize("server_transport", ["udp", "tcp"])
@pytest.mark.parametrize("rate", RATES)
def test_transfer_times_are_as_computed_by_hand(
    make: Make, placement: str, transport: str, server_transport: str, rate: str
) -> None:
    """Each agent has its own link, and its two directions do not disturb each other."""
    env = make(
        carts=2,
        transport=transport,
        server_transport=server_transport,
        duration="8s",
        **link_to_server(placement, rate),
    )
    pairs = [(agent, "server_0") for agent in env.possible_agents]
    if server_transport == "udp":  # TCP's acknowledgements would delay them
        pairs += [("server_0", agent) for agent in env.possible_agents]
    for transfer in send(env, pairs):
        expected = HAND[server_transport](MODEL, RATES[rate])
        assert transfer.finished_ns - transfer.ordered_ns == expected


@pytest.mark.parametrize("server_transport", ["udp", "tcp"])
def test_a_large_model_fits_into_the_queue(make: Make, server_transport: str) -> None:
    (transfer,) = send(
        make(server_transport=server_transport, duration="5s", **link_to_server("local", "10Mbps")),
        [("agent_0", "server_0")],
        size=4_000_000,
    )
    assert transfer.latency == pytest.approx(HAND[server_transport](4_000_000, 800) / 1e9, rel=0.02)


@pytest.mark.parametrize("access", ["csma", "wifi", "lte"])
def test_transfers_over_a_shared_medium_wait_for_each_other(make: Make, access: str) -> None:
    """All carts send at once: over the bus, or over the link behind access point or gateway."""
    longest = []
    for carts in (1, 4):
        env = make(carts=carts, access=access, duration="4s", **link_to_server("local", delay="0s"))
        transfers = send(env, [(agent, "server_0") for agent in env.possible_agents])
        assert all(transfer.delivered for transfer in transfers)
        longest.append(max(transfer.latency for transfer in transfers))
    for carts, seconds in zip((1, 4), longest, strict=True):
        assert carts * MODEL * NS_PER_BYTE < seconds * 1e9 < 2 * carts * MODEL * NS_PER_BYTE


def test_transfers_over_dedicated_links_do_not_compete(make: Make) -> None:
    for carts in (1, 4):
        env = make(carts=carts, duration="2s", **link_to_server("local"))
        for transfer in send(env, [(agent, "server_0") for agent in env.possible_agents]):
            assert transfer.finished_ns - transfer.ordered_ns == HAND["tcp"](MODEL)


@pytest.mark.parametrize("placement", ["local", "remote"])
def test_loss_loses_transfers_over_udp_and_delays_them_over_tcp(make: Make, placement: str) -> None:
    """14 datagrams, of which one in five is lost."""
    found = {}
    for server_transport in ("udp", "tcp"):
        link = link_to_server(placement, loss=0.2)
        env = make(server_transport=server_transport, duration="20s", **link)
        (found[server_transport],) = send(env, [("server_0", "agent_0")])
    assert found["udp"].outcome != "delivered"
    assert found["tcp"].delivered
    assert found["tcp"].latency > HAND["tcp"](MODEL) / 1e9


@pytest.mark.parametrize("access", ["point-to-point", "csma", "wifi", "lte"])
def test_a_local_agent_is_not_affected_by_the_link(make: Make, access: str) -> None:
    """Over any network to the server, the agent observes its cart without delay or loss."""

    def play(**arguments: Any) -> list[Any]:
        env = make(duration="400ms", **arguments)
        observations, infos = env.reset(seed=4)
        start = infos["agent_0"]["sim_time_ns"]
        reported = [(0, observations["agent_0"].tolist())]
        while env.agents:
            observations, *_, infos = env.step({"agent_0": len(reported) % 2})
            time_ns = infos["agent_0"]["sim_time_ns"] - start
            reported.append((time_ns, observations["agent_0"].tolist()))
        return reported

    link = link_to_server("local", delay="1ms", loss=0.5)
    assert play(access=access, **link) == play(placement="local")


@pytest.mark.parametrize("deployment", [("local", "wifi"), ("central", "csma")], ids=str)
def test_the_checkers_pass(deployment: tuple[str, str]) -> None:
    placement, access = deployment
    link = link_to_server(placement, delay="1ms", loss=0.05)
    arguments = {"carts": 2, "access": access, "transport": "udp", **link}
    env = cart_pole_v0.env(**arguments)
    api_test(env, num_cycles=30)
    env.close()
    parallel = cart_pole_v0.parallel_env(**arguments)
    parallel_api_test(parallel, num_cycles=30)
    parallel.close()
    make = functools.partial(cart_pole_v0.raw_env, duration="300ms", **arguments)
    check_deterministic(make, second_process=False)


def test_restored_episodes_equal_uninterrupted_ones() -> None:
    compare_with_uninterrupted(
        lookup("cart_pole_v0"),
        "parallel",
        carts=2,
        link="local",
        duration="2s",
        restart_when_fallen=True,
        **link_to_server("local"),
    )


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"server_delay": "1ms"}, "training_server=none does not use server_transport"),
    ({"server_transport": "udp"}, "training_server=none does not use server_transport"),
    ({**link_to_server("remote"), "placement": "local"}, "data_rate, delay and loss apply"),
    ({"training_server": "central", "access": "wifi"}, "transport=simple sends no packets"),
    ({**link_to_server("local"), "access": "csma"}, "at most 1ms, not .5ms"),
    ({"placement": "local", "access": "wifi", "transport": "udp"}, "local has no access link"),
    ({"training_server": "peers"}, "training_server='peers' is not one of .*'central'"),
]


@pytest.mark.parametrize(("arguments", "words"), REFUSED, ids=str)
def test_contradictory_parameters_are_refused(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        cart_pole_v0.raw_env(**arguments).reset()
