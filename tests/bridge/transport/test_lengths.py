# SPDX-License-Identifier: GPL-2.0-only
"""Lengths that a simulation writes into a pipe or into shared memory are checked."""

from __future__ import annotations

import contextlib
import mmap
import os
import struct
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces

from defiance_zoo import errors
from defiance_zoo._proto.defiance.v1 import environment_pb2 as pb
from defiance_zoo.bridge.codec import codec_for, encode_space
from defiance_zoo.bridge.messages.agent_roster import AgentCache
from defiance_zoo.bridge.simulation.simulation import Simulation
from defiance_zoo.bridge.system.extension import exchange_module
from defiance_zoo.bridge.transport.pipe_link import LENGTH, WAKE, PipeLink
from defiance_zoo.bridge.transport.shared_memory_link import SharedMemoryLink
from defiance_zoo.bridge.transport.step_link import StepLink

TOKEN = b"token"
SEEN = spaces.Box(0, 1, (2,), np.float32)
CAPACITY = 64 * 1024
LONG = [CAPACITY + 1, 2**24, 2**40, 2**64 - 1]


@pytest.fixture(params=[PipeLink, SharedMemoryLink], ids=["pipes", "mailboxes"])
def link(request: pytest.FixtureRequest) -> Iterator[PipeLink | SharedMemoryLink]:
    link = request.param(10.0)
    link.open(TOKEN)
    with contextlib.closing(link):
        yield link


@pytest.fixture
def shared() -> Iterator[SharedMemoryLink]:
    """Return a link with mailboxes whose simulation has received an answer."""
    link = SharedMemoryLink(10.0)
    link.open(TOKEN)
    with contextlib.closing(link):
        link.send(TOKEN, None, b"answer")
        yield link


def write(link: StepLink, frame: bytes) -> None:
    """Write into the pipe of a simulation."""
    os.write(link.inherited(TOKEN)[1], frame)


def post(link: StepLink, length: int, message: bytes = b"") -> None:
    """Write into the mailbox of a simulation."""
    with mmap.mmap(link.inherited(TOKEN)[2], 0) as memory:
        (posted,) = struct.unpack_from("=Q", memory, 0)
        memory[128 : 128 + len(message)] = message
        struct.pack_into("=QQ", memory, 0, posted + 1, length)


@pytest.mark.parametrize("length", [2**31, 2**40, 2**64 - 2])
def test_a_wrong_length_in_a_pipe_raises(link: StepLink, length: int) -> None:
    write(link, LENGTH.pack(length) + b"word")
    with pytest.raises(errors.MalformedMessage, match=f"a message of {length} bytes"):
        link.receive(TOKEN, None, 10)


@pytest.mark.parametrize("length", LONG)
def test_a_wrong_length_in_shared_memory_raises(shared: SharedMemoryLink, length: int) -> None:
    post(shared, length)
    with pytest.raises(errors.MalformedMessage, match=f"{length} bytes in a mailbox of {CAPACITY}"):
        shared.receive(TOKEN, None, 10)
    post(shared, length)
    with pytest.raises(errors.MalformedMessage, match=f"{length} bytes in a mailbox of {CAPACITY}"):
        shared.exchange(TOKEN, None, b"answer", 10)


def test_the_longest_message_in_shared_memory_is_received(shared: SharedMemoryLink) -> None:
    post(shared, CAPACITY, b"\1" * CAPACITY)
    assert shared.receive(TOKEN, None, 10) == b"\1" * CAPACITY


def test_an_empty_message_is_received_like_others_before_and_after_an_answer(
    link: StepLink,
) -> None:
    for _ in range(2):
        write(link, LENGTH.pack(0))
        assert link.receive(TOKEN, None, 10) == b""
        link.send(TOKEN, None, b"answer")


@pytest.mark.parametrize("method", ["receive", "exchange"])
def test_an_empty_message_in_shared_memory_is_received(
    shared: SharedMemoryLink, method: str
) -> None:
    post(shared, 0)
    sent = (b"answer",) if method == "exchange" else ()
    assert getattr(shared, method)(TOKEN, None, *sent, 10) == b""


def test_a_simulation_that_wakes_python_without_end_times_out(shared: SharedMemoryLink) -> None:
    over = threading.Event()
    writer = os.dup(shared.inherited(TOKEN)[1])

    def wake() -> None:
        while not over.wait(0.001):
            os.write(writer, WAKE)

    waker = threading.Thread(target=wake)
    waker.start()
    try:
        begin = time.monotonic()
        with pytest.raises(errors.SimulationTimeout):
            shared.receive(TOKEN, None, 0.1)
        assert time.monotonic() - begin < 5
    finally:
        over.set()
        waker.join()
        os.close(writer)


