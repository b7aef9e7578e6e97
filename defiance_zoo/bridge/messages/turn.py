# SPDX-License-Identifier: GPL-2.0-only
"""The position in the conversation with a simulation."""

from __future__ import annotations


class Turn:
    """The position in a conversation, kept by its simulation.

    `BatchedTurn` is the turn of a simulation whose rounds are played in a batch.

    Attributes:
        sequence: Number of the last round.
        time_ns: Simulated time of the last round in nanoseconds.
        awaits_reply: Whether the last round waits for its answer.
    """

    __slots__ = ("awaits_reply", "sequence", "time_ns")

    sequence: int
    time_ns: int
    awaits_reply: bool

    def __init__(self, sequence: int = 0, time_ns: int = 0, *, awaits_reply: bool = False) -> None:
        """Start at a round; 0 is before the first one."""
        self.sequence, self.time_ns, self.awaits_reply = sequence, time_ns, awaits_reply

    def take_back(self) -> None:
        """Leave the batch that plays the rounds, if there is one."""
