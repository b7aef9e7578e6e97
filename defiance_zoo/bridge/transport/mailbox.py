# SPDX-License-Identifier: GPL-2.0-only
"""Mailboxes in memory that simulations share with this process, in addition to pipes.

Rounds of several simulations are answered in one call, and read in one call for each form.
"""

from __future__ import annotations

import ctypes
import mmap
import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from defiance_zoo.bridge.codec import Buffer
from defiance_zoo.bridge.codec.masks import MASK
from defiance_zoo.bridge.messages.info_templates import InfoColumns
from defiance_zoo.bridge.messages.rounds import Turn
from defiance_zoo.bridge.messages.templates import MessageTemplate, RequestTemplate, RoundTemplate
from defiance_zoo.bridge.system.extension import exchange_module

_LISTENERS = 32


def take_batch(*arguments: Any) -> int:
    """Take requests of one form, and return their number; see `BatchedExchange`."""
    return int(exchange_module().take_rows(*arguments))


class _SharedMemory:
    """Memory that a simulation inherits."""

    def __init__(self, name: str, size: int) -> None:
        self.descriptor = os.memfd_create(name)
        try:
            os.ftruncate(self.descriptor, size)
            self.bytes = mmap.mmap(self.descriptor, size)
        except OSError:
            os.close(self.descriptor)
            raise
        self._anchor = ctypes.c_char.from_buffer(self.bytes)
        self.address = ctypes.addressof(self._anchor)

    def close(self) -> None:
        """Release the mapping, but keep the descriptor."""
        del self._anchor
        self.bytes.close()


class Doorbell:
    """Wakes several simulations at once, and lets simulations wake this process."""

    def __init__(self) -> None:
        module = exchange_module()
        *_, size = module.layout()
        self._memory = _SharedMemory("defiance-doorbell", size)
        self.descriptor = self._memory.descriptor
        self.address = self._memory.address
        self._ring, self._await = module.ring, module.await_messages
        self._listeners = 0

    def add_listener(self) -> int:
        """Return the bit of a new simulation; more than 32 simulations share bits."""
        self._listeners += 1
        return 1 << (self._listeners % _LISTENERS)

    def ring(self) -> None:
        """Wake the simulations with new messages."""
        self._ring(self.address)

    def has_messages(self, count: int, addresses: Sequence[int]) -> bool:
        """Return whether a number of simulations has messages, or may have messages.

        Otherwise the simulation that completes this number wakes this process.
        """
        return bool(self._await(self.address, count, *addresses))

    def close(self) -> None:
        """Release the memory."""
        os.close(self.descriptor)
        self._memory.close()


class Mailboxes:
    """One mailbox in each direction, in memory that a simulation shares."""

    def __init__(self, bell: Doorbell) -> None:
        module = exchange_module()
        size, listener, self.capacity, _ = module.layout()
        self._memory = _SharedMemory("defiance-mailboxes", size)
        self._memory.bytes[listener : listener + 4] = bell.add_listener().to_bytes(4, "little")
        self.descriptor, self.address = self._memory.descriptor, self._memory.address
        self.bell, self._close = bell.address, module.close
        self.before_close: Callable[[], None] = lambda: None

    def close(self) -> None:
        """Close the mailbox for further messages, and release the memory."""
        self.before_close()
        self._close(self.address, self.bell)
        self._memory.close()


_NUMBER_BYTES = 8
_MOST_FORMS = 8
"""Number of forms of requests that are looked for; the others are read one by one."""


class BatchedTurn(Turn):
    """The turn of a simulation in a batch, stored in its row of the batch's arrays."""

    __slots__ = ("_batch", "_member")

    def __init__(self, batch: BatchedExchange, member: int) -> None:
        self._batch, self._member = batch, member

    @property
    def sequence(self) -> int:  # type: ignore[override] # read-only: the batch sets it
        """See `Turn`."""
        return int(self._batch.sequences[self._member])

    @property
    def time_ns(self) -> int:  # type: ignore[override] # likewise
        """See `Turn`."""
        return int(self._batch.times[self._member])

    @property
    def awaits_reply(self) -> bool:  # type: ignore[override] # likewise
        """See `Turn`."""
        return self._batch.awaits_reply

    def take_back(self) -> None:
        self._batch.dismiss(self._member)


class _Requests:
    """Requests of one form, with a row for each simulation.

    Attributes:
        infos: Their infos, and the simulations that have sent the latest ones.
        arguments: Template and addresses of the arrays.
    """

    def __init__(
        self, request: RequestTemplate, columns: Sequence[NDArray[Any]], times: NDArray[np.int64]
    ) -> None:
        arrays = {field.key: field.column(len(times)) for field in request.infos}
        self.infos = InfoColumns(arrays, np.zeros(len(times), np.bool_))
        written = [arrays[field.key] for field in request.infos if field.size]
        addresses = [each.ctypes.data for each in (self.infos.sent, times, *columns, *written)]
        self.arguments = request.message.handle, *addresses


