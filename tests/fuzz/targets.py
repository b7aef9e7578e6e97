# SPDX-License-Identifier: GPL-2.0-only
"""Readers of foreign bytes in Python: errors of this package pass, everything else is a fault."""

from __future__ import annotations

import contextlib
import mmap
import os
import struct
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError

from defiance_zoo._proto.defiance.v1 import environment_pb2 as pb
from defiance_zoo.bridge.codec import codec_for, decode_space, encode_space
from defiance_zoo.bridge.codec.spaces import placeholder_observation
from defiance_zoo.bridge.messages.agent_roster import AgentCache
from defiance_zoo.bridge.messages.rounds import Round
from defiance_zoo.bridge.simulation import parameters
from defiance_zoo.bridge.simulation.simulation import Simulation
from defiance_zoo.bridge.transport.mailbox import Mailboxes
from defiance_zoo.bridge.transport.pipe_link import LENGTH, Pipes
from defiance_zoo.bridge.transport.shared_memory_link import SharedMemoryLink
from defiance_zoo.environments.testing import exact
from defiance_zoo.errors import DefianceZooError, InvalidReward, ParameterError, SimulationCrashed

TOKEN = b"token"
_UNKNOWN_FIELD = b"\xf8\x01\x00"  # prevents a message from being read by template
_SMALL = 10_000


class Script:
    """A link to a simulation that sends given messages."""

    def __init__(self) -> None:
        self.frames: list[bytes] = []

    def receive(self, *_: Any) -> bytes:
        if not self.frames:
            raise SimulationCrashed("the input is over")
        return self.frames.pop(0)

    def send(self, *_: Any) -> None:
        """Discard the message."""


def split(data: bytes) -> Iterator[bytes]:
    """Return the messages of length-prefixed input, as far as they are complete."""
    while len(data) >= LENGTH.size:
        (length,) = LENGTH.unpack_from(data)
        yield data[LENGTH.size : LENGTH.size + length]
        data = data[LENGTH.size + length :]


def join(*frames: bytes) -> bytes:
    """Return messages with their lengths in front."""
    return b"".join(LENGTH.pack(len(frame)) + frame for frame in frames)


def simulation(link: Any) -> Simulation:
    return Simulation(link, TOKEN, None, timeout_s=1, agent_cache=AgentCache())


def contents_of(reported: Round) -> Any:
    """Return all contents of a round, in a form that compares."""
    ends = [exact(tuple(end)) for end in reported.ended]
    steps = [exact(tuple(step)) for step in reported.steps]
    return (reported.time_ns, reported.joined, ends, steps, reported.transfers, reported.over)


def answer(playing: Simulation, reported: Round) -> None:
    """Answer a round with zeros, or with texts as short as possible."""
    actions: list[Any] = []
    for group in reported.groups:
        sizes = group.buffer_sizes(group.actions)
        if sizes is None:
            actions.clear()
            return
        actions += [bytes(size) for size in sizes]
    playing.step(actions)


def conversation(data: bytes) -> None:
    """Receive a conversation twice: with templates and without."""
    script, slow_script = Script(), Script()
    playing, slow = simulation(script), simulation(slow_script)
    for number, frame in enumerate(split(data)):
        script.frames, slow_script.frames = [frame], [frame + _UNKNOWN_FIELD]
        try:
            if number == 0:
                playing.greet()
                slow.greet()
                continue
            reported = playing.receive()
        except (ParameterError, DefianceZooError):
            return
        said = contents_of(reported)
        parsed = _parse(slow)
        if parsed is None:  # rewards read by template are checked every few rounds
            assert not all(np.isfinite(each.reward) for each in reported.steps), "refused"
            return
        assert contents_of(parsed) == said, "reading by template gives other contents"
        if reported.over:
            return
        answer(playing, reported)
        answer(slow, reported)


def post(boxes: Mailboxes, length: int, message: bytes) -> bytes:
    """Write into a mailbox like a simulation, with any length; return what Python reads."""
    with mmap.mmap(boxes.descriptor, 0) as memory:
        (posted,) = struct.unpack_from("=Q", memory)
        message = message[: boxes.capacity]
        memory[128 : 128 + len(message)] = message
        struct.pack_into("=QQ", memory, 0, posted + 1, length)
        return memory[128 : 128 + min(length, boxes.capacity)]


def together(data: bytes) -> None:
    """Play the requests of an input with `BatchedExchange` as long as it accepts them."""
    link, script = SharedMemoryLink(10.0), Script()
    link.open(TOKEN)
    with contextlib.closing(link):
        playing, slow = simulation(link), simulation(script)
        opening = [_hello(), *(_request(number, informed=number > 3) for number in range(1, 7))]
        for number, frame in enumerate(opening):
            os.write(link.inherited(TOKEN)[1], join(frame))
            script.frames.append(frame + _UNKNOWN_FIELD)
            for each in (playing, slow):
                if number == 0:
                    each.greet()
                else:
                    answer(each, each.receive())
        _play_together(link, playing, slow, script, data)


