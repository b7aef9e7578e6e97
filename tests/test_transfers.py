# SPDX-License-Identifier: GPL-2.0-only
"""Transfers over the simulated network: times computed by hand, loss, refusal, snapshots.

`scenarios/learning.cc`: every link has 1 Mbit/s and 5 ms; agents decide at 10, 20, ... ms.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from conftest import PROGRAMS
from pettingzoo.test import api_test, parallel_api_test

from defiance_zoo import errors
from defiance_zoo.environments import EnvironmentSpec
from defiance_zoo.simulation import Scenario, Transfer
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv

LEARNING = Scenario("learning", PROGRAMS / "learning")
SPEC = EnvironmentSpec("learning_v0", LEARNING)
Make = Callable[..., Any]

MS = 1_000_000
NS_PER_BYTE = 8_000
DELAY = 5 * MS
PPP, IPV4, UDP = 2, 20, 8
DATAGRAM = 1400
"""Largest payload of a datagram of a transfer."""
TCP, TIMESTAMPS, FRAME = 20, 12, 4
SEGMENT = 536
"""ns-3's TCP puts so many bytes of the stream into a segment."""
TCP_SEND_NS = 1
"""ns-3's TCP sends what it was given one nanosecond later."""


@pytest.fixture
def link() -> str:
    """Orders and reports are part of messages that travel on every link; one test is of them."""
    return "local"


def udp_ns(size: int) -> int:
    """The datagrams leave one behind the other, each with its headers; the last one travels."""
    datagrams = math.ceil(size / DATAGRAM)
    return (size + datagrams * (UDP + IPV4 + PPP)) * NS_PER_BYTE + DELAY


def tcp_ns(size: int) -> int:
    """A frame header and the content, in segments; the window never empties the link."""
    stream = FRAME + size
    segments = math.ceil(stream / SEGMENT)
    on_the_wire = stream + segments * (TCP + TIMESTAMPS + IPV4 + PPP)
    return TCP_SEND_NS + on_the_wire * NS_PER_BYTE + DELAY


def advance(env: Any, rounds: int) -> dict[str, float]:
    """Play some rounds; return the last rewards."""
    rewards: dict[str, float] = {}
    for _ in range(rounds):
        _, rewards, *_ = env.step(dict.fromkeys(env.agents, 1))
    return rewards


def finish(env: Any) -> None:
    """Play to the end of the episode."""
    while env.agents:
        advance(env, 1)


