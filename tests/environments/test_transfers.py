# SPDX-License-Identifier: GPL-2.0-only
"""Transfers over the simulated network: times computed by hand, rounds, counts, snapshots."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pettingzoo.test import api_test, parallel_api_test
from transfers import (
    DATAGRAM,
    DELAY,
    HAND,
    LEARNING,
    MS,
    SPEC,
    advance,
    begin,
    finish,
    only,
    udp_ns,
)

from defiance_zoo.wrappers.gymnasium import GymnasiumEnv

Make = Callable[..., Any]


@pytest.fixture
def link() -> str:
    """Messages with orders and reports travel on all links; one test covers each kind."""
    return "local"


@pytest.mark.parametrize("size", [1, 1400, 1401, 5000, 50_000])
@pytest.mark.parametrize("transport", HAND)
def test_the_time_on_an_empty_link_is_as_computed_by_hand(
    make_parallel: Make, transport: str, size: int
) -> None:
    env = begin(make_parallel(LEARNING, transport=transport, duration="600ms"))
    order = env.transfer("server_0", "agent_0", size)
    assert (order.outcome, order.latency, order.ordered_ns) == ("under_way", None, 20 * MS)
    finish(env)
    transfer = env.transfers[order.number]
    assert transfer.outcome == "delivered"
    assert transfer.finished_ns == 20 * MS + HAND[transport](size)
    assert transfer.latency == HAND[transport](size) / 1e9


@pytest.mark.parametrize("transport", ["udp", "tcp"])
def test_cross_traffic_delays_a_transfer(make_parallel: Make, transport: str) -> None:
    """Cross traffic takes half of the link, or almost all: packets are 510/530 payload."""
    latencies = []
    for cross in ("0bps", "500kbps", "900kbps"):
        env = begin(
            make_parallel(LEARNING, transport=transport, cross_traffic=cross, duration="2s")
        )
        env.transfer("server_0", "agent_0", 20_000)
        finish(env)
        assert only(env).delivered
        latencies.append(only(env).latency)
    assert latencies[0] == HAND[transport](20_000) / 1e9
    assert latencies[0] < latencies[1] < latencies[2]


@pytest.mark.parametrize("link", ["zmq", "local", "spin"])
def test_a_transfer_is_reported_with_the_first_round_at_or_after_its_arrival(
    make_parallel: Make,
) -> None:
    """1,345 bytes over UDP: 11 ms and 5 ms, ordered at 20 ms, arrive at 36 ms."""
    env = begin(make_parallel(LEARNING))
    order = env.transfer("server_0", "agent_0", 1345)
    seen = []
    while env.sim_time_ns < 60 * MS:
        advance(env, 1)
        seen.append((env.sim_time_ns, env.transfers[order.number].outcome))
    assert seen == [
        (30 * MS, "under_way"),
        (40 * MS, "delivered"),
        (50 * MS, "delivered"),
        (60 * MS, "delivered"),
    ]
    assert env.transfers[order.number].finished_ns == 36 * MS


@pytest.mark.parametrize("link", ["zmq", "local", "spin"])
def test_one_reply_may_order_any_number_of_transfers(make_parallel: Make) -> None:
    """5,000 orders make a reply of more than 64 KiB, more than a mailbox or pipe holds at once."""
    env = begin(make_parallel(LEARNING, transport="simple"))
    for _ in range(5000):
        env.transfer("server_0", "agent_0", 1)
    advance(env, 2)
    assert sum(each.delivered for each in env.transfers.values()) == 5000


def test_an_agent_may_decide_at_the_arrival_of_a_transfer(make_aec: Make) -> None:
    """The scenario requests a decision at an urgent arrival: that round reports the transfer."""
    env = make_aec(LEARNING, agents=1)
    env.reset(seed=1)
    order = env.transfer("server_0", "agent_0", 1345, kind="urgent")
    env.step(0)
    env.step(0)
    assert env.sim_time_ns == (10 + 16) * MS
    assert env.transfers[order.number].finished_ns == 26 * MS


def test_transfers_of_one_channel_are_sent_one_after_the_other(make_parallel: Make) -> None:
    env = begin(make_parallel(LEARNING))
    numbers = [env.transfer("server_0", "agent_0", 1400).number for _ in range(3)]
    finish(env)
    one = udp_ns(1400) - DELAY
    assert [env.transfers[n].finished_ns for n in numbers] == [
        20 * MS + DELAY + one * k for k in (1, 2, 3)
    ]


def test_agents_and_servers_send_to_each_other(make_parallel: Make) -> None:
    env = begin(make_parallel(LEARNING, servers=2, agents=3))
    pairs = [("agent_0", "agent_2"), ("agent_2", "agent_0"), ("agent_1", "server_1")]
    for pair in pairs:
        env.transfer(*pair, 5000, "experience")
    finish(env)
    assert [(t.sender, t.receiver) for t in env.transfers.values()] == pairs
    assert {t.finished_ns for t in env.transfers.values()} == {20 * MS + udp_ns(5000)}


def test_a_rate_spaces_datagrams(make_parallel: Make) -> None:
    """At half the rate of the link, datagrams are spaced by twice their transmission time."""
    env = begin(make_parallel(LEARNING, transfer_rate="500kbps", duration="400ms"))
    env.transfer("server_0", "agent_0", 10_000)
    finish(env)
    last = 10_000 - 7 * DATAGRAM
    assert only(env).finished_ns == 20 * MS + 7 * DATAGRAM * 16_000 + udp_ns(last)


def flows(infos: dict[str, Any]) -> dict[str, int]:
    return {
        key.removeprefix("communication/"): value
        for key, value in infos.items()
        if "_messages" in key or "_bytes" in key
    }


@pytest.mark.parametrize(("transport", "header"), [("udp", 0), ("tcp", 4), ("simple", 0)])
def test_statistics_count_ordered_transfers(
    make_parallel: Make, transport: str, header: int
) -> None:
    env = begin(make_parallel(LEARNING, transport=transport, communication_infos=True))
    for size in (1000, 3000):
        env.transfer("server_0", "agent_0", size)
    env.transfer("agent_0", "server_0", 500, "experience")
    advance(env, 10)
    reported = flows(env.step(dict.fromkeys(env.agents, 1))[4]["agent_0"])
    assert reported == {
        f"{flow}/{quantity}": value
        for flow, messages, size in (
            ("server_0/agent_0/model_update", 2, 4000 + 2 * header),
            ("agent_0/server_0/experience", 1, 500 + header),
        )
        for quantity, value in {
            "tx_messages": messages,
            "tx_bytes": size,
            "rx_messages": messages,
            "rx_bytes": size,
            "dropped_messages": 0,
            "dropped_bytes": 0,
        }.items()
    }


@pytest.mark.parametrize("transport", HAND)
def test_a_snapshot_keeps_transfers_in_flight(make_parallel: Make, transport: str) -> None:
    env = begin(make_parallel(LEARNING, transport=transport, delay="15ms"))
    kept = env.transfer("server_0", "agent_0", 3000)
    advance(env, 1)
    noted = env.transfer("server_0", "agent_1", 2000)  # not sent to the simulation yet
    with env.snapshot() as snapshot:
        env.transfer("agent_1", "agent_0", 4000)
        finish(env)
        later = {number: env.transfers[number] for number in (kept.number, noted.number)}
        assert all(transfer.delivered for transfer in later.values())
        for _ in range(2):
            env.restore(snapshot)
            assert set(env.transfers) == set(later)
            assert all(transfer.under_way for transfer in env.transfers.values())
            other = env.branch()
            for each in (env, other):
                finish(each)
                assert each.transfers == later
            other.close()


def test_steps_are_the_same_with_and_without_transfers(make_parallel: Make) -> None:
    """Transfers share only the network; decisions come at the same times."""

    def play(order: bool) -> list[Any]:
        env = begin(make_parallel(LEARNING))
        if order:
            env.transfer("server_0", "agent_0", 5000)
        reported = []
        while env.agents:
            reported.append(env.step(dict.fromkeys(env.agents, 3)))
        return reported

    assert repr(play(order=True)) == repr(play(order=False))


def test_a_gymnasium_environment_supports_transfers() -> None:
    env = GymnasiumEnv(SPEC, agents=1)
    env.reset(seed=1)
    env.transfer("agent_0", "server_0", 500, "experience")
    for _ in range(3):
        env.step(1)
    assert only(env).finished_ns == 10 * MS + udp_ns(500)
    env.close()


@pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be")
@pytest.mark.filterwarnings("ignore:Observation is a single number")
def test_pettingzoos_checkers_accept_an_environment_with_transfers() -> None:
    env = SPEC.env()
    api_test(env, num_cycles=60)
    env.close()
    parallel = SPEC.parallel_env()
    parallel_api_test(parallel, num_cycles=60)
    parallel.close()
