# SPDX-License-Identifier: GPL-2.0-only
"""Mailboxes in memory that simulations share with this process, in addition to pipes."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from defiance_zoo.bridge.process.simulation_process import SimulationProcess, refusal
from defiance_zoo.bridge.system.extension import exchange_module
from defiance_zoo.bridge.system.fork_safety import close_quietly
from defiance_zoo.bridge.system.running_time import running_time
from defiance_zoo.bridge.transport.mailbox import BatchedExchange, Doorbell, Mailboxes
from defiance_zoo.bridge.transport.pipe_link import PipeLink
from defiance_zoo.bridge.transport.step_link import Conversation, StepLink


class _Shared:
    """The memory that one simulation shares with this process.

    Attributes:
        answered: Whether the simulation was answered; its earlier messages come through pipes.
    """

    answered = False

    def __init__(self, mailboxes: Mailboxes, spin_us: float) -> None:
        self.mailboxes = mailboxes
        module, address, bell = exchange_module(), mailboxes.address, mailboxes.bell
        # No Python frame in between: these functions are called at each step.
        self.post: Callable[[bytes], None] = partial(module.post, address, bell)
        self.take: Callable[[], bytes | None] = partial(module.take, address, spin_us)
        self.exchange: Callable[[bytes], bytes | None] = partial(
            module.exchange, address, bell, spin_us
        )
        self.has_message: Callable[[], bool] = partial(module.has_message, address)


class SharedMemoryLink(PipeLink):
    """The messages of a `StepLink`, through shared memory.

    The pipes carry messages before the first answer, messages that are too long for a mailbox, and
    wake-ups of this process.
    """

    def __init__(self, timeout_s: float, spin_us: float = 0.0) -> None:
        super().__init__(timeout_s)
        self._spin_us = float(spin_us)
        self._shared: dict[bytes, _Shared] = {}
        self._bell: Doorbell | None = None
        self._batching = False

    def disown(self) -> None:
        """See `ProcessBound`; shared memory is not changed."""
        super().disown()
        self._shared.clear()
        if self._bell is not None:
            close_quietly((self._bell.descriptor,))
            self._bell = None

    def open(self, token: bytes) -> None:
        if self._bell is None:
            self._bell = Doorbell()
        super().open(token)
        with contextlib.ExitStack() as opened:
            bell = os.dup(self._bell.descriptor)
            opened.callback(os.close, bell)
            mailboxes = Mailboxes(self._bell)
            opened.pop_all()
        pipes = self._pipes[token]
        pipes.theirs += (mailboxes.descriptor, bell)
        pipes.wakes = True
        self._shared[token] = _Shared(mailboxes, self._spin_us)

    def forget(self, token: bytes) -> None:
        super().forget(token)
        if token in self._shared:
            self._shared.pop(token).mailboxes.close()

    # ------------------------------------------------------------------ to simulations

    def send(self, token: bytes, process: SimulationProcess | None, message: bytes) -> None:
        shared, bell = self._shared[token], self._bell
        shared.answered = True
        assert bell is not None  # there are mailboxes
        if len(message) <= shared.mailboxes.capacity:
            shared.post(message)
            if not self._batching:
                bell.ring()
        else:
            shared.post(b"")
            bell.ring()
            super().send(token, process, message)

    def exchange(
        self, token: bytes, process: SimulationProcess | None, message: bytes, timeout_s: float
    ) -> bytes:
        shared = self._shared[token]
        if len(message) > shared.mailboxes.capacity:
            return StepLink.exchange(self, token, process, message, timeout_s)
        shared.answered = True
        try:
            answer = shared.exchange(message)
        except ValueError as error:
            raise refusal(process, error) from None
        return self.receive(token, process, timeout_s) if answer is None else answer

    def batch(self) -> contextlib.AbstractContextManager[None]:
        return super().batch() if self._bell is None else self._ring_once(self._bell)

    @contextlib.contextmanager
    def _ring_once(self, bell: Doorbell) -> Iterator[None]:
        self._batching = True
        try:
            yield
        finally:
            self._batching = False
            bell.ring()

    def batched_exchange(
        self, observations: NDArray[Any], rewards: NDArray[np.float64], times: NDArray[np.int64]
    ) -> BatchedExchange:
        return BatchedExchange(self.mailboxes, observations, rewards, times)

    def mailboxes(self, token: bytes) -> Mailboxes | None:
        """Return the mailboxes of a simulation that has been answered."""
        shared = self._shared[token]
        return shared.mailboxes if shared.answered else None

    # ------------------------------------------------------------------ from simulations

    def receive(self, token: bytes, process: SimulationProcess | None, timeout_s: float) -> bytes:
        shared = self._shared[token]
        # Messages before the first answer are taken one by one, as there may be several.
        if not shared.answered:
            return super().receive(token, process, timeout_s)
        deadline = running_time() + timeout_s
        while (message := self._take(shared, process)) is None:
            message = self.hear(token, process, timeout_s, deadline)
            if message is not None:
                break
        return message

    def _take(self, shared: _Shared, process: SimulationProcess | None) -> bytes | None:
        try:
            return shared.take()
        except ValueError as error:
            raise refusal(process, error) from None

    def gather(self, conversations: Sequence[Conversation], timeout_s: float) -> None:
        if self._bell is None:
            return
        expected = [each for each in conversations if self._shared[each[0]].answered]
        boxes = self._addresses(expected)
        deadline = running_time() + timeout_s
        while not self._bell.has_messages(len(boxes), boxes):
            left = deadline - running_time()
            if left <= 0 or self.begun(expected):
                return
            self.sleep(left)

    def wait(self, conversations: Sequence[Conversation], timeout_s: float) -> list[int]:
        boxes = self._addresses(conversations)
        deadline = running_time() + timeout_s
        while not (ready := self._arrived(conversations)):
            left = deadline - running_time()
            if left <= 0:
                break
            if self._bell is None or not self._bell.has_messages(1, boxes):
                self.sleep(left)
        return ready

    def _arrived(self, conversations: Sequence[Conversation]) -> list[int]:
        """Return the places of simulations whose next message has arrived, at least in part."""
        ready = set(self.begun(conversations))
        for place, (token, _process) in enumerate(conversations):
            if self._shared[token].has_message():  # none before the first answer
                ready.add(place)
        return sorted(ready)

    def _addresses(self, conversations: Sequence[Conversation]) -> list[int]:
        """Return the addresses of the mailboxes of simulations."""
        return [self._shared[token].mailboxes.address for token, _process in conversations]

    def close(self) -> None:
        super().close()
        if self._bell is not None:
            self._bell.close()
            self._bell = None
