# SPDX-License-Identifier: GPL-2.0-only
"""A fault after which a leader receives late answers to old messages."""

from __future__ import annotations

from collections.abc import Sequence

LATE_ANSWERS = "late_answers"
LEAST_PERIOD = 5
"""Minimum number of steps: two for the first part, and one for each other part."""

_REQUESTS = 3
"""Requests during the first part, so that the old leader's log is ahead of the new one's."""


class LateAnswers:
    """Divides the network so that a replica's answers to a leader wait for a later term.

    First the leader and another replica, the straggler, are a minority that takes requests. Then
    the straggler is alone. Then the others' new leader is alone, too. In the last step, this
    leader, the straggler and enough other replicas for a majority are together.

    Attributes:
        straggler: Number of the isolated replica; None if there was no leader at the start.
    """

    def __init__(self, period: int) -> None:
        """Begin the fault.

        Args:
            period: Length in steps; at least `LEAST_PERIOD`.
        """
        self.straggler: int | None = None
        self._minority = max(2, period // 4)
        self._alone = self._minority + max(1, period // 4)
        self._last = period - 1
        self._leader: int | None = None

    def requests(self, turn: int) -> int:
        """Return the maximum number of requests before a step."""
        return _REQUESTS if turn == 1 else int(turn == self._last)

    def divide(
        self,
        running: Sequence[int],
        replica_blocks: Sequence[int],
        leader: int | None,
        turn: int,
        chance: float,
    ) -> tuple[frozenset[int], ...]:
        """Return the blocks of replicas in a step.

        Args:
            running: Numbers of the replicas that run, at least two.
            replica_blocks: Block of each replica, -1 if it is stopped.
            leader: Number of the current leader, if any.
            turn: Number of the step, from 0 on.
            chance: Random number from 0 to below 1, which selects the straggler.
        """
        everybody = frozenset(running)
        if turn == 0:
            others = [each for each in running if each != leader]
            self._leader = leader
            self.straggler = others[int(chance * len(others))] if leader in everybody else None
        elif turn == 1:
            self._find_straggler(replica_blocks)
        if self.straggler not in everybody:
            return (everybody,)
        apart = self._apart(running, leader, turn)
        rest = everybody.difference(*apart)
        return (*apart, *([rest] if rest else []))

    def _find_straggler(self, replica_blocks: Sequence[int]) -> None:
        """Find the replicas with the leader, as replicas of one colour are not distinguished."""
        if self._leader is not None:
            mine = replica_blocks[self._leader - 1]
            with_it = [
                n
                for n, block in enumerate(replica_blocks, 1)
                if block == mine and n != self._leader
            ]
            self.straggler = with_it[0] if len(with_it) == 1 else None

    def _apart(self, running: Sequence[int], leader: int | None, turn: int) -> list[frozenset[int]]:
        """Return the blocks without the block of all other replicas."""
        straggler = {each for each in (self.straggler,) if each is not None}
        if turn == self._last and leader is not None:
            most = len(running) // 2 + 1
            first = [*({leader} | straggler)]
            more = [each for each in running if each not in first]
            return [frozenset([*first, *more[: most - len(first)]])]
        if turn < self._minority and self._leader is not None:
            return [frozenset(straggler | {self._leader})]
        if turn == self._alone:
            self._leader = leader
        if turn >= self._alone and self._leader in set(running) - straggler:
            return [frozenset(straggler), frozenset({self._leader})]
        return [frozenset(straggler)]
