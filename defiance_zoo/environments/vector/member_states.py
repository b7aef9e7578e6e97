# SPDX-License-Identifier: GPL-2.0-only
"""The state of each simulation of a vector."""

from __future__ import annotations

from collections.abc import Iterable

from defiance_zoo.bridge.simulation import Round
from defiance_zoo.errors import SimulationError


class MemberStates:
    """The states of the simulations of a vector, by their numbers.

    Attributes:
        begun: Simulations whose episode has had its first round, and has not broken off.
        ended: Simulations whose last episode is over.
        waiting: Simulations that were sent a message, and whose rounds are awaited, in this order.
        resetting: Simulations whose next episode has started, before its first round.
        pending: Rounds and failures that were received, and are not in the rows yet.
        received: Steps that are not returned yet.
        just_ended: Agents that have ended in this step.
        errors: Errors to raise, in this order.
    """

    def __init__(self) -> None:
        """Begin without episodes."""
        self.begun: set[int] = set()
        self.ended: set[int] = set()
        self.waiting: list[int] = []
        self.resetting: set[int] = set()
        self.pending: dict[int, Round | SimulationError] = {}
        self.received: list[int] = []
        self.just_ended: list[int] = []
        self.errors: list[SimulationError] = []

    def clear(self) -> None:
        """Discard all episodes and all awaited rounds."""
        self.waiting, self.just_ended = [], []
        self.begun.clear()
        self.resetting.clear()
        self.pending.clear()

    def give_up(self) -> None:
        """Require a reset of all simulations after an interruption with an unknown result."""
        self.begun.clear()
        self.waiting, self.received = [], []

    def expect_reset(self, members: Iterable[int]) -> None:
        """Stop waiting for some simulations, whose next episodes are about to begin."""
        reset = set(members)
        self.waiting = [member for member in self.waiting if member not in reset]
        self.received = [member for member in self.received if member not in reset]
        self.errors.clear()

    def expect_first_rounds(self, members: list[int]) -> None:
        """Wait for the first rounds of all simulations, which have been started."""
        self.waiting, self.resetting = list(members), set(members)
        self.pending.clear()

    def note_begin(self, member: int) -> None:
        """Note that the first round of an episode has arrived."""
        self.begun.add(member)
        self.note_ended(member, over=False)

    def note_ended(self, member: int, *, over: bool = True) -> None:
        """Note whether the last episode of a simulation is over."""
        if over:
            self.ended.add(member)
        else:
            self.ended.discard(member)

    def stand(self, ended: dict[int, bool]) -> None:
        """Mark all simulations as begun, some of them as ended, and none as awaited."""
        for member, over in ended.items():
            self.note_ended(member, over=over)
        self.begun.update(ended)

    def lose(self, member: int, error: SimulationError) -> None:
        """Note an error to be raised later; only a reset of that simulation clears it."""
        self.begun.discard(member)
        self.resetting.discard(member)
        self.pending.pop(member, None)
        self.errors.append(error)

    def raise_errors(self) -> None:
        """Raise the first error since the last call, if there is one."""
        errors, self.errors = self.errors, []
        if errors:
            raise errors[0]