def _parse(slow: Simulation) -> Any:
    """Return the next round from the parser; None if a reward is not finite."""
    try:
        return slow.receive()
    except InvalidReward:
        return None


def _play_together(
    link: SharedMemoryLink, playing: Simulation, slow: Simulation, script: Script, data: bytes
) -> None:
    boxes = link.mailboxes(TOKEN)
    assert boxes is not None
    batch, rewards = np.zeros((1, 2), np.float32), np.zeros(1)
    times = np.array([playing.turn.time_ns], np.int64)
    rounds = link.batched_exchange(batch, rewards, times)
    while len(data) >= LENGTH.size:
        rounds.admit(0, playing)
        if rounds.members:
            rounds.answer(bytes(8))
        (length,) = LENGTH.unpack_from(data)
        frame = post(boxes, length, data[LENGTH.size :][:length])
        script.frames = [frame + _UNKNOWN_FIELD]
        numbers, infos = rounds.read()
        if numbers:
            reported = _parse(slow)
            if reported is None:  # rewards read by template are checked every few rounds
                assert not np.isfinite(rewards[0]), "a valid request is refused"
                return
            ((_, seen, reward, info),) = reported.steps
            said = (reported.time_ns, exact(seen), exact(reward))
            assert said == (times[0], exact(batch[0]), exact(float(rewards[0]))), (
                "batched and single reading differ"
            )
            ((arrays, _sent),) = infos
            parsed_infos = {key: np.array([info[key]], each.dtype) for key, each in arrays.items()}
            assert exact(parsed_infos) == exact(arrays), "batched and single infos differ"
            assert set(info) == set(arrays), "batched and single infos have different keys"
        else:
            try:
                reported = playing.receive()
            except DefianceZooError:
                return
            parsed = _parse(slow)
            if parsed is None:
                assert not all(np.isfinite(each.reward) for each in reported.steps), "refused"
                return
            assert contents_of(parsed) == contents_of(reported), "batched and single reading differ"
            if reported.over or not reported.groups:
                return
            times[0] = reported.time_ns
            answer(playing, reported)
        answer(slow, reported)
        data = data[LENGTH.size + length :]


def _hello() -> bytes:
    hello = pb.Hello(protocol=2, token=TOKEN.decode())
    spec = hello.agents.add(agent="agent_0")
    spec.observation_space.box.dtype = pb.DTYPE_FLOAT32
    spec.observation_space.box.shape.append(2)
    spec.observation_space.box.low = spec.observation_space.box.high = bytes(4)
    spec.action_space.discrete.n = 2
    return pb.SimulationMessage(hello=hello).SerializeToString()


def _request(number: int, *, informed: bool) -> bytes:
    request = pb.StepRequest(sequence=number, sim_time_ns=number)
    steps = request.steps.add(agents=[0], rewards=[0.5])
    steps.observations.box.dtype = pb.DTYPE_FLOAT32
    steps.observations.box.shape.extend([1, 2])
    steps.observations.box.data = bytes(8)
    if informed:
        infos = steps.infos.add().info
        infos.add(key="delay", real=0.5)
        infos.add(key="role", text="sender")
        infos.add(key="packets", integer=number)
        shares = infos.add(key="shares").tensor
        shares.dtype, shares.data = pb.DTYPE_FLOAT32, bytes(8)
        shares.shape.append(2)
    return pb.SimulationMessage(step_request=request).SerializeToString()


def pipes(data: bytes) -> None:
    """Read a pipe in two pieces."""
    both = Pipes.open()
    expected = []
    for frame in split(data):
        expected.append(frame)
    try:
        for piece in (data[: len(data) // 2], data[len(data) // 2 :]):
            if piece:
                os.write(both.theirs[1], piece[: 2**15])
                both.fetch()
                while (message := both.take()) is not None:
                    assert message == expected.pop(0), "a message differs after reading"
    except ValueError:
        pass
    finally:
        both.close()


def spaces(data: bytes) -> None:
    """Make a space, and values of it."""
    try:
        space = decode_space(pb.Space.FromString(data))
    except (DecodeError, DefianceZooError):
        return
    codec = codec_for(space)
    if codec.sizes is not None and sum(codec.sizes) > _SMALL:
        return
    again = decode_space(encode_space(space))
    assert again == space, "a space differs after writing and reading"
    values = [codec.check(placeholder_observation(space))]
    container = pb.DataContainer()
    codec.push(container, iter(codec.flatten(values)), 1)
    codec.find_fault(codec.assemble(iter(codec.pull(container, 1)), 1), 1)


def description(data: bytes) -> None:
    """Read a program's description of itself."""
    with contextlib.suppress(DecodeError, ValueError):
        parameters._decode(pb.ScenarioDescription.FromString(data))


TARGETS: dict[str, Callable[[bytes], None]] = {
    each.__name__: each for each in (conversation, together, pipes, spaces, description)
}

UNDER_SANITIZERS = ("together",)
"""Targets that use extension modules."""