@pytest.mark.parametrize("name", ["post", "close", "take", "exchange", "await_messages"])
def test_functions_refuse_a_wrong_number_of_arguments(name: str) -> None:
    with pytest.raises(TypeError, match="0 arguments instead"):
        getattr(exchange_module(), name)()
    with pytest.raises((TypeError, ValueError)):
        getattr(exchange_module(), name)(0, 0, b"", 0.0)
    with pytest.raises(TypeError):
        getattr(exchange_module(), name)("here", "there", b"", 0.0)


def test_functions_of_pipes_refuse_a_wrong_number_of_arguments() -> None:
    with pytest.raises(TypeError, match="2 arguments instead of 5"):
        exchange_module().converse(0, 1)


@pytest.mark.parametrize("function", ["post_rows", "take_rows"])
def test_rows_beyond_their_message_are_refused(function: str) -> None:
    """Offsets and parts of messages that point outside of the message."""
    room = np.zeros(CAPACITY, np.uint8)
    here = room.ctypes.data
    rows = (0, here, here, here)  # no simulation at all: the error is the same for each
    module = exchange_module()

    def call(form: object) -> None:
        if function == "post_rows":
            module.post_rows(here, *rows, form, b"")
        else:
            module.take_rows(*rows, form, here, here, here, here)  # two columns

    good, bad = FORMS[function]
    call(form(CAPACITY, good))
    with pytest.raises(ValueError, match="do not fit a mailbox"):
        call(form(CAPACITY + 1, good))
    with pytest.raises(ValueError, match="do not fit a mailbox"):
        call(form(40, bad))
    with pytest.raises(TypeError, match="arguments instead"):
        getattr(module, function)(here, here)
    with pytest.raises(ValueError, match="PyCapsule"):
        call("text")


def form(length: int, fields: list[tuple[int, int]]) -> object:
    """Return a template of a message of zeros, as the extension module knows it."""
    return exchange_module().template(bytes(length), np.array(fields, np.uint64).tobytes())


FORMS: dict[str, tuple[list[tuple[int, int]], list[tuple[int, int]]]] = {
    "post_rows": ([(0, 8), (8, 32)], [(0, 4), (8, 32)]),
    "take_rows": ([(0, 8), (8, 8), (16, 16), (32, 8)], [(0, 8), (8, 32)]),
}


@pytest.mark.parametrize(
    "fields", [[(33, 8)], [(0, 8), (7, 8)], [(2**64 - 4, 8)], [(0, 2**64 - 4)], [(8, 8), (0, 8)]]
)
def test_template_fields_beyond_the_message_are_refused(fields: list[tuple[int, int]]) -> None:
    with pytest.raises(ValueError, match="does not contain its fields"):
        form(40, fields)


@pytest.mark.parametrize(
    ("seen", "done"),
    [
        (SEEN, spaces.Box(0, 1, (20_000,), np.float64)),
        (spaces.Box(0, 1, (20_000,), np.float64), spaces.Discrete(2)),
        (SEEN, spaces.Discrete(2)),
    ],
    ids=["long answers", "long requests", "short ones"],
)
def test_messages_longer_than_a_mailbox_are_not_batched(seen: Any, done: Any) -> None:
    link = SharedMemoryLink(10.0)
    link.open(TOKEN)
    with contextlib.closing(link):
        simulation = Simulation(link, TOKEN, None, timeout_s=10, agent_cache=AgentCache())
        hello = pb.Hello(protocol=2, token=TOKEN.decode())
        hello.agents.add(
            agent="agent_0", observation_space=encode_space(seen), action_space=encode_space(done)
        )
        say(link, pb.SimulationMessage(hello=hello))
        simulation.greet()
        request = pb.StepRequest(sim_time_ns=1)
        asked = request.steps.add(agents=[0], rewards=[0.0])
        codec = codec_for(seen)
        codec.push(asked.observations, iter(codec.flatten([np.zeros(seen.shape, seen.dtype)])), 1)
        for request.sequence in (1, 2, 3):
            say(link, pb.SimulationMessage(step_request=request))
            simulation.receive()
        link.send(TOKEN, None, b"answer")
        batch = np.zeros((1, *seen.shape), seen.dtype)
        rounds = link.batched_exchange(batch, np.zeros(1), np.zeros(1, np.int64))
        rounds.admit(0, simulation)
        assert rounds.members == ([0] if seen is SEEN and done == spaces.Discrete(2) else [])


def say(link: SharedMemoryLink, message: pb.SimulationMessage) -> None:
    """Send a message before the first answer."""
    frame = message.SerializeToString()
    writer = threading.Thread(target=write, args=(link, LENGTH.pack(len(frame)) + frame))
    writer.start()
    pipes = link._pipes[TOKEN]
    while writer.is_alive():  # the writer waits for room in the pipe
        with contextlib.suppress(BlockingIOError):
            pipes.received += os.read(pipes.reader, 65536)
    writer.join()
