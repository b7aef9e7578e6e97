# SPDX-License-Identifier: GPL-2.0-only
"""A process without a simulation's token changes nothing for that simulation."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import zmq
from conftest import TRIAL

from defiance_zoo import errors
from defiance_zoo.bridge.simulation import Endpoint
from defiance_zoo.bridge.simulation.settings import StartCommand
from defiance_zoo.bridge.transport.zmq_link import ZmqLink
from defiance_zoo.environments import SimulationAECEnv

TOKEN = b"token"
LOOPBACK = "tcp://127.0.0.1:*"


@pytest.fixture(params=[None, LOOPBACK], ids=["ipc", "tcp"])
def link(request: pytest.FixtureRequest) -> Iterator[ZmqLink]:
    """Return a link to a simulation that is started by hand."""
    link = ZmqLink(Endpoint(request.param), watch_disconnects=True)
    link.open(TOKEN)
    yield link
    link.close()


class Crowd:
    """Peers that connect to a link."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._context = zmq.Context[Any]()
        self._peers: list[zmq.Socket[bytes]] = []

    def connect(self, name: bytes = b"") -> zmq.Socket[bytes]:
        """Return the socket of a peer that has shaken hands."""
        peer = self._context.socket(zmq.DEALER)
        self._peers.append(peer)
        peer.linger = 2000
        if name:
            peer.setsockopt(zmq.IDENTITY, name)
        with peer.get_monitor_socket(zmq.EVENT_HANDSHAKE_SUCCEEDED) as monitor:
            peer.connect(self.address)
            monitor.recv_multipart()
            peer.disable_monitor()
        return peer

    def visit(self) -> None:
        """Connect, send an invalid message, and leave."""
        for name in (b"", b"guessed"):
            for words in ([], [b"rubbish", b"rubbish"]):
                with self.connect(name) as stranger:
                    if words:
                        stranger.send_multipart(words)
        if self.address.startswith("tcp://"):
            host, _, port = self.address.removeprefix("tcp://").partition(":")
            for words in ([], [b"GET / HTTP/1.1\r\n\r\n"]):
                with socket.create_connection((host, int(port))) as stranger:
                    stranger.sendall(b"".join(words))

    def close(self) -> None:
        for peer in self._peers:
            peer.close()
        self._context.term()


@pytest.fixture
def crowd(link: ZmqLink) -> Iterator[Crowd]:
    """Return the peers of a link."""
    with contextlib.closing(Crowd(link.address)) as crowd:
        yield crowd


def is_silent(link: ZmqLink) -> bool:
    """Return whether the link waits for a running simulation that sends nothing."""
    with pytest.raises(errors.SimulationTimeout):
        link.receive(TOKEN, None, 0.1)
    return True


def test_strangers_that_connect_before_the_simulation_change_nothing(
    link: ZmqLink, crowd: Crowd
) -> None:
    crowd.visit()
    assert is_silent(link)
    crowd.visit()  # the simulation gets a descriptor number that a stranger had
    simulation = crowd.connect(TOKEN)
    simulation.send(b"hello")
    assert link.receive(TOKEN, None, 10) == b"hello"
    assert is_silent(link)


def test_strangers_that_connect_during_a_conversation_change_nothing(
    link: ZmqLink, crowd: Crowd
) -> None:
    simulation = crowd.connect(TOKEN)
    for said in (b"one", b"two"):
        simulation.send(said)
        assert link.receive(TOKEN, None, 10) == said
        crowd.visit()
        assert is_silent(link)
        link.send(TOKEN, None, said)
        assert simulation.recv() == said


def test_the_end_of_a_conversation_is_noticed_among_strangers(link: ZmqLink, crowd: Crowd) -> None:
    stranger = crowd.connect()
    simulation = crowd.connect(TOKEN)
    simulation.send(b"hello")
    assert link.receive(TOKEN, None, 10) == b"hello"
    simulation.send(b"last")
    simulation.close()
    assert link.receive(TOKEN, None, 10) == b"last"
    with pytest.raises(errors.SimulationCrashed, match="broke its connection"):
        link.receive(TOKEN, None, 10)
    stranger.close()


def test_a_simulation_that_sends_one_message_and_leaves_raises(link: ZmqLink, crowd: Crowd) -> None:
    simulation = crowd.connect(TOKEN)
    simulation.send(b"hello")
    simulation.close()
    assert link.receive(TOKEN, None, 10) == b"hello"
    with pytest.raises(errors.SimulationCrashed, match="broke its connection"):
        link.receive(TOKEN, None, 10)


def test_a_message_of_several_frames_is_ignored(link: ZmqLink, crowd: Crowd) -> None:
    simulation = crowd.connect(TOKEN)
    for frames in ([b"", b""], [b"one", b""], [b"", b"two"]):
        simulation.send_multipart(frames)
        assert link.receive(TOKEN, None, 10).startswith(b"\0")


FLOOD = """
import sys, zmq
socket = zmq.Context().socket(zmq.DEALER)
socket.sndhwm = 0
socket.connect(sys.argv[1])
print("on", flush=True)
while True:
    socket.send(b"rubbish")
"""


def test_a_flood_of_invalid_messages_does_not_suspend_the_timeout(
    link: ZmqLink, crowd: Crowd
) -> None:
    simulation = crowd.connect(TOKEN)
    stranger = subprocess.Popen(
        [sys.executable, "-c", FLOOD, link.address], stdout=subprocess.PIPE, bufsize=0
    )
    try:
        assert stranger.stdout is not None
        assert stranger.stdout.readline() == b"on\n"
        assert is_silent(link)
        simulation.send(b"hello")
        assert link.receive(TOKEN, None, 10) == b"hello"
    finally:
        stranger.kill()
        stranger.communicate()


def test_an_attached_episode_is_played_among_strangers() -> None:
    started: list[subprocess.Popen[bytes]] = []
    crowds: list[Crowd] = []

    def start(command: StartCommand) -> None:
        crowds.append(Crowd(command.variables["DEFIANCE_ENDPOINT"]))
        crowds[0].visit()
        program = [command.program, *command.arguments]
        started.append(subprocess.Popen(program, env={**os.environ, **command.variables}))

    env = SimulationAECEnv(TRIAL, launch="attach", endpoint=LOOPBACK, announce=start)
    with contextlib.closing(env):
        env.reset()
        crowds[0].visit()
        env.step(1)
        assert env.agents == ["agent_0"]
    crowds[0].close()
    assert started[0].wait(10) == 0
