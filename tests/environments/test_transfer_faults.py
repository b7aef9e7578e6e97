# SPDX-License-Identifier: GPL-2.0-only
"""Transfers that do not arrive: lost, refused, unfinished, or impossible."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from transfers import LEARNING, MS, advance, begin, finish, only, tcp_ns, udp_ns

from defiance_zoo import errors

Make = Callable[..., Any]


@pytest.fixture
def link() -> str:
    """A fixed kind of link: these tests do not depend on it."""
    return "local"


def test_a_lost_datagram_loses_its_transfer(make_parallel: Make) -> None:
    """The loss is known when a later transfer arrives; TCP retransmits the datagram."""
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


def test_a_simple_channel_loses_a_transfer_immediately(make_parallel: Make) -> None:
    env = begin(make_parallel(LEARNING, transport="simple", loss=1.0))
    env.transfer("server_0", "agent_0", 5000)
    advance(env, 1)
    assert (only(env).outcome, only(env).finished_ns) == ("lost", 20 * MS)


def test_a_transfer_in_flight_at_the_end_is_unfinished(make_parallel: Make) -> None:
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
def test_refused_transfers_have_a_reason(make_parallel: Make, case: str) -> None:
    arguments, pair, reason = REFUSALS[case]
    env = begin(make_parallel(LEARNING, **arguments))
    env.transfer(*pair, 1_000_000)
    advance(env, 1)
    transfer = only(env)
    assert (transfer.outcome, transfer.finished_ns) == ("refused", 20 * MS)
    assert transfer.reason.startswith(reason)
    finish(env)
    assert only(env) == transfer


def test_a_stopped_receiver_gets_no_transfer(make_parallel: Make) -> None:
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
def test_invalid_transfers_are_refused_immediately(make_parallel: Make, arguments: Any) -> None:
    env = begin(make_parallel(LEARNING))
    with pytest.raises(errors.InvalidTransfer):
        env.transfer(*arguments)
    assert env.transfers == {}


def test_transfer_raises_without_an_episode(make_parallel: Make) -> None:
    env = make_parallel(LEARNING)
    with pytest.raises(errors.ResetNeeded):
        env.transfer("server_0", "agent_0", 1)
    finish(begin(env))
    with pytest.raises(errors.ResetNeeded):
        env.transfer("server_0", "agent_0", 1)


def test_a_program_without_applications_refuses_transfers(make_aec: Make) -> None:
    env = make_aec()
    env.reset(seed=1)
    env.transfer("server_0", "agent_0", 1)
    env.step(1)
    assert only(env).reason == "no application of this simulation takes part in transfers"