def begin(env: Any, time_ms: int = 20) -> Any:
    """Reset, and play until a time, which is 10 ms times a number; TCP is connected at 20."""
    env.reset(seed=1)
    advance(env, time_ms // 10 - 1)
    assert env.sim_time_ns == time_ms * MS
    return env


def only(env: Any) -> Transfer:
    (transfer,) = env.transfers.values()
    return transfer


HAND = {"udp": udp_ns, "tcp": tcp_ns, "simple": lambda size: DELAY}


@pytest.mark.parametrize("size", [1, 1400, 1401, 5000, 50_000])
@pytest.mark.parametrize("transport", HAND)
def test_time_on_an_empty_link_is_that_computed_by_hand(
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
def test_cross_traffic_slows_it_down(make_parallel: Make, transport: str) -> None:
    """Half of the link is taken, or almost all: 510 of 530 bytes of its packets are payload."""
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
def test_it_is_told_with_the_first_round_that_is_not_before_it(make_parallel: Make) -> None:
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


def test_an_agent_may_decide_as_it_arrives(make_aec: Make) -> None:
    """The scenario asks at once when something urgent arrives: that round tells of it."""
    env = make_aec(LEARNING, agents=1)
    env.reset(seed=1)
    order = env.transfer("server_0", "agent_0", 1345, kind="urgent")
    env.step(0)
    env.step(0)
    assert env.sim_time_ns == (10 + 16) * MS
    assert env.transfers[order.number].finished_ns == 26 * MS


def test_transfers_of_one_channel_follow_each_other(make_parallel: Make) -> None:
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


def test_a_rate_spreads_datagrams(make_parallel: Make) -> None:
    """At half the rate of the link, each datagram waits until the one before has left twice."""
    env = begin(make_parallel(LEARNING, transfer_rate="500kbps", duration="400ms"))
    env.transfer("server_0", "agent_0", 10_000)
    finish(env)
    last = 10_000 - 7 * DATAGRAM
    assert only(env).finished_ns == 20 * MS + 7 * DATAGRAM * 16_000 + udp_ns(last)


def test_a_datagram_lost_is_a_transfer_lost(make_parallel: Make) -> None:
    """Nobody knows until something later arrives; over TCP it is sent again."""
    outage = {"outage_from": "40ms", "outage_until": "60ms"}
    env = begin(make_parallel(LEARNING, **outage))
    first = env.transfer("server_0", "agent_0", 5000)  # on the link until 60.96 ms
    advance(env, 5)
    assert env.sim_time_ns == 70 * MS
    assert env.transfers[first.number].under_way
    second = env.transfer("server_0", "agent_0", 100)
    advance(env, 1)
    lost = env.transfers[first.number]
    assert (lost.outcome, lost.reason) == ("lost", "the channel dropped it: LOSS")
    assert lost.finished_ns == env.transfers[second.number].finished_ns == 70 * MS + udp_ns(100)
    assert lost.latency is None

    env = begin(make_parallel(LEARNING, transport="tcp", duration="3s", **outage))
    env.transfer("server_0", "agent_0", 5000)
    finish(env)
    assert only(env).delivered
    assert only(env).finished_ns > 20 * MS + tcp_ns(5000)


def test_a_simple_channel_loses_it_at_once(make_parallel: Make) -> None:
    env = begin(make_parallel(LEARNING, transport="simple", loss=1.0))
    env.transfer("server_0", "agent_0", 5000)
    advance(env, 1)
    assert (only(env).outcome, only(env).finished_ns) == ("lost", 20 * MS)


def test_what_is_on_its_way_at_the_end_is_unfinished(make_parallel: Make) -> None:
    env = begin(make_parallel(LEARNING))
    env.transfer("server_0", "agent_0", 50_000)
    finish(env)
    assert (only(env).outcome, only(env).finished_ns) == ("unfinished", None)
    first = only(env).number
    begin(env)
    assert env.transfers == {}
    assert env.transfer("server_0", "agent_0", 1).number > first


REFUSALS: dict[str, tuple[dict[str, Any], tuple[str, str], str]] = {
    "no_channel": ({"peers": False}, ("agent_0", "agent_1"), "agent_0 has no channel to agent_1"),
    "no_sender": (
        {},
        ("server_7", "agent_1"),
        "there is no agent or training server 'server_7', only agent_0, agent_1, server_0",
    ),
    "no_receiver": (
        {"servers": 0},
        ("agent_0", "server_0"),
        "there is no agent or training server 'server_0', only agent_0, agent_1",
    ),
    "not_connected": (
        {"connect_time": "1s"},
        ("server_0", "agent_0"),
        "the channel dropped it: NOT_CONNECTED",
    ),
    "queue_full": (
        {"transport": "tcp", "max_queue_size": 100},
        ("server_0", "agent_0"),
        "the channel dropped it: QUEUE_FULL",
    ),
    "stopped": ({"server_stop": "1ms"}, ("server_0", "agent_0"), "server_0 does not run"),
}


@pytest.mark.parametrize("case", REFUSALS)
def test_refusals_say_why(make_parallel: Make, case: str) -> None:
    arguments, pair, reason = REFUSALS[case]
    env = begin(make_parallel(LEARNING, **arguments))
    env.transfer(*pair, 1_000_000)
    advance(env, 1)
    transfer = only(env)
    assert (transfer.outcome, transfer.finished_ns) == ("refused", 20 * MS)
    assert transfer.reason.startswith(reason)
    finish(env)
    assert only(env) == transfer


def test_a_receiver_that_has_stopped_gets_nothing(make_parallel: Make) -> None:
    env = begin(make_parallel(LEARNING, server_stop="40ms"))
    env.transfer("agent_0", "server_0", 5000)
    finish(env)
    assert only(env).outcome == "lost"
    assert only(env).reason == "server_0 did not run when it arrived"


@pytest.mark.parametrize(
    "arguments",
    [
        ("server_0", "agent_0", 0),
        ("server_0", "agent_0", -1),
        ("server_0", "agent_0", 2**32),
        ("server_0", "agent_0", 1.5),
        ("agent_0", "agent_0", 1),
        ("server_0", "agent_0", 1, ""),
        ("server_0", "agent_0", 1, "a/b"),
    ],
)
def test_what_cannot_be_is_refused_at_once(make_parallel: Make, arguments: Any) -> None:
    env = begin(make_parallel(LEARNING))
    with pytest.raises(errors.InvalidTransfer):
        env.transfer(*arguments)
    assert env.transfers == {}


def test_there_must_be_an_episode(make_parallel: Make) -> None:
    env = make_parallel(LEARNING)
    with pytest.raises(errors.ResetNeeded):
        env.transfer("server_0", "agent_0", 1)
    finish(begin(env))
    with pytest.raises(errors.ResetNeeded):
        env.transfer("server_0", "agent_0", 1)


def test_a_program_without_applications_refuses(make_aec: Make) -> None:
    env = make_aec()
    env.reset(seed=1)
    env.transfer("server_0", "agent_0", 1)
    env.step(1)
    assert only(env).reason == "no application of this simulation takes part in transfers"


def flows(infos: dict[str, Any]) -> dict[str, int]:
    return {
        key.removeprefix("communication/"): value
        for key, value in infos.items()
        if "_messages" in key or "_bytes" in key
    }


@pytest.mark.parametrize(("transport", "header"), [("udp", 0), ("tcp", 4), ("simple", 0)])
def test_statistics_count_what_was_ordered(
    make_parallel: Make, transport: str, header: int
) -> None:
    env = begin(make_parallel(LEARNING, transport=transport, communication_infos=True))
    for size in (1000, 3000):
        env.transfer("server_0", "agent_0", size)
    env.transfer("agent_0", "server_0", 500, "experience")
    advance(env, 10)
    told = flows(env.step(dict.fromkeys(env.agents, 1))[4]["agent_0"])
    assert told == {
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
def test_a_snapshot_keeps_what_is_on_its_way(make_parallel: Make, transport: str) -> None:
    env = begin(make_parallel(LEARNING, transport=transport, delay="15ms"))
    kept = env.transfer("server_0", "agent_0", 3000)
    advance(env, 1)
    noted = env.transfer("server_0", "agent_1", 2000)  # not told to the simulation yet
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


def test_steps_are_the_same_with_and_without(make_parallel: Make) -> None:
    """Nothing but the network is shared; decisions come when they would have come."""

    def play(order: bool) -> list[Any]:
        env = begin(make_parallel(LEARNING))
        if order:
            env.transfer("server_0", "agent_0", 5000)
        told = []
        while env.agents:
            told.append(env.step(dict.fromkeys(env.agents, 3)))
        return told

    assert repr(play(order=True)) == repr(play(order=False))


def test_a_gymnasium_environment_can() -> None:
    env = GymnasiumEnv(SPEC, agents=1)
    env.reset(seed=1)
    env.transfer("agent_0", "server_0", 500, "experience")
    for _ in range(3):
        env.step(1)
    assert only(env).finished_ns == 10 * MS + udp_ns(500)
    env.close()


@pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be")
@pytest.mark.filterwarnings("ignore:Observation is a single number")
def test_pettingzoo_accepts_it() -> None:
    env = SPEC.env()
    api_test(env, num_cycles=60)
    env.close()
    parallel = SPEC.parallel_env()
    parallel_api_test(parallel, num_cycles=60)
    parallel.close()