class BatchedExchange:
    """`Simulation.step()` and `receive()` in one call, for simulations with one agent each.

    A simulation takes part as long as it uses mailboxes, and its requests hold only an observation
    of fixed size, the reward of its agent, and infos of a known form. Any other message is left for
    `receive()`.

    Attributes:
        sequences: Number of each simulation's last round.
        times: Simulated time of each last round, in nanoseconds.
        awaits_reply: Whether the members' rounds wait for their answers.
    """

    def __init__(
        self,
        mailboxes: Callable[[bytes], Mailboxes | None],
        observations: NDArray[Any],
        rewards: NDArray[np.float64],
        times: NDArray[np.int64],
    ) -> None:
        """Take the C-contiguous arrays for requests, with a row for each simulation.

        `mailboxes`: returns the mailboxes of a simulation's token, if the simulation uses them.
        `times`: simulated times of the requests in nanoseconds.
        """
        count = len(observations)
        self._mailboxes = mailboxes
        self._simulations: dict[int, Any] = {}
        self._members: list[int] | None = []
        self._boxes = np.zeros(count, np.uint64)
        self.sequences = np.zeros(count, np.uint64)
        self.times = times
        self.awaits_reply = True
        self._active = np.zeros(count, np.uint8)
        self._columns = (observations, rewards)  # compiled code uses their addresses
        books = (self._boxes, self.sequences, self._active)
        self._rows = (count, *(each.ctypes.data for each in books))
        self._requests: dict[bytes, _Requests] = {}
        self._reply: MessageTemplate | None = None

    @property
    def members(self) -> list[int]:
        """Numbers of the simulations that take part."""
        if self._members is None:
            self._members = sorted(self._simulations)
        return self._members

    def admit(self, member: int, simulation: Any) -> None:
        """Include a simulation that waits for an answer, or exclude one that does not fit."""
        mailboxes = self._mailboxes(simulation.token)
        if mailboxes is None or not self._fits(simulation.template, mailboxes.capacity):
            self.dismiss(member)
        elif self._simulations.get(member) is not simulation:
            self._simulations[member] = simulation
            self._members = None
            self._boxes[member], self._bell = mailboxes.address, mailboxes.bell
            self.sequences[member] = simulation.turn.sequence
            self.times[member] = simulation.turn.time_ns
            simulation.turn = BatchedTurn(self, member)
            self._active[member] = 1
            mailboxes.before_close = lambda: self._leave(member, simulation)

    def _fits(self, template: RoundTemplate | None, capacity: int) -> bool:
        """Return whether messages of the next round probably fit into a mailbox, in bytes."""
        if template is None:
            return False
        form = template.form
        # The first round of an episode is parsed; the next one is probably like other episodes'.
        form.request = request = template.request or form.request
        form.reply = reply = form.reply or form.make_reply()
        if request is None or reply is None or reply.length > capacity:
            return False
        self._reply = self._reply or reply
        if len(reply.fields) != 2 or reply.blank != self._reply.blank:
            return False
        return request.message.blank in self._requests or self._accept(request, capacity)

    def _accept(self, request: RequestTemplate, capacity: int) -> bool:
        """Accept requests of a form, if they hold one agent and fit mailboxes and arrays.

        Number, time, observation, reward and infos vary. Masks are checked one by one.
        """
        if len(self._requests) == _MOST_FORMS:
            if self._simulations:
                return False
            self._requests.clear()
        message, each = request.message, [column[:1].nbytes for column in self._columns]
        expected = [_NUMBER_BYTES, _NUMBER_BYTES, *each]
        if [size for _, size in message.fields][: len(expected)] != expected:
            return False
        if message.length > capacity or MASK in [info.key for info in request.infos]:
            return False
        self._requests[message.blank] = _Requests(request, self._columns, self.times)
        return True

    def _leave(self, member: int, simulation: Any) -> None:
        if self._simulations.get(member) is simulation:
            self.dismiss(member)

    def dismiss(self, member: int) -> None:
        """Exclude a simulation."""
        simulation = self._simulations.pop(member, None)
        if simulation is not None:
            turn = simulation.turn
            simulation.turn = Turn(turn.sequence, turn.time_ns, awaits_reply=turn.awaits_reply)
            self._active[member] = 0
            self._members = None

    def answer(self, actions: Buffer) -> None:
        """Answer the members' rounds, without waking the members, by a row of actions for each."""
        assert self._reply is not None  # there are members
        exchange_module().post_rows(self._bell, *self._rows, self._reply.handle, actions)
        self.awaits_reply = False

    def read(self) -> tuple[list[int], list[InfoColumns]]:
        """Read the members' next requests, if they have an accepted form.

        Return the numbers of the simulations that were read, as the others are excluded, and their
        infos, in the order of their first rows.
        """
        infos: list[InfoColumns] = []
        members, left = self.members, len(self.members)
        for requests in self._requests.values() if members else ():
            if left and (count := take_batch(*self._rows, *requests.arguments)):
                left -= count
                infos.append(requests.infos)
        if left:
            read = {row for each in infos for row in np.flatnonzero(each.sent).tolist()}
            for member in members:
                if member not in read:
                    self.dismiss(member)
        self.awaits_reply = True
        return self.members, sorted(infos, key=lambda each: int(each.sent.argmax()))
