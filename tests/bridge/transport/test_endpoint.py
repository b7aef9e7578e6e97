# SPDX-License-Identifier: GPL-2.0-only
"""The endpoint of simulations, and simulations that are started by hand."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import pytest
import zmq
from attached_simulations import Attached

from defiance_zoo import CurveKeys, errors
from defiance_zoo.bridge.simulation import Endpoint
from defiance_zoo.bridge.transport.zmq_link import ZmqLink

Make = Callable[..., Any]


@pytest.mark.parametrize(
    "address", ["tcp://127.0.0.1:*", "tcp://localhost:*", "tcp://127.9.9.9:0", "tcp://[::1]:5000"]
)
def test_loopback_addresses_need_no_keys(address: str) -> None:
    Endpoint(address)


@pytest.mark.parametrize("host", ["0.0.0.0", "*", "192.168.0.1", "[::]", "example.org", "eth0"])
def test_other_addresses_need_keys(host: str) -> None:
    with pytest.raises(errors.ParameterError, match="needs curve="):
        Endpoint(f"tcp://{host}:5000")
    Endpoint(f"tcp://{host}:5000", CurveKeys.generate())


@pytest.mark.parametrize("endpoint", [None, "tcp://127.0.0.1:*"])
@pytest.mark.parametrize("encrypted", [False, True])
def test_every_transport_carries_an_episode(
    make_aec: Make, endpoint: str | None, encrypted: bool
) -> None:
    curve = CurveKeys.generate() if encrypted else None
    env = make_aec(endpoint=endpoint, curve=curve, size=100_000)
    env.reset(seed=1)
    env.step(4)
    assert env.infos["agent_0"]["last_action"] == "4"


def test_a_port_in_use_raises_its_own_error(make_aec: Make) -> None:
    first = make_aec(endpoint="tcp://127.0.0.1:*")
    first.reset()
    address = first._episodes.launcher._link.address
    second = make_aec(endpoint=address)
    with pytest.raises(errors.ParameterError, match="cannot be used: Address already in use"):
        second.reset()
    first.step(0)
    first.close()
    second.reset()  # the port is free now


def test_messages_of_a_peer_without_the_key_are_ignored() -> None:
    with_key = ZmqLink(Endpoint("tcp://127.0.0.1:*", CurveKeys.generate()))
    with_key.open(b"token")
    context = zmq.Context()
    stranger = context.socket(zmq.DEALER)
    stranger.linger = 0
    stranger.setsockopt(zmq.IDENTITY, b"token")
    # On a loaded machine the peer closes the connection before its reason is read.
    refusals = zmq.Event.HANDSHAKE_FAILED_PROTOCOL | zmq.Event.HANDSHAKE_FAILED_NO_DETAIL
    refused = stranger.get_monitor_socket(refusals)
    stranger.connect(with_key.address)
    with contextlib.suppress(zmq.Again):  # the socket may already know that no peer receives this
        stranger.send(b"let me in", zmq.NOBLOCK)
    assert refused.poll(10_000)
    with pytest.raises(errors.SimulationTimeout):
        with_key.receive(b"token", None, 0.5)
    context.destroy()
    with_key.close()


def test_messages_with_an_unknown_token_are_ignored() -> None:
    link = ZmqLink(Endpoint())
    link.open(b"expected")
    context = zmq.Context()
    stranger = context.socket(zmq.DEALER)
    stranger.linger = 0
    stranger.setsockopt(zmq.IDENTITY, b"guessed")
    stranger.connect(link.address)
    stranger.send(b"hello")
    with pytest.raises(errors.SimulationTimeout):
        link.receive(b"expected", None, 0.5)
    context.destroy()
    link.close()


@pytest.mark.parametrize("encrypted", [False, True])
def test_attach_plays_a_simulation_started_by_hand(make_aec: Make, encrypted: bool) -> None:
    curve = CurveKeys.generate() if encrypted else None
    env = make_aec(launch="attach", endpoint="tcp://127.0.0.1:*", curve=curve, size=2)
    attached = Attached(env)
    assert env.possible_agents == ["agent_0"]
    for _agent in env.agent_iter():
        *_, terminated, truncated, _info = env.last()
        env.step(None if terminated or truncated else 1)
    assert attached.process.wait(10) == 0


def test_attach_raises_when_the_simulation_died(make_aec: Make) -> None:
    env = make_aec(launch="attach", duration="1h")
    attached = Attached(env)
    env.step(0)
    attached.process.kill()
    attached.process.wait()
    with pytest.raises(errors.SimulationCrashed, match="broke its connection"):
        env.step(0)


def test_an_attached_simulation_ends_when_python_exits(make_aec: Make) -> None:
    env = make_aec(launch="attach", duration="1h")
    attached = Attached(env)
    env.close()
    assert attached.process.wait(10) == 0  # Python sent it a stop


def test_attach_times_out_without_a_simulation(make_aec: Make) -> None:
    env = make_aec(launch="attach", attach_timeout=0.2)
    with pytest.raises(errors.SimulationTimeout, match=r"within 0.2 s"):
        env.reset()
