# SPDX-License-Identifier: GPL-2.0-only
"""Rounds of several simulations that look alike, answered and read in one call for all of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from defiance_zoo.codec import Buffer
from defiance_zoo.simulation.mailbox import Mailboxes, post_rows, take_rows
from defiance_zoo.simulation.simulation import Simulation

_NUMBER, _TIME, _OBSERVATION, _REWARD = range(4)
_ACTION = 1


class PlainRounds:
    """What `Simulation.step()` and `receive()` do, for simulations with one agent each.

    A simulation takes part as long as messages go through its mailboxes, and its requests hold
    nothing but the observation, whose size is fixed, and the reward of its agent. Any other message
    stays where it is, for `receive()`.

    Attributes:
        members: Numbers of the simulations that take part.
    """

    def __init__(
        self,
        observations: NDArray[Any],
        rewards: NDArray[np.float64],
        times: NDArray[np.int64],
    ) -> None:
        """Take the arrays that requests are read into, with a row for each simulation.

        Args:
            observations: C-contiguous, of the dtype of observations.
            rewards: Likewise, shape (simulations,).
            times: Of the requests, in nanoseconds; likewise.
        """
        count = len(observations)
        self.members: list[int] = []
        self._simulations: dict[int, Simulation] = {}
        self._boxes = np.zeros(count, np.uint64)
        self._numbers = np.zeros(count, np.uint64)
        self._active = np.zeros(count, np.uint8)
        self._taken = np.zeros(count, np.uint8)
        self._kept = (observations, rewards, times)  # their addresses are used
        self._row_bytes = observations[:1].nbytes
        self._rows = (count, *(each.ctypes.data for each in self._books))
        self._arrays = tuple(each.ctypes.data for each in (times, observations, rewards))
        self._blanks: tuple[bytes, bytes] | None = None

    @property
    def _books(self) -> tuple[NDArray[Any], ...]:
        return self._boxes, self._numbers, self._active

    def admit(self, member: int, simulation: Simulation, mailboxes: Mailboxes | None) -> None:
        """Let a simulation take part from here on, or no more if it cannot.

        Args:
            member: Its number.
            simulation: It, where a round waits for its answer.
            mailboxes: Its mailboxes, if there are any.
        """
        if mailboxes is None or not self._fits(simulation):
            self.dismiss(member)
            return
        self._boxes[member], self._numbers[member] = mailboxes.address, simulation.sequence
        if self._simulations.get(member) is not simulation:
            self._simulations[member] = simulation
            self._active[member] = 1
            self.members = sorted(self._simulations)
            self._bell = mailboxes.bell
            mailboxes.before_close = lambda: self._leave(member, simulation)

    def _fits(self, simulation: Simulation) -> bool:
        layout = simulation.layout
        request, reply = (layout.request, layout.reply) if layout is not None else (None, None)
        if request is None or reply is None:
            return False
        blanks = (request.blank, reply.blank)
        if self._blanks is None:
            sizes = request.sizes
            if len(sizes) != _REWARD + 1 or len(reply.sizes) != _ACTION + 1:
                return False
            if sizes[_OBSERVATION] != self._row_bytes or sizes[_REWARD] != self._kept[1].itemsize:
                return False
            self._blanks = blanks
            self._reply = (reply.blank, *reply.starts, reply.sizes[_ACTION])
            number, time, observation, reward = request.starts
            self._request = (request.blank, number, time, observation, self._row_bytes, reward)
        return blanks == self._blanks

    def _leave(self, member: int, simulation: Simulation) -> None:
        if self._simulations.get(member) is simulation:
            self.dismiss(member)

    def dismiss(self, member: int) -> None:
        """Let a simulation take part no more."""
        if self._simulations.pop(member, None) is not None:
            self._active[member] = 0
            self.members = sorted(self._simulations)

    def answer(self, actions: Buffer) -> None:
        """Answer the members' rounds; they are not woken yet.

        Args:
            actions: Checked actions, with a row for each simulation.
        """
        post_rows(self._bell, *self._rows, *self._reply, actions)
        for simulation in self._simulations.values():
            simulation.note_answer()

    def read(self) -> list[int]:
        """Read the members' next requests, as far as they are plain.

        Returns:
            Numbers of the simulations that were read; the others are members no more.
        """
        members = self.members
        if not members:
            return members
        count = take_rows(*self._rows, *self._request, *self._arrays, self._taken.ctypes.data)
        if count < len(members):
            for member in members:
                if not self._taken[member]:
                    self.dismiss(member)
        for simulation in self._simulations.values():
            simulation.note_request()
        return self.members
