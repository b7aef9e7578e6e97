# SPDX-License-Identifier: GPL-2.0-only
"""One call writes a message and reads the answer; the caller handles all other cases."""

from __future__ import annotations

import contextlib
import os
import select
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from defiance_zoo.bridge.system.extension import exchange_module
from defiance_zoo.bridge.transport.pipe_link import LENGTH, WAKE, WHOLE_BYTES, PipeLink
from defiance_zoo.errors import SimulationCrashed


@dataclass
class Ends:
    """Both ends of the pipes; messages for Python are written into its pipe beforehand."""

    theirs: tuple[int, int] = field(default_factory=os.pipe)
    ours: tuple[int, int] = field(default_factory=os.pipe)
    output: tuple[int, int] = field(default_factory=os.pipe)
    received: bytearray = field(default_factory=bytearray)

    def converse(self, message: bytes) -> bytes | None:
        answer: bytes | None = exchange_module().converse(
            self.theirs[1], self.ours[0], self.received, self.output[0], message
        )
        return answer

    def say(self, piece: bytes) -> None:
        os.write(self.ours[1], piece)

    def hear(self) -> bytes:
        return os.read(self.theirs[0], 2 * WHOLE_BYTES)


@pytest.fixture
def ends() -> Iterator[Ends]:
    ends = Ends()
    for descriptor in (ends.theirs[1], ends.ours[0]):
        os.set_blocking(descriptor, False)
    yield ends
    for descriptor in (*ends.theirs, *ends.ours, *ends.output):
        with contextlib.suppress(OSError):
            os.close(descriptor)


def frame(message: bytes) -> bytes:
    return LENGTH.pack(len(message)) + message


@pytest.mark.parametrize("size", [0, 1, 1000, 60_000])
def test_a_single_message_is_returned(ends: Ends, size: int) -> None:
    ends.say(frame(b"x" * size))
    assert ends.converse(b"question") == b"x" * size
    assert ends.hear() == frame(b"question")
    assert not ends.received


def test_the_longest_message_is_written_completely(ends: Ends) -> None:
    assert ends.converse(bytes(WHOLE_BYTES)) is None
    assert ends.hear() == frame(bytes(WHOLE_BYTES))


@pytest.mark.parametrize(
    "said", [b"abc", frame(b"answer")[:-1], frame(b"answer") + b"\0", 2 * frame(b"answer")]
)
def test_input_that_is_not_exactly_one_message_is_kept(ends: Ends, said: bytes) -> None:
    ends.received += b"earlier"
    ends.say(said)
    assert ends.converse(b"question") is None
    assert ends.received == b"earlier" + said


def test_an_answer_that_is_there_does_not_wait_for_output_to_be_read(ends: Ends) -> None:
    os.write(ends.output[1], b"a word")
    ends.say(frame(b"answer"))
    assert ends.converse(b"question") == b"answer"
    assert os.read(ends.output[0], 100) == b"a word"


def test_output_without_an_answer_is_left_to_the_caller(ends: Ends) -> None:
    os.write(ends.output[1], b"a word")
    assert ends.converse(b"question") is None
    assert os.read(ends.output[0], 100) == b"a word"


def test_timeout_and_end_of_file_are_left_to_the_caller(ends: Ends) -> None:
    assert ends.converse(b"question") is None
    os.close(ends.ours[1])
    assert ends.converse(b"question") is None
    assert select.select([ends.ours[0]], [], [], 0)[0]
    os.close(ends.theirs[0])
    with pytest.raises(BrokenPipeError):
        ends.converse(b"question")


def test_a_message_must_be_bytes(ends: Ends) -> None:
    with pytest.raises(TypeError):
        ends.converse("question")  # type: ignore[arg-type]


@dataclass
class Stranger:
    """The simulation's ends of a link's pipes."""

    token: bytes
    writer: int

    def say(self, message: bytes) -> None:
        os.write(self.writer, frame(message))

    def leave(self) -> None:
        os.close(self.writer)


@pytest.fixture
def strangers() -> Iterator[tuple[PipeLink, list[Stranger]]]:
    link, opened = PipeLink(5.0), []
    for token in (b"one", b"two"):
        link.open(token)
        opened.append(Stranger(token, os.dup(link.inherited(token)[1])))
        link._pipes[token].wakes = True
        link.started(token, None)
    yield link, opened
    link.close()
    for each in opened:
        with contextlib.suppress(OSError):
            os.close(each.writer)


def test_what_others_send_during_a_wait_is_kept(
    strangers: tuple[PipeLink, list[Stranger]],
) -> None:
    """A message in two pieces, a wake-up without content, and an end, while another is awaited."""
    link, (one, two) = strangers
    os.write(two.writer, WAKE[:3])
    assert link.wait([(b"one", None)], 0.01) == []
    os.write(two.writer, WAKE[3:] + frame(b"later")[:5])
    assert link.wait([(b"one", None)], 0.01) == []
    assert link.wait([(b"one", None), (b"two", None)], 5.0) == [1]
    os.write(two.writer, frame(b"later")[5:])
    two.leave()
    assert link.wait([(b"one", None)], 0.01) == []
    one.say(b"now")
    assert link.wait([(b"one", None)], 5.0) == [0]
    assert link.receive(b"two", None, 5.0) == b"later"
    assert link.receive(b"one", None, 5.0) == b"now"
    assert link.wait([(b"one", None), (b"two", None)], 5.0) == [1]
    with pytest.raises(SimulationCrashed):
        link.receive(b"two", None, 5.0)


def test_a_wait_does_not_compute_after_the_end_of_another(
    strangers: tuple[PipeLink, list[Stranger]],
) -> None:
    link, (_, two) = strangers
    two.leave()
    began = time.process_time()
    assert link.wait([(b"one", None)], 0.3) == []
    assert time.process_time() - began < 0.1


def test_a_forgotten_simulation_is_not_awaited_although_a_copy_of_its_pipe_is_open(
    strangers: tuple[PipeLink, list[Stranger]],
) -> None:
    """Forks of this process keep copies for a while; descriptors are numbered anew."""
    link, (_, two) = strangers
    copy = os.dup(link._pipes[b"two"].reader)
    try:
        link.forget(b"two")
        two.say(b"nobody listens")
        assert link.wait([(b"one", None)], 0.01) == []
    finally:
        os.close(copy)
